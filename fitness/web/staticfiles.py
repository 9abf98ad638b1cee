from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedFiles(CompressedManifestStaticFilesStorage):
    """Serves files under names that change with their content.

    A file that nobody has collected keeps its plain name: a page without its style, beside the warning
    at the start, helps a newcomer more than an error page.
    """

    def stored_name(self, name):
        try:
            return super().stored_name(name)
        except ValueError:
            return name

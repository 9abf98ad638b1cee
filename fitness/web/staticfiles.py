from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]  # no types


class CollectedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # no types
    """Serves files under names that change with their content.

    A file that `collectstatic` has not collected keeps its name. The page then lacks its style, and a system
    check warns at the start: that helps more than an error page.
    """

    def stored_name(self, name: str) -> str:
        try:
            hashed_name: str = super().stored_name(name)
            return hashed_name
        except ValueError:
            return name

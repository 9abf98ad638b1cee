from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # no types
    """Serves files under names that change with their content.

    A file that `collectstatic` has not collected keeps its name. The page then lacks its style, and a system
    check warns at the start: that helps more than an error page.

    Imports between the modules of a page are rewritten to these names. So the name of a module changes with
    each module that it imports. Two modules that import each other have no such names: `collectstatic` fails.
    """

    support_js_module_import_aggregation = True
    max_post_process_passes = 20  # one for each module of the longest chain of imports; Django's 5 are few

    def stored_name(self, name: str) -> str:
        try:
            hashed_name: str = super().stored_name(name)
            return hashed_name
        except ValueError:
            return name

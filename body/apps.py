from django.apps import AppConfig


class BodyConfig(AppConfig):
    name = "body"

    def ready(self):
        from body.api import schema  # noqa: F401  (tells the document what a measurement must hold)

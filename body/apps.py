from django.apps import AppConfig


class BodyConfig(AppConfig):
    name = "body"

    def ready(self) -> None:
        from body.api import schema  # noqa: F401  (registers an extension of the OpenAPI schema)

from django.apps import AppConfig


class SupplementsConfig(AppConfig):
    name = "supplements"

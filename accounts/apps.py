from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self):
        from accounts.api import schema  # noqa: F401  (tells the document about the key headers)

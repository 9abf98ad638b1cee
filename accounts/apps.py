from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from django.apps import apps
        from django.contrib.auth.signals import user_logged_in
        from django.db.models.signals import post_migrate

        from accounts import checks  # noqa: F401  (registers the system check)
        from accounts.models.account import store_last_login
        from accounts.sessions import describe_session
        from accounts.staff import check_group_rules, create_roles

        check_group_rules()
        user_logged_in.connect(store_last_login)  # in place of Django's own, which writes the account
        user_logged_in.connect(describe_session)
        # The permissions of the apps that come before it exist by then.
        post_migrate.connect(create_roles, sender=apps.get_app_config("auth"))

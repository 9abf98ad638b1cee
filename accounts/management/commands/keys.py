from accounts.management.base import AccountCommand
from accounts.models import ApiKey


class Command(AccountCommand):
    help = "Lists the keys and connections of an account, newest first: hint, scope, state, use and name."

    def handle(self, email: str, **options: object) -> None:
        account = self.find(email)
        for key in account.api_keys.with_use():
            self.stdout.write("  ".join([key.hint, scope_of(key), state_of(key), used(key), key.name]))


def scope_of(key: ApiKey) -> str:
    return f"{key.get_scope_display()}{', corrects and deletes' if key.may_correct else ''}"


def state_of(key: ApiKey) -> str:
    if not key.is_active or key.expires_at is None:
        return key.state
    return f"active until {key.expires_at:%Y-%m-%d}"


def used(key: ApiKey) -> str:
    last = key.last_used_at
    return f"used {last:%Y-%m-%d}" if last else "never used"

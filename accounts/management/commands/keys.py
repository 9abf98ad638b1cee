from accounts.management.base import AccountCommand
from accounts.models import ApiKey


class Command(AccountCommand):
    help = "Lists the keys and connections of an account, newest first: hint, name, scope, state and use."

    def handle(self, email: str, **options: object) -> None:
        account = self.find(email)
        for key in account.api_keys.with_use():
            self.stdout.write(
                "  ".join([key.hint, key.get_scope_display(), state_of(key), used(key), key.name])
            )


def state_of(key: ApiKey) -> str:
    if not key.is_active or key.expires_at is None:
        return key.state
    return f"active until {key.expires_at:%Y-%m-%d}"


def used(key: ApiKey) -> str:
    last = key.last_used_at  # type: ignore[attr-defined]  # annotated by with_use
    return f"used {last:%Y-%m-%d}" if last else "never used"

from accounts import factors
from accounts.management.base import AccountCommand


class Command(AccountCommand):
    help = "Removes the second factors, passkeys and recovery codes of an account, and ends its sessions."

    def handle(self, email: str, **options: object) -> None:
        account = self.find(email)
        factors.reset(account)
        self.stdout.write(f"{account.email} signs in with the password alone now.")

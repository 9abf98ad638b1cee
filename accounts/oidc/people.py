"""Which account somebody at the provider opens.

1. The one that is tied to the issuer and the subject.
2. None by its email alone: a provider may let people claim any. An account with that email is tied after its
   owner has signed in to it once, in the way they did before, and has said yes (`tie`).
3. With OIDC_TRUST_EMAIL, for an email that the provider calls verified, without being asked; but no account
   that somebody else may have made with this email, and may still open (`could_be_anothers`), nor one of
   staff, nor one that its owner has disconnected.
4. A new one, if people may sign up: uninvited with OIDC_SIGN_UP=open, otherwise as SIGN_UP says.

Example of a failure: somebody signs up as victim@example.org with a password, and waits. The victim comes by
the provider. Without step 3 they would be led into that account, which both could open then.
"""

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from accounts import audit, invitations, mail, staff
from accounts.audit import Event
from accounts.invitations import Invitation
from accounts.models import Account, ProviderTie
from accounts.oidc import roles
from accounts.oidc.identity import Identity
from fitness.web import language

NO_EMAIL = gettext_lazy(
    "{provider} does not tell your email, which an account here needs. Ask whoever runs this service."
)
OF_ANOTHER_EMAIL = gettext_lazy("This invitation is for {invited}, and {provider} calls you {email}.")
BY_INVITATION = gettext_lazy("{provider} knows you, but accounts here are by invitation.")
USED_INVITATION = gettext_lazy("This invitation does not work any more.")


class NotAdmitted(Exception):
    """The provider is believed, but opens no account here. The text is for the person, in their language."""

    def __init__(self, text: object, account: Account | None = None) -> None:
        super().__init__(text)
        self.account = account


class NotInvited(NotAdmitted):
    pass


class AlreadyTied(Exception):
    """The account is tied to somebody else at the provider, or they to another account."""


def tie_of(identity: Identity, invitation: Invitation | None) -> ProviderTie | None:
    """The tie of somebody, which is made if it may be; None if there is an account that must say yes first.

    Raises NotAdmitted.
    """
    found = ProviderTie.objects.look_up(identity.issuer, identity.subject)
    if found is None:
        return tie_by_email(identity) if has_account(identity) else sign_up(identity, invitation)
    if not found.account.is_active:
        raise NotAdmitted(gettext_lazy("This account rests. Ask whoever runs this service."), found.account)
    return found


def has_account(identity: Identity) -> bool:
    if not identity.email:
        raise NotAdmitted(format_lazy(NO_EMAIL, provider=settings.OIDC_NAME))
    return Account.objects.filter(email=identity.email).exists()


def tie_by_email(identity: Identity) -> ProviderTie | None:
    account = Account.objects.filter(email=identity.email).first()
    if account is None or not may_tie_by_email(account, identity):
        return None
    try:
        made = tie(account, identity.issuer, identity.subject)
    except AlreadyTied:
        return None
    notify_tied(account, identity.email)
    return made


def notify_tied(account: Account, label: str) -> None:
    """Tells the account by mail who opens it from now on."""
    mail.notify("provider_tied", account, name=settings.OIDC_NAME, label=label)


def may_tie_by_email(account: Account, identity: Identity) -> bool:
    is_said = settings.OIDC_TRUST_EMAIL and identity.email_verified
    return (
        is_said
        and account.is_active
        and not (staff.is_of_staff(account) or could_be_anothers(account) or was_untied(account))
    )


def was_untied(account: Account) -> bool:
    """Whether its owner has said that the provider opens it no more."""
    return account.audit_events.filter(event=Event.PROVIDER_UNTIED).exists()


def could_be_anothers(account: Account) -> bool:
    """Whether somebody who does not have its email may have made the account, and can open it."""
    if account.email_confirmed_at:
        return False
    is_opened = account.has_usable_password() or account.passkeys.exists()
    return is_opened or account.api_keys.active().exists()


def tie(account: Account, issuer: str, subject: str) -> ProviderTie:
    """Raises AlreadyTied. A tie to another provider, which the service had before, makes room."""
    try:
        with transaction.atomic():
            account.lock()
            for before in ProviderTie.objects.filter(account=account).exclude(issuer=issuer):
                roles.follow(before, ())
                before.delete()
            made = ProviderTie.objects.tie(account, issuer, subject)
            audit.log_event(Event.PROVIDER_TIED, account, detail=str(made))
    except IntegrityError:
        raise AlreadyTied from None
    return made


def sign_up(identity: Identity, invitation: Invitation | None) -> ProviderTie | None:
    if invitation and invitation.email not in ("", identity.email):
        names = {"invited": invitation.email, "provider": settings.OIDC_NAME, "email": identity.email}
        raise NotAdmitted(format_lazy(OF_ANOTHER_EMAIL, **names))
    is_confirmed = settings.OIDC_TRUST_EMAIL and identity.email_verified
    account = Account(
        email=identity.email,
        display_name=identity.name,
        email_confirmed_at=timezone.now() if is_confirmed else None,
        language=language.current(),
    )
    account.set_unusable_password()
    try:
        with transaction.atomic():
            is_open = settings.OIDC_SIGN_UP == "open"
            detail = f"with {settings.OIDC_NAME}"
            invitations.store_newcomer(account, invitation, detail=detail, is_open=is_open)
            return tie(account, identity.issuer, identity.subject)
    except invitations.NotInvited:
        by_invitation = format_lazy(BY_INVITATION, provider=settings.OIDC_NAME)
        raise NotInvited(USED_INVITATION if invitation else by_invitation) from None
    except (IntegrityError, AlreadyTied):  # the same person in two tabs, or somebody signed up meanwhile
        return ProviderTie.objects.look_up(identity.issuer, identity.subject)


def has_another_way_in(account: Account) -> bool:
    """Whether the account can be opened without its tie."""
    has_password = account.has_usable_password() and account.may_use_password
    return has_password or (bool(settings.PASSKEY_ORIGIN) and account.passkeys.exists())


def untie(account: Account, *, session: str | None) -> bool:
    """Ends the tie, and the sessions that it began but the one with this key. False for the last way in."""
    with transaction.atomic():
        account.lock()
        found = ProviderTie.objects.filter(account=account).first()
        if found is None:
            return True
        if not has_another_way_in(account):
            return False
        roles.follow(found, ())
        found.delete()
        account.sessions.exclude(provider_session="").exclude(session_key=session).delete()
        audit.log_event(Event.PROVIDER_UNTIED, account, detail=str(found))
    return True

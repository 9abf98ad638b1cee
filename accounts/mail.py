"""Mail: links that somebody asked for, and notices of what happened to an account.

A mail is sent within the request that causes it, which waits for at most EMAIL_TIMEOUT seconds; there is no
queue. The texts are templates/accounts/mail/*.txt, their first line is the subject.

Example of a failure: the mail server is down. Somebody asks for a link to a new password: `send` raises
NotSent, and the page says so. Somebody creates a key: the key is made, `notify` logs that the notice was not
sent.
"""

import logging
import smtplib
import time
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend
from django.template.loader import render_to_string

from accounts.links import HOURS_VALID
from accounts.models import Account
from fitness.addresses import public_address
from fitness.web.language import in_language_of

log = logging.getLogger("fitness.mail")


class NotSent(Exception):
    """The mail server did not take the mail."""


class PromptMixin(smtplib.SMTP):
    """EMAIL_TIMEOUT is the time for a whole mail; smtplib has it for each reply of the server."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.deadline = time.monotonic() + settings.EMAIL_TIMEOUT
        super().__init__(*args, **options)

    def getreply(self) -> tuple[int, bytes]:
        if self.sock:
            self.sock.settimeout(max(self.deadline - time.monotonic(), 0.01))
        return super().getreply()


class PromptSMTP(PromptMixin):
    pass


class PromptSMTPOverSSL(PromptMixin, smtplib.SMTP_SSL):
    pass


class PromptBackend(EmailBackend):
    """Django's, with the time limit of PromptMixin."""

    @property
    def connection_class(self) -> type[PromptMixin]:
        return PromptSMTPOverSSL if self.use_ssl else PromptSMTP


def send(template: str, email: str, **context: object) -> None:
    """Sends a mail. Not inside a transaction, which would wait for the mail server. Raises NotSent."""
    subject, body = rendered(template, context)
    try:
        EmailMessage(subject, body, to=[email]).send()
    except (OSError, ValueError, smtplib.SMTPException) as error:  # whose text may have the email
        log.warning("a mail is not sent: %s", type(error).__name__, extra={"mail": template})
        raise NotSent from error
    log.info("mail sent", extra={"mail": template})


def rendered(template: str, context: dict[str, object]) -> tuple[str, str]:
    """The subject and the body of a mail, in the language that is active: texts in `context` are lazy."""
    text = render_to_string(
        f"accounts/mail/{template}.txt", {**context, "site": public_address(), "hours": HOURS_VALID}
    )
    subject, _, body = text.partition("\n")
    return subject, body.lstrip("\n")


def notify(template: str, account: Account, **context: object) -> None:
    """Sends a notice to the account, where the service sends mail. What fails is only logged.

    An email that is not confirmed gets none: it may be a stranger's, who would be mailed whenever somebody
    signs in to an account with it.
    """
    if settings.SENDS_MAIL and account.email_confirmed_at:
        with suppress(NotSent), in_language_of(account):
            send(template, account.email, **context)

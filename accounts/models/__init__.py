"""Accounts and their keys. Django finds the models of all other modules of the app here."""

from accounts.audit import AuditEvent
from accounts.factors.models import Authenticator, Passkey, RecoveryCode
from accounts.first_account import FirstAccount
from accounts.idempotency import IdempotentRequest
from accounts.imports.models import ImportFinding, ImportItem, ImportRun
from accounts.invitations import Invitation
from accounts.key_days import KeyDay
from accounts.key_use import KeyUse
from accounts.models.account import Account, AccountState, has_domain, normalize_email
from accounts.models.api_key import (
    MAX_ACTIVE_CONNECTIONS,
    MAX_ACTIVE_KEYS,
    ApiKey,
    ApiKeyQuerySet,
)
from accounts.models.calendar_feed import AlreadyMade, CalendarFeed
from accounts.models.provider_tie import ProviderTie
from accounts.models.stored_file import FilePart, StoredFile
from accounts.models.task import Task
from accounts.oauth.models import AuthorizationCode, OAuthClient, OAuthToken
from accounts.push.models import Alarm, PushSubscription
from accounts.sessions import Session

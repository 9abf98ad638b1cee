"""Settings of the service: one file, which reads the environment (see fitness/environment.py).

A bad value stops the start with a line that names its variable. Example: PORT=http -> `PORT: Not a valid
integer.` docs/settings.md lists the variables.
"""

import fcntl
import hashlib
import ipaddress
import os
import re
import sys
from email.utils import parseaddr
from pathlib import Path
from typing import cast
from urllib.parse import SplitResult, urlsplit

import dj_database_url
from csp.constants import NONE, SELF
from django.core.management.utils import get_random_secret_key
from environs import Env, EnvValidationError, ValidationError, validate

from fitness import __version__, environment
from fitness.addresses import is_local, is_number

environment.load()

BASE_DIR = Path(__file__).resolve().parent.parent

env = Env(eager=False)


def is_rate(value: str) -> None:
    if not re.fullmatch(r"[1-9]\d{0,8}/[mh]", value):
        raise ValidationError("must look like 120/m (requests a minute) or 60/h (an hour).")


def is_minute_rate(value: str) -> None:
    """The limits of the API are per minute: its documents and its RateLimit headers say so."""
    if not re.fullmatch(r"[1-9]\d{0,8}/m", value):
        raise ValidationError("must look like 120/m (requests a minute).")


def is_site_address(value: str) -> None:
    parts = address(value)
    rest = parts.path.strip("/") or parts.query or parts.fragment
    if value and (parts.scheme not in ("http", "https") or not parts.hostname or rest):
        raise ValidationError("must look like https://fitness.example.org, without a path.")


def is_redis_address(value: str) -> None:
    if value and address(value).scheme not in ("redis", "rediss", "unix"):
        raise ValidationError("must look like redis://host:6379/0.")


def is_ip_address(value: str) -> None:
    if not is_number(value):
        raise ValidationError("must be an IP address, such as 127.0.0.1 or 0.0.0.0.")


def is_mail_address(value: str) -> None:
    if not value:
        return
    try:
        validate.Email()(parseaddr(value)[1])
    except ValidationError:
        raise ValidationError("must look like fit@example.org or Fitness <fit@example.org>.") from None


def is_issuer(value: str) -> None:
    """Over http anybody in between could forge keys, and with them be anybody: this machine alone may."""
    parts = address(value)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_local(parts.hostname))
    rest = parts.query or parts.fragment or "@" in parts.netloc
    if value and (not is_safe or not parts.hostname or rest or not value.isascii()):
        raise ValidationError("must look like https://auth.example.org/…, or be http on this machine.")


def is_group_rule(value: str) -> None:
    if not all(group and role for group, role in group_rules(value)):
        raise ValidationError("must look like fitness-admins=superuser, fitness-support=Support.")


def group_rules(value: str) -> list[tuple[str, str]]:
    """The (group, role) of each `group=role`. Groups may have a `=`, as those of LDAP do; roles have none."""
    rows = [row.rpartition("=") for row in value.split(",") if row.strip()]
    return [(group.strip(), role.strip()) for group, _, role in rows]


def is_token(value: str) -> None:
    if value and not re.fullmatch(r"[\x21-\x7e]{16,255}", value):
        raise ValidationError("must be 16 to 255 visible ASCII characters.")


def is_header_name(value: str) -> None:
    if value and not re.fullmatch(r"[A-Za-z0-9-]{1,64}", value):
        raise ValidationError("must be the name of a header, such as Remote-Email.")


def are_proxies(values: list[str]) -> None:
    try:
        is_everybody = any(network.prefixlen == 0 for network in networks(values))
    except ValueError as error:
        raise ValidationError(f"must be addresses or networks, separated by commas: {error}.") from None
    if is_everybody:
        raise ValidationError("must not be everybody: name your proxy, such as 127.0.0.1.")


def networks(values: list[str]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    return [ipaddress.ip_network(value.strip()) for value in values if value.strip()]


def is_page_address(value: str) -> None:
    parts = address(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValidationError("must look like https://auth.example.org/logout.")


def address(value: str) -> SplitResult:
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018  (reading it checks it)
    except ValueError as error:
        raise ValidationError(f"is no address: {error}.") from None
    return parts


DATA_DIR = Path(os.environ.get("DATA_DIR") or BASE_DIR / "var").absolute()
environment.refuse_another_database(DATA_DIR)
SQLITE_ENGINE, CITUS_ENGINE = "fitness.db.sqlite", "fitness.db.citus"
dj_database_url.register("sqlite", SQLITE_ENGINE)
dj_database_url.register("citus", CITUS_ENGINE)
# Of a command whose environment does not say where the service is.
says_address = os.environ.get("PUBLIC_URL") or os.environ.get("PORT")
NOTED_ADDRESS = environment.noted_address(DATA_DIR) if environment.is_for_person and not says_address else ""
database = env.dj_db_url("DATABASE_URL", f"sqlite:///{DATA_DIR / 'fitness.sqlite3'}")
REDIS_URL = env.str("REDIS_URL", "", validate=is_redis_address)
PUBLIC_URL = env.str("PUBLIC_URL", "", validate=is_site_address)
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", 0, validate=validate.Range(min=0, max=10))
BIND = env.str("BIND", "127.0.0.1", validate=is_ip_address)
PORT = env.int("PORT", 8000, validate=validate.Range(min=1, max=65535))
WEB_CONCURRENCY = env.int("WEB_CONCURRENCY", 1, validate=validate.Range(min=1, max=256))
STATEMENT_TIMEOUT = env.int("STATEMENT_TIMEOUT", 0, validate=validate.Range(min=0, max=3600))
PREPARED_STATEMENTS = env.bool("PREPARED_STATEMENTS", True)
RATE_LIMIT_KEY = env.str("RATE_LIMIT_KEY", "120/m", validate=is_minute_rate)
RATE_LIMIT_IP = env.str("RATE_LIMIT_IP", "300/m", validate=is_minute_rate)
is_sign_up_mode = validate.OneOf(["open", "invite", "closed"])
SIGN_UP = env.str("SIGN_UP", "invite" if PUBLIC_URL else "open", validate=is_sign_up_mode)
ACCOUNT_STORAGE_MB = env.int("ACCOUNT_STORAGE_MB", 1000, validate=validate.Range(min=0, max=10**9))
RATE_LIMIT_PAGES = env.str("RATE_LIMIT_PAGES", "600/m", validate=is_rate)
is_second_factor_rule = validate.OneOf(["", "staff", "everyone"])
REQUIRE_SECOND_FACTOR = env.str("REQUIRE_SECOND_FACTOR", "", validate=is_second_factor_rule)
secret_keys_before: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
SECRET_KEY_FALLBACKS = [key.strip() for key in secret_keys_before if key.strip()]
RATE_LIMIT_SIGN_UP = env.str("RATE_LIMIT_SIGN_UP", "60/h", validate=is_rate)
RATE_LIMIT_REGISTER = env.str("RATE_LIMIT_REGISTER", "20/h", validate=is_rate)
OAUTH_CLIENT_DOCUMENTS = env.bool("OAUTH_CLIENT_DOCUMENTS", False)
AUTH_HEADER = env.str("AUTH_HEADER", "", validate=is_header_name)
auth_proxies: list[str] = env.list("AUTH_PROXIES", [], validate=are_proxies)
AUTH_LOGOUT_URL = env.str("AUTH_LOGOUT_URL", "", validate=is_page_address)
mail = env.dj_email_url("EMAIL_URL", "")
EMAIL_FROM = env.str("EMAIL_FROM", "", validate=is_mail_address)
METRICS_TOKEN = env.str("METRICS_TOKEN", "", validate=is_token)
OIDC_ISSUER = env.str("OIDC_ISSUER", "", validate=is_issuer)
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", "")
OIDC_NAME = env.str("OIDC_NAME", "", validate=validate.Length(max=50))
OIDC_SIGN_UP = env.str("OIDC_SIGN_UP", "invite", validate=validate.OneOf(["invite", "open"]))
OIDC_ONLY = env.bool("OIDC_ONLY", False)
staff_groups = env.str("OIDC_STAFF_GROUP", "", validate=is_group_rule)
OIDC_TRUST_EMAIL = env.bool("OIDC_TRUST_EMAIL", False)
OIDC_ASK_FACTOR = env.bool("OIDC_ASK_FACTOR", False)
LOG_LEVEL = env.str("LOG_LEVEL", "INFO", validate=validate.OneOf(["DEBUG", "INFO", "WARNING", "ERROR"]))

try:
    env.seal()
except EnvValidationError as error:
    messages_by_name = cast("dict[str, list[str]]", error.error_messages)  # after `seal` always a dict
    sys.exit("\n".join(f"{name}: {' '.join(messages)}" for name, messages in messages_by_name.items()))
if database["ENGINE"] not in (SQLITE_ENGINE, "django.db.backends.postgresql", CITUS_ENGINE):
    sys.exit("DATABASE_URL: must be a sqlite:///, postgres:// or citus:// address.")
if os.environ.get("EMAIL_URL") and "EMAIL_BACKEND" not in mail:
    sys.exit("EMAIL_URL: must look like submission://user:password@mail.example.org or smtp://localhost:25.")
if mail.get("EMAIL_BACKEND") and not EMAIL_FROM:
    sys.exit("EMAIL_FROM: required when EMAIL_URL is set.")
AUTH_PROXIES = networks(auth_proxies)
if AUTH_HEADER and not AUTH_PROXIES:
    sys.exit("AUTH_PROXIES: required when AUTH_HEADER is set: anybody could send the header otherwise.")
OIDC_STAFF_GROUP = group_rules(staff_groups)
if OIDC_ISSUER:
    OIDC_NAME = OIDC_NAME or urlsplit(OIDC_ISSUER).hostname or ""
    for name, value in {"OIDC_CLIENT_ID": OIDC_CLIENT_ID, "PUBLIC_URL": PUBLIC_URL}.items():
        if not value:
            sys.exit(f"{name}: required when OIDC_ISSUER is set.")
elif OIDC_CLIENT_ID or OIDC_ONLY:
    sys.exit(f"OIDC_ISSUER: required when {'OIDC_CLIENT_ID' if OIDC_CLIENT_ID else 'OIDC_ONLY'} is set.")
SQLITE = database["ENGINE"] == SQLITE_ENGINE
CITUS = database["ENGINE"] == CITUS_ENGINE
PUBLIC_URL = PUBLIC_URL.rstrip("/")


def secret_key() -> str:
    """The SECRET_KEY variable, or one made at the first start and stored with the local data.

    A published service on PostgreSQL has no local data, so it must set the variable.
    """
    if key := os.environ.get("SECRET_KEY"):
        return key
    if PUBLIC_URL and not SQLITE:
        sys.exit(
            "SECRET_KEY: required when PUBLIC_URL is set and DATABASE_URL names PostgreSQL; "
            "see docs/settings.md."
        )
    path = DATA_DIR / "secret_key"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return (path.exists() and path.read_text()) or made_secret_key(path)
    except OSError as error:
        sys.exit(f"SECRET_KEY: not set, and DATA_DIR cannot keep one: {error}")


def made_secret_key(path: Path) -> str:
    """Writes a new key, or returns the one that a process which started together with this one wrote."""
    with open(os.open(path, os.O_CREAT | os.O_RDWR, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
        key = file.read()
        if not key:
            key = get_random_secret_key()
            file.write(key)
        return key


SECRET_KEY = secret_key()
DEBUG = False

# --- Address and cookies: all follow from PUBLIC_URL ------------------------------------------

public = urlsplit(PUBLIC_URL)
SECURE = public.scheme == "https"
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *filter(None, [public.hostname])]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []
SESSION_ENGINE = "accounts.sessions"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SESSION_COOKIE_NAME = "__Host-session" if SECURE else "session"
BROWSER_COOKIE_NAME = "__Host-browser" if SECURE else "browser"
CSRF_COOKIE_NAME = "__Host-csrf" if SECURE else "csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "fitness.web.errors.expired_form"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if SECURE else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SILENCED_SYSTEM_CHECKS = [
    # Both look for Django's own class in MIDDLEWARE, where its subclass is (fitness/web/middleware.py).
    "security.W002",
    "security.W003",
    "security.W005",  # HSTS for subdomains would apply to sites that are not this service's
    "security.W021",  # and so would the browsers' preload list
]
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # Web pages alone: a redirect would turn a client's POST into a GET.
    SECURE_SSL_REDIRECT = SECURE
    SECURE_SSL_HOST = public.netloc
    SECURE_REDIRECT_EXEMPT = [r"^api(/|$)", r"^mcp(/|$)", r"^\.well-known/", r"^(token|register|revoke)$"]

# Browsers offer passkeys at a name alone, with TLS or on this machine. They belong to that name for good.
has_passkeys = public.hostname in (None, "localhost") or (SECURE and not is_number(public.hostname or ""))
PASSKEY_ORIGIN = (PUBLIC_URL or f"http://localhost:{PORT}").lower() if has_passkeys else ""
SERVICE_NAME = "Fitness"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        # Browsers also follow no redirect of a form that is not named here: the one of the sign-out.
        "form-action": [SELF, *([AUTH_LOGOUT_URL.split("?")[0]] if AUTH_LOGOUT_URL else [])],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# --- Applications -------------------------------------------------------------------------------

INSTALLED_APPS = [
    "fitness.apps.FitnessConfig",
    "fitness.site",
    "fitness.web",
    "accounts",
    "training",
    "body",
    "nutrition",
    "supplements",
    "mcp_endpoint",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "csp",
    "fitness.apps.StaffAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    # Of every request.
    "fitness.middleware.WholeBody",  # after the answer: reads what is left of the body
    "fitness.middleware.RequestLog",  # before: its id; after: its line
    "fitness.site.monitoring.Monitoring",  # answers /healthz, /readyz and /metrics itself
    "fitness.metrics.RequestMetrics",  # after: its time
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Of programs.
    "accounts.api.middleware.CountKeyUse",  # after
    "fitness.api.middleware.ApiGuard",  # before: the limit of the address, the size of the body
    # Of screens: programs pass by all of these but CommonMiddleware (`for_screens`).
    "fitness.middleware.Localization",
    "fitness.middleware.WebGuard",
    "fitness.web.middleware.ContentSecurityPolicy",
    "fitness.web.middleware.Session",
    "django.middleware.common.CommonMiddleware",
    "fitness.web.middleware.CsrfCheck",
    "fitness.web.middleware.Authentication",
    *(["accounts.web.header_sign_in.HeaderSignIn"] if AUTH_HEADER else []),
    "accounts.web.being_restored.BeingRestoredGuard",
    "fitness.web.middleware.Messages",
    "fitness.web.middleware.FrameOptions",
    "accounts.web.signed_out.SignedOut",
]

ROOT_URLCONF = "fitness.urls"
WSGI_APPLICATION = "fitness.wsgi.application"
APPEND_SLASH = False  # a wrong address is a 404: a redirect would lose the body of a POST

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["fitness.web.templatetags.days"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context_processors.sign_up",
            ],
        },
    }
]

# --- Storage ------------------------------------------------------------------------------------

if SQLITE:
    # Writers wait for each other instead of failing, and an acknowledged write is on the disk.
    database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    database["CONN_MAX_AGE"] = None
    # Django REST framework imports the fields of PostgreSQL wherever psycopg is installed: 10 MB and 0.3 s.
    # None is how Python marks a module that cannot be imported.
    sys.modules["django.contrib.postgres"] = None  # type: ignore[assignment]
    try:
        Path(database["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(f"DATABASE_URL: its folder cannot be made: {error}")
else:
    from fitness.db import postgresql

    # A request waits three seconds for a connection, then it is a 503. It is one too after STATEMENT_TIMEOUT
    # seconds of one statement, or after half as many of waiting for a lock.
    timeouts = f"-c statement_timeout={STATEMENT_TIMEOUT}s -c lock_timeout={STATEMENT_TIMEOUT * 500}"
    # To compile a statement took 0.6 s where PostgreSQL overestimated its work, as for records.
    database["OPTIONS"] = {
        **postgresql.TCP_OPTIONS,
        **database.get("OPTIONS", {}),
        "connect_timeout": 3,
        "options": f"{timeouts} -c jit=off",
        # Without reconnect_timeout the pool waits longer after each attempt: after an outage of some minutes
        # it would wait minutes more.
        "pool": {"min_size": 1, "max_size": 10, "timeout": 3, "reconnect_timeout": 2},
    }
    if PREPARED_STATEMENTS and not CITUS:  # where they were not measured
        database["OPTIONS"] |= postgresql.PREPARED
    if STATEMENT_TIMEOUT:
        database["OPTIONS"]["pool"]["connection_class"] = postgresql.impatient_connection(STATEMENT_TIMEOUT)
    if environment.is_for_person:  # who needs one connection, and its error: a pool's does not say the reason
        del database["OPTIONS"]["pool"]
DATABASES = {"default": database}
DATA_UPLOAD_MAX_NUMBER_FIELDS = 8_000  # the form of a workout has up to 500 sets, with ten fields each
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LOCAL_COUNTERS = {
    "BACKEND": "fitness.api.rate_limits.LocalCounters",
    "LOCATION": "counters",
    "OPTIONS": {"MAX_ENTRIES": 100_000},
}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # The counters of the rate limits, and those that replace them while Redis fails.
    "counters": LOCAL_COUNTERS,
    "local_counters": {**LOCAL_COUNTERS, "LOCATION": "local_counters"},
}
if REDIS_URL:
    CACHES["counters"] = {
        "BACKEND": "fitness.api.counters.CounterCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_timeout": 0.25, "socket_connect_timeout": 0.25},
    }
RATELIMIT_USE_CACHE = "counters"
# The defaults. django-ratelimit asks for them with each request, and one that is missing takes longer.
RATELIMIT_ENABLE = True
RATELIMIT_CACHE_PREFIX = "rl:"
RATELIMIT_HASH_ALGORITHM = hashlib.sha256

# --- People -------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.Account"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = AUTH_LOGOUT_URL or "sign-in"
PASSWORD_HASHERS = ["accounts.hashers.PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

PASSWORD_RESET_TIMEOUT = 24 * 3600  # of all links that accounts/links.py makes

# --- Mail: none without EMAIL_URL ---------------------------------------------------------------

SENDS_MAIL = "EMAIL_BACKEND" in mail
if SENDS_MAIL:
    EMAIL_BACKEND = mail["EMAIL_BACKEND"]
    EMAIL_HOST, EMAIL_PORT = mail["EMAIL_HOST"], mail["EMAIL_PORT"]
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = mail["EMAIL_HOST_USER"] or "", mail["EMAIL_HOST_PASSWORD"] or ""
    EMAIL_USE_TLS, EMAIL_USE_SSL = mail["EMAIL_USE_TLS"], mail["EMAIL_USE_SSL"]
    EMAIL_FILE_PATH = mail["EMAIL_FILE_PATH"]
    if EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend":
        EMAIL_BACKEND = "accounts.mail.PromptBackend"
EMAIL_TIMEOUT = 5  # seconds for a whole mail: the request waits
DEFAULT_FROM_EMAIL = EMAIL_FROM

# --- Language and files -------------------------------------------------------------------------

LANGUAGE_CODE = "en"  # of the API, the tools, the admin and commands; screens and mails: fitness.web.language
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("es", "Español"), ("fr", "Français")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"  # screens are in that of their account: fitness.middleware.Localization
USE_TZ = True
FORMAT_MODULE_PATH = "fitness.formats"
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"  # belongs to the code, not to the data
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "fitness.web.staticfiles.CollectedFiles"},
}

# --- The API ------------------------------------------------------------------------------------

MAX_BODY_BYTES = 262_144
MAX_UPLOAD_BYTES = 21_000_000  # of a form with a file to import, which may have 20 MB
MAX_LARGE_UPLOAD_BYTES = 501_000_000  # of one with the export of a health app, at an address of its own
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES
REST_FRAMEWORK = {  # in which order they are applied: fitness/api/viewsets.py
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.api.authentication.KeyAuthentication"],
    "DEFAULT_THROTTLE_CLASSES": ["fitness.api.rate_limits.KeyThrottle"],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.api.permissions.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["fitness.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["fitness.api.renderers.OrjsonRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "fitness.api.renderers.IgnoreClientContentNegotiation",
    "DEFAULT_SCHEMA_CLASS": "fitness.api.schema.ApiSchema",
    "EXCEPTION_HANDLER": "fitness.api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
}

SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Fitness tracking service",
    "VERSION": __version__,
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_NO_READ_ONLY_REQUIRED": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SCHEMA_PATH_PREFIX_TRIM": True,
    "SERVERS": [{"url": f"{PUBLIC_URL}/api/v1"}],
    "SORT_OPERATIONS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "PREPROCESSING_HOOKS": ["fitness.api.schema.only_the_api"],
    "POSTPROCESSING_HOOKS": ["fitness.api.schema.describe"],
}

# --- Logs ---------------------------------------------------------------------------------------

if environment.is_for_person and LOG_LEVEL == "INFO":  # a command says itself what it does
    LOG_LEVEL = "WARNING"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request": {"()": "fitness.logs.RequestFields"},
        "brief": {"()": "fitness.logs.BriefTracebacks"},
        "without_503": {"()": "fitness.logs.WithoutUnavailable"},
        "once_a_minute": {"()": "fitness.logs.OnceAMinute"},
        "redact": {"()": "fitness.logs.RedactKeys"},
    },
    "formatters": {
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "fmt": ["asctime", "levelname", "name", "message"],
            "rename_fields": {"asctime": "at", "levelname": "level", "name": "logger"},
        }
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "json",
            "filters": ["request", "brief", "redact"],
        }
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
        # fitness.middleware logs one line for each request; these would repeat it.
        "django.request": {"level": "ERROR", "filters": ["without_503"]},
        "django.server": {"handlers": [], "level": "ERROR", "propagate": True},
        "django.security.DisallowedHost": {"filters": ["once_a_minute"]},
    },
}

"""What staff may reach and change: every address of the admin, tried by every role."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from urllib.parse import quote

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import URLResolver, reverse

import fitness.urls  # noqa: F401  (loads the pages)
from accounts import staff
from accounts.audit import AuditEvent, Event
from accounts.invitations import Invitation
from accounts.key_days import KeyDay
from accounts.models import Account, ApiKey, OAuthClient
from accounts.sessions import Session
from fitness.days import today
from fitness.management.commands import seed_demo
from fitness.web.admin import name_of_filter
from tests.accounts.patterns import KEY
from tests.conftest import freshly_signed_in
from tests.factories import PASSWORD, AccountFactory
from tests.html import text
from training.models import own_exercise

PAGES = ("changelist", "change", "history")
REDIRECTS = {"login", "password_change", "training_exercise_import", "accounts_account_end-task"}
OPEN_TO_STAFF = {"index", "login", "password_change", "password_change_done", "jsi18n"}
# The names of the addresses that each role reaches besides these. Any other is 403: a new page is, too.
REACHED = {
    "Keys": {
        "accounts_apikey_accounts",
        *(f"accounts_apikey_{page}" for page in (*PAGES, "add", "revoke", "csv")),
        *(f"accounts_oauthclient_{page}" for page in (*PAGES, "csv")),
    },
    "Catalogue": {
        f"training_exercise_{page}" for page in (*PAGES, "add", "merge", "upload", "import", "offers", "take")
    },
    "Support": {
        "auth_user_password_change",
        *(f"accounts_account_{page}" for page in (*PAGES, "deactivate", "reactivate", "end-task", "csv")),
        *(f"accounts_account_{step}" for step in ("reset-link", "mail-reset-link", "reset-factors")),
    },
    "Auditor": {f"accounts_auditevent_{page}" for page in (*PAGES, "csv")},
    "no role": set(),
}
# What a POST without a body does. Whoever reaches it may.
STEPS = {
    "accounts_apikey_revoke",
    *(f"accounts_account_{step}" for step in ("deactivate", "reactivate", "reset-factors")),
    *(f"accounts_account_{step}" for step in ("reset-link", "mail-reset-link")),
}
WRITTEN_BY_ANY_REQUEST = {AuditEvent, LogEntry, Session}


def addresses(patterns=None, prefix="/admin/"):
    """(name, route) of every address of the admin. Django's redirects to "change" have no name."""
    for entry in patterns or admin.site.get_urls():
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry.url_patterns, route)
        elif entry.name not in ("logout", "app_list"):
            yield entry.name, route


@pytest.fixture
def paths(account):
    """(name, path) of every address, with the id of a record of the account where it takes one."""
    seed_demo.seed("demo@example.org", today(), 20, PASSWORD)
    _, key = account.issue_key("phone", "read", "never")
    KeyDay.objects.create(account=account, api_key=key, day=today(), requests=1, writes=0, refusals=0)
    Invitation.objects.invite("friend@example.org")
    OAuthClient.objects.create(client_id="x", name="Claude", redirect_uris=["https://claude.ai/"])

    def path(route):
        if "<" in route and "(" not in route:
            return re.sub(r"<.+>", pk_at(route, account), route)
        return route.replace("(?P<url>.*)$", "no/such/page")

    offered = own_exercise.make(account, "Thing Zzz", "Legs", "Machine")
    own_exercise.offer(offered)
    take = {"training_exercise_take": f"/admin/training/exercise/offers/{offered.pk}/"}
    return [(name, take.get(name) or path(route)) for name, route in addresses()]


def pk_at(path, account):
    """The id of a record of the model whose pages begin so, of the account if it is one of accounts."""
    records = apps.get_model(*path.split("/")[2:4])._default_manager
    return str(account.pk if records.model is Account else records.values_list("pk", flat=True)[0])


def member_of(role):
    """A member of staff in a role; or a superuser, or one with every permission, or one with none."""
    member = AccountFactory(email=f"{role.replace(' ', '-').lower()}@example.org", is_staff=True)
    member.is_superuser = role == "superuser"
    member.save()
    if role == "every permission":
        member.user_permissions.set(Permission.objects.all())
    member.groups.set(Group.objects.filter(name=role))
    return member


def rows():
    """All rows of the database but those that any request writes."""
    models = set(apps.get_models(include_auto_created=True)) - WRITTEN_BY_ANY_REQUEST
    return {model: list(model._base_manager.order_by("pk").values_list()) for model in models}


def refused():
    return AuditEvent.objects.filter(event=Event.REFUSED)


# --- Every address ---------------------------------------------------------------------------------


@pytest.fixture
def browser(paths, role):
    """One in which somebody of a role is signed in."""
    return freshly_signed_in(member_of(role))


@pytest.mark.parametrize("role", REACHED)
def test_pages_beyond_a_role_are_403_and_its_own_lead_to_none(browser, paths, role):
    def expected(name, path):
        if name is None:
            return 404 if path.endswith("page") else 302
        if name not in OPEN_TO_STAFF | REACHED[role]:
            return 403
        return 302 if name in REDIRECTS else 200

    answers = {path: browser.get(path) for _, path in paths}
    statuses = {path: answer.status_code for path, answer in answers.items()}
    assert statuses == {path: expected(name, path) for name, path in paths}
    assert refused().count() == list(statuses.values()).count(403)

    own = [path for name, path in paths if name in REACHED[role] - REDIRECTS and not path.endswith("csv/")]
    links = {link for path in own for link in re.findall(r'href="(/admin/[^"?#]*)', text(answers[path]))}
    assert {
        link for link in links - statuses.keys() if browser.get(link).status_code not in (200, 302)
    } == set()
    assert {statuses[link] for link in links & statuses.keys()} <= {200, 302}


@pytest.mark.parametrize("role", REACHED)
def test_nothing_beyond_a_role_is_changed(browser, paths, role, account):
    before, statuses = rows(), {}
    for name, path in paths:
        if name in REACHED[role] & STEPS:
            continue
        body = {"post": "yes", "is_active": "on", "name": "x", "id": "x", "email": "x@example.org"}
        if name and name.endswith("_changelist"):
            body |= {"action": "delete_selected", "_selected_action": [pk_at(path, account)]}
        statuses[name, path] = browser.post(path, body).status_code
    assert rows() == before
    open_pages = OPEN_TO_STAFF | REACHED[role] | {None}
    beyond = {path: status for (name, path), status in statuses.items() if name not in open_pages}
    assert [path for path, status in beyond.items() if status not in (403, 405)] == []
    assert refused().count() == list(statuses.values()).count(403)
    assert max(statuses.values()) < 500


@pytest.mark.parametrize("role", [None, "member"])
def test_who_is_not_staff_is_asked_to_sign_in(paths, page, role):
    browser = page if role else Client()
    before = rows()
    for name, path in paths:
        for response in (browser.get(path), browser.post(path)):
            is_asked = response.status_code == 302 and "/admin/login/" in response.headers["Location"]
            assert is_asked is (name != "login"), path
    assert rows() == before


def test_a_superuser_opens_every_page_that_anybody_does(paths):
    """On each database, as the tests above are about pages."""
    browser = freshly_signed_in(member_of("superuser"))
    statuses = {name: browser.get(path).status_code for name, path in paths if name}
    assert {statuses[name] for names in REACHED.values() for name in names - REDIRECTS} == {200}
    assert set(statuses.values()) == {200, 302, 403}  # 403: what nobody adds or deletes


def test_indexes_show_what_a_role_opens(db):
    browser = freshly_signed_in(member_of("Keys"))
    assert "API keys" in text(browser.get("/admin/accounts/"))
    assert "Audit events" not in text(browser.get("/admin/accounts/"))
    assert browser.get("/admin/training/").status_code == 404


SECRETS = (
    "sessions__session_key",
    "password",
    "birth_date",
    "digest",
    "session_data",
    "id",
    "account__email",
)


@pytest.mark.parametrize("model", list(admin.site._registry), ids=lambda model: model._meta.label)
def test_lists_filter_by_what_they_offer_alone(root, model):
    """By filters of other columns somebody would find out, bit by bit, what no page shows."""
    model_admin = admin.site._registry[model]
    assert not [name for name in SECRETS if model_admin.lookup_allowed(f"{name}__startswith", "a")]


@pytest.mark.parametrize(
    "query",
    ["sessions__session_key__startswith=a", "birth_date__gte=1990-01-01", "password__startswith=pbkdf2"],
)
def test_support_finds_out_nothing_by_filters(account, query):
    browser = freshly_signed_in(member_of("Support"))
    for page in ("changelist", "csv"):
        assert browser.get(f"{reverse(f'admin:accounts_account_{page}')}?{query}").status_code == 400


@pytest.mark.parametrize("value", ["abc", "", "99999999999", "%00"])
def test_odd_values_of_a_filter_are_no_fault(root, value):
    for page in ("changelist", "csv"):
        address = f"{reverse(f'admin:accounts_account_{page}')}?signed_in={value}"
        assert freshly_signed_in(root).get(address).status_code < 500


ODD_IDS = ["", "abc", "-1", "1e5", "é", "9" * 30, "x" * 300, "\0", "a\0b", "_00"]
OF_NOTHING = ["2147483647", "00000000-0000-0000-0000-000000000000", "no-such-exercise"]


@pytest.mark.parametrize("model", list(admin.site._registry), ids=lambda model: model._meta.label)
def test_odd_rows_of_an_action_are_no_fault(root, model):
    browser, address = freshly_signed_in(root), reverse(f"admin:{model._meta.db_table}_changelist")
    form = browser.get(address).context["action_form"]
    for action in [name for name, _ in form.fields["action"].choices] if form else [""]:
        for odd in [*ODD_IDS, *OF_NOTHING]:
            for confirmed in ({}, {"confirmed": "yes", "post": "yes"}):
                body = {"action": action, "_selected_action": [odd], **confirmed}
                assert browser.post(address, body).status_code in (200, 302, 400)
    assert Account.objects.filter(pk=root.pk).exists()


@pytest.mark.parametrize("model", list(admin.site._registry), ids=lambda model: model._meta.label)
def test_odd_ids_in_addresses_are_no_fault(root, model):
    browser, pages = freshly_signed_in(root), f"/admin/{model._meta.label_lower.replace('.', '/')}/<"
    methods = cycle([browser.get, browser.post])
    for route in [route for _, route in addresses() if route.startswith(pages)]:
        for odd in [*ODD_IDS, *OF_NOTHING]:
            path = re.sub(r"<.+>", quote(odd, safe=""), route)
            status = next(methods)(path).status_code
            assert status in ({404} if "\0" in odd else {302, 403, 404}), path


@pytest.mark.parametrize("model", list(admin.site._registry), ids=lambda model: model._meta.label)
def test_a_nul_in_the_parameters_of_a_list_is_refused(root, model):
    browser, address = freshly_signed_in(root), reverse(f"admin:{model._meta.db_table}_changelist")
    for name in [*map(name_of_filter, admin.site._registry[model].list_filter), "q", "p", "o", "e"]:
        for lookup in (name, f"{name}__exact"):
            assert browser.get(f"{address}?{lookup}=%00").status_code == 400


def test_an_odd_account_of_a_key_is_an_error_of_the_form(root):
    address = reverse("admin:accounts_apikey_add")
    assert freshly_signed_in(root).get(f"{address}?account=abc").status_code == 200
    answer = freshly_signed_in(root).post(address, {"account": "abc", "name": "x", "scope": "read"})
    assert "errorlist" in text(answer)


def test_a_damaged_stamp_is_no_fault(root, account):
    values = {"email": account.email, "goal": "cut", "units": "kg"}
    for stamp in ("\0", "a", "a:b:c", ":"):
        assert freshly_signed_in(root).post(page_of(account), {**values, "stamp": stamp}).status_code in (
            200,
            302,
        )


# --- The rules -------------------------------------------------------------------------------------


@pytest.fixture
def root(db):
    return Account.objects.create_superuser("root@example.org", PASSWORD)


def page_of(account, page="accounts_account_change"):
    return reverse(f"admin:{page}", args=[account.pk])


def attempt(member, root):
    """{what a member of staff tries: the address, and what is posted}."""
    _, key = root.issue_key("phone", "read", "never")
    everything = {"email": member.email, "is_active": "on", "is_staff": "on", "is_superuser": "on"}
    password = {"password1": "blue horse 77", "password2": "blue horse 77", "usable_password": "true"}
    wish = {"account": root.pk, "name": "x", "scope": "read", "expires": "90d", "newest_key": key.pk}
    chosen = {"action": "delete_selected", "_selected_action": [root.pk], "post": "yes"}
    return {
        "promote themselves": (page_of(member), everything),
        "set a superuser's password": (page_of(root, "auth_user_password_change"), password),
        "change a superuser's email": (page_of(root), {"email": "mine@example.org", "is_active": "on"}),
        "deactivate a superuser": (page_of(root, "accounts_account_deactivate"), {}),
        "delete a superuser": (page_of(root, "accounts_account_delete"), {"post": "yes"}),
        "delete a superuser by action": (reverse("admin:accounts_account_changelist"), chosen),
        "issue a superuser's key": (reverse("admin:accounts_apikey_add"), wish),
        "revoke a superuser's key": (
            reverse("admin:accounts_apikey_changelist"),
            {"action": "revoke_keys", "_selected_action": [key.pk], "confirmed": "yes"},
        ),
    }


@pytest.mark.parametrize("role", [*REACHED, "every permission"])
def test_staff_are_changed_by_superusers_alone(root, role):
    member = member_of(role)
    attempts, browser = attempt(member, root), freshly_signed_in(member)
    before = rows()
    assert {tried: browser.post(*attempts[tried]).status_code for tried in attempts} == dict.fromkeys(
        attempts, 403
    )
    assert rows() == before
    events = refused().order_by("pk")
    assert {(event.actor, event.actor_email) for event in events} == {(member, member.email)}
    for (address, _), event in zip(attempts.values(), events, strict=True):
        assert address in event.detail


@pytest.mark.parametrize("field", staff.RIGHTS)
def test_nobody_but_superusers_gives_rights(root, account, field):
    browser = freshly_signed_in(member_of("every permission"))
    assert f'name="{field}"' not in text(browser.get(page_of(account)))
    assert browser.post(page_of(account), {"is_active": "on", field: "1"}).status_code == 403
    assert "Rights are given by superusers alone." in refused().get().detail
    assert browser.post(reverse("admin:auth_group_add"), {"name": "mine"}).status_code == 403


@pytest.mark.parametrize(
    "values",
    [{}, {"is_staff": "on"}, {"is_superuser": "on"}],
    ids=["all", "superuser", "staff"],
)
def test_the_last_active_superuser_stays(root, values):
    Account.objects.create_superuser("retired@example.org", PASSWORD, is_active=False)
    browser = freshly_signed_in(root)
    profile = {"email": root.email, "goal": "cut", "units": "kg"}
    answer = browser.post(page_of(root), {**profile, **values})
    assert answer.status_code == 403
    root.refresh_from_db()
    assert root.is_active
    assert root.is_superuser
    assert refused().get().account == root


def test_one_of_two_superusers_may_give_the_right_up(root):
    Account.objects.create_superuser("second@example.org", PASSWORD)
    values = {"email": root.email, "goal": "cut", "units": "kg", "is_active": "on", "is_staff": "on"}
    assert freshly_signed_in(root).post(page_of(root), values).status_code == 302
    assert not Account.objects.get(pk=root.pk).is_superuser
    event = AuditEvent.objects.get(event=Event.RIGHTS_CHANGED)
    assert (event.account, event.actor, event.detail) == (root, root, "is_superuser: True → False")


@pytest.mark.skipif(settings.SQLITE, reason="a transaction is the only writer anyway")
def test_two_superusers_cannot_demote_each_other_at_once(transactional_db):
    emails, barrier = ["one@example.org", "two@example.org"], threading.Barrier(2)

    def demote(browser, other):
        values = {"email": other.email, "goal": "cut", "units": "kg", "is_active": "on"}
        barrier.wait()
        try:
            return browser.post(page_of(other), values).status_code
        finally:
            connection.close()

    for _ in range(10):
        Account.objects.filter(email__in=emails).delete()
        one, two = (Account.objects.create_superuser(email, PASSWORD) for email in emails)
        with ThreadPoolExecutor(2) as pool:
            statuses = list(pool.map(demote, [freshly_signed_in(one), freshly_signed_in(two)], [two, one]))
        assert Account.objects.filter(is_superuser=True).count() == 1, statuses


def test_nobody_deactivates_or_deletes_their_own_account(root):
    Account.objects.create_superuser("second@example.org", PASSWORD)
    browser = freshly_signed_in(root)
    chosen = {"action": "delete_selected", "_selected_action": [root.pk], "post": "yes"}
    for path, body in [
        (page_of(root, "accounts_account_deactivate"), {}),
        (page_of(root, "accounts_account_delete"), {"post": "yes"}),
        (reverse("admin:accounts_account_changelist"), chosen),
    ]:
        assert browser.post(path, body).status_code == 403
    assert browser.get(page_of(root, "accounts_account_delete")).status_code == 403
    assert Account.objects.get(pk=root.pk).is_active
    assert refused().count() == 4


def test_the_last_superuser_does_not_delete_their_account_in_the_settings_either(root):
    answer = freshly_signed_in(root).post(reverse("delete-account"), {"password": PASSWORD})
    assert answer.status_code == 403
    assert "The last active superuser stays." in text(answer)
    Account.objects.create_superuser("second@example.org", PASSWORD)
    freshly_signed_in(root).post(reverse("delete-account"), {"password": PASSWORD})
    assert not Account.objects.filter(pk=root.pk).exists()


# --- The roles -------------------------------------------------------------------------------------


def test_support_deactivates_reactivates_and_sets_passwords_and_nothing_else(account):
    member = member_of("Support")
    browser = freshly_signed_in(member)
    browser.post(page_of(account), {"email": "another@example.org", "display_name": "x", "height_cm": "180"})
    account.refresh_from_db()
    assert (account.email, account.display_name, account.height_cm) == ("lifter@example.org", "Lifter", None)
    assert account.is_active
    browser.post(page_of(account, "accounts_account_deactivate"))
    account.refresh_from_db()
    assert not account.is_active
    browser.post(page_of(account, "accounts_account_reactivate"))
    password = {"password1": "blue horse 77", "password2": "blue horse 77", "usable_password": "true"}
    browser.post(page_of(account, "auth_user_password_change"), password)
    account.refresh_from_db()
    assert account.is_active
    assert account.check_password("blue horse 77")
    events = AuditEvent.objects.filter(account=account, actor=member).order_by("at")
    assert [event.event for event in events] == [
        *(Event.ACCOUNT_DEACTIVATED, Event.ACCOUNT_REACTIVATED, Event.PASSWORD_SET_BY_STAFF),
    ]


def test_keys_are_issued_by_who_sees_emails_only(account, root):
    AccountFactory(email="gone@example.org", is_active=False)
    browser = freshly_signed_in(member_of("Keys"))
    offered = browser.get(reverse("admin:accounts_apikey_accounts"), {"term": "EXAMPLE"}).json()
    assert offered == {
        "results": [{"id": str(account.pk), "text": account.email}],
        "pagination": {"more": False},
    }
    assert reverse("admin:accounts_apikey_accounts") in text(
        browser.get(reverse("admin:accounts_apikey_add"))
    )
    wish = {"account": account.pk, "name": "x", "scope": "read", "expires": "90d", "newest_key": 0}
    assert KEY.search(text(browser.post(reverse("admin:accounts_apikey_add"), wish)))
    assert account.api_keys.get().issued_by_staff


def test_superusers_issue_keys_for_staff(root):
    member = member_of("Auditor")
    offered = freshly_signed_in(root).get(reverse("admin:accounts_apikey_accounts")).json()["results"]
    assert {one["text"] for one in offered} == {root.email, member.email}


def test_no_key_is_issued_for_an_inactive_account(admin_page, account):
    Account.objects.filter(pk=account.pk).update(is_active=False)
    wish = {"account": account.pk, "name": "x", "scope": "read", "expires": "90d", "newest_key": 0}
    assert admin_page.post(reverse("admin:accounts_apikey_add"), wish).status_code == 403
    assert not ApiKey.objects.exists()
    assert refused().get().account == account


def test_roles_keep_what_staff_changed_in_them(db):
    keys = Group.objects.get(name="Keys")
    keys.permissions.clear()
    Group.objects.get(name="Auditor").delete()
    call_command("migrate", verbosity=0)
    assert not keys.permissions.exists()
    assert Group.objects.get(name="Auditor").permissions.get().codename == "view_auditevent"
    assert Group.objects.count() == 4


def test_permissions_without_an_effect_are_not_offered(db):
    offered = {f"{one.content_type.app_label}.{one.codename}" for one in admin.site.permissions_with_effect()}
    for app, codenames in staff.ROLES.values():
        assert offered >= {f"{app}.{codename}" for codename in codenames}
    assert {"accounts.change_invitation", "training.view_workout", "accounts.delete_account"} <= offered
    assert not offered & {"training.change_workout", "auth.change_group", "admin.view_logentry"}
    assert not offered & {"accounts.delete_apikey", "training.delete_exercise", "nutrition.change_food"}


def test_pickers_offer_permissions_with_an_effect(admin_page, account):
    for path in (reverse("admin:auth_group_add"), page_of(account)):
        page = text(admin_page.get(path))
        assert "Can view workout" in page
        assert "Can change workout" not in page


def test_a_changed_role_is_audited(admin_page):
    group = Group.objects.get(name="Auditor")
    admin_page.post(reverse("admin:auth_group_change", args=[group.pk]), {"name": "Auditors"})
    event = AuditEvent.objects.get(event=Event.RIGHTS_CHANGED)
    assert "name: Auditor → Auditors" in event.detail
    assert event.actor_email == "root@example.org"
    admin_page.post(reverse("admin:auth_group_delete", args=[group.pk]), {"post": "yes"})
    assert AuditEvent.objects.filter(detail="group Auditors\ndeleted").exists()

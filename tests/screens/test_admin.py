"""The admin in a real browser: a key issued by touch, and that every page can be read.

The console must stay empty, as that of every screen.
"""

import json
from urllib.parse import urlencode

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.urls import reverse

import fitness.urls  # noqa: F401  (loads the pages)
from accounts.audit import AuditEvent
from accounts.invitations import Invitation
from accounts.key_days import KeyDay
from accounts.models import Account, OAuthClient
from fitness.days import today
from fitness.management.commands import seed_demo
from tests.accounts.patterns import KEY
from tests.factories import PASSWORD, AccountFactory
from tests.screens.browser import DESKTOP, PHONE, expect, in_browser, overflow, violations
from tests.screens.conftest import messages_of
from tests.training.test_import_exercises import entry

pytestmark = in_browser


@pytest.fixture
def issuer(transactional_db):
    """A member of staff who may issue keys, and nothing else."""
    member = AccountFactory(email="staff@example.org", is_staff=True)
    member.groups.add(Group.objects.get(name="Keys"))
    return member


def test_a_key_is_issued_by_touch_alone_by_who_may_do_nothing_else(chromium, live_server, sign_in, issuer):
    AccountFactory(email="lifter@example.org")
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    context = chromium.new_context(base_url=live_server.url, **phone)
    messages = []
    screen = context.new_page()
    screen.on("console", lambda message: messages.append(message.text))
    sign_in(issuer, screen).goto("/admin/accounts/apikey/add/")
    screen.locator(".select2-selection").first.tap()
    screen.get_by_role("searchbox").fill("lifter")
    screen.get_by_role("option", name="lifter@example.org").tap()
    screen.get_by_label("Name").fill("phone")
    screen.get_by_role("button", name="Save").tap()
    assert KEY.fullmatch(screen.locator("pre code").text_content())
    assert messages == []
    context.close()


# --- Every page ------------------------------------------------------------------------------------


@pytest.fixture
def full(transactional_db):
    """Paths of every kind of page, with rows in them, and a superuser."""
    root = Account.objects.create_superuser("root@example.org", PASSWORD)
    lifter = seed_demo.seed("ada.van-der-berg-schneider@example-company.org", today(), 20, PASSWORD)
    for name in ("Claude assistant on the laptop", "watch"):
        _, key = lifter.issue_key(name, "read_write", "1y")
        KeyDay.objects.create(account=lifter, api_key=key, day=today(), requests=12_345, writes=1, refusals=1)
    Invitation.objects.invite("friend-of-a-friend@example-company.org", root)
    address = "https://claude.ai/api/mcp/auth_callback"
    OAuthClient.objects.create(client_id="a" * 32, name="Claude", redirect_uris=[address])
    for number, event in enumerate(["signed in", "refused", "key created"]):
        AuditEvent.objects.create(
            event=event,
            account=lifter,
            email=lifter.email,
            actor=root,
            actor_email=root.email,
            address="2001:db8:85a3:1234:5678:8a2e:370:7334",
            key_hint=key.hint,
            detail=f"POST /admin/accounts/account/{lifter.pk}/password/ {number}",
        )
    for instance in (lifter, key):
        LogEntry.objects.log_actions(root.pk, [instance], 2, "Changed.")
    return root, list(paths_of(lifter, key))


def paths_of(account, key):
    yield "/admin/"
    yield "/admin/accounts/"
    for model in admin.site._registry:
        yield reverse(f"admin:{model._meta.db_table}_changelist")
        instance = account if model is Account else model._default_manager.first()
        yield reverse(f"admin:{model._meta.db_table}_change", args=[instance.pk])
    for name in ("accounts_account", "accounts_invitation", "auth_group", "training_exercise"):
        yield reverse(f"admin:{name}_add")
    issue = reverse("admin:accounts_apikey_add")
    yield from (issue, f"{issue}?account={account.pk}")
    for page in ("history", "delete", "deactivate", "revoke-keys", "reset-link"):
        yield reverse(f"admin:accounts_account_{page}", args=[account.pk])
    yield reverse("admin:auth_user_password_change", args=[account.pk])
    for page in ("history", "revoke"):
        yield reverse(f"admin:accounts_apikey_{page}", args=[key.pk])
    yield reverse("admin:training_exercise_history", args=["barbell-bench-press"])  # empty
    merge = reverse("admin:training_exercise_merge", args=["machine-chest-press"])
    yield from (merge, f"{merge}?kept=barbell-bench-press", reverse("admin:training_exercise_upload"))
    events = reverse("admin:accounts_auditevent_changelist")
    yield f"{events}?{urlencode({'q': account.email, 'at_from': '2026-01-01', 'event__exact': 'refused'})}"


def problems_of(screen):
    """What does not fit on the page that is open, on a desktop and on a phone, and what axe finds there.

    A phone scrolls what is too wide for it, and shows all but the heads of tables at the desk.
    """
    for viewport, wrong, what in ((DESKTOP, "cuts", CUT_COLUMNS), (PHONE, "is small", SMALL_TARGETS)):
        screen.set_viewport_size(viewport)
        if overflow(screen):
            yield screen.url, "is wider than the window"
        yield from ((screen.url, wrong, one) for one in screen.evaluate(what))
        if viewport == PHONE or screen.locator(".desk thead").count():
            for one in violations(screen):
                yield screen.url, one["id"], one["nodes"][0]["html"]


CUT_COLUMNS = """[...document.querySelectorAll("#result_list thead th, .desk thead th")].filter((cell) => {
        const edge = cell.closest(".results, .wide").getBoundingClientRect().right;
        return cell.getBoundingClientRect().right > edge + 1;
    }).map((cell) => cell.innerText)"""
# Without what select2 has replaced, and the boxes that hide behind their labels.
SMALL_TARGETS = """[...document.querySelectorAll(
        "a, button, select:not(.select2-hidden-accessible), summary, input:not([type=hidden])")]
    .filter((target) => target.checkVisibility({visibilityProperty: true}))
    .filter((target) => Math.min(target.offsetWidth, target.offsetHeight) < 24)
    .map((target) => target.outerHTML.slice(0, 200))"""


def test_every_page_can_be_read_and_touched_and_leaves_nothing_in_the_console(
    chromium, live_server, sign_in, full
):
    root, paths = full
    context = chromium.new_context(base_url=live_server.url, reduced_motion="reduce")
    screen = sign_in(root, context.new_page())
    messages = messages_of(screen)
    found = []
    for path in paths:
        assert screen.goto(path).status == 200, path
        found += [(path, message) for message in messages]
        found += problems_of(screen)
        messages.clear()  # axe leaves some where it reads colours
    content = json.dumps([entry(), entry("Star Walk"), entry("Split Squats", equipment="body only")]).encode()
    screen.goto(reverse("admin:training_exercise_upload"))
    file = {"name": "exercises.json", "mimeType": "application/json", "buffer": content}
    screen.get_by_label("File").set_input_files(file)
    screen.get_by_role("button", name="Preview").click()
    expect(screen.get_by_text("3 entries: 2 added")).to_be_visible()
    found += problems_of(screen)
    screen.goto(f"{reverse('admin:training_exercise_changelist')}?q=ohp")
    screen.get_by_label("Action:").select_option(label="Retire the selected exercises")
    screen.locator("tbody input.action-select").first.check()
    screen.get_by_role("button", name="Go", exact=True).click()
    expect(screen.get_by_text("This concerns 1 exercise:")).to_be_visible()
    found += problems_of(screen)
    context.clear_cookies()
    screen.goto("/admin/login/")
    found += problems_of(screen)
    context.close()
    assert found == []

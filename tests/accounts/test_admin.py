import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from accounts.models import Account
from accounts.sign_in_limits import MAX_FAILURES
from tests.accounts.patterns import KEY
from tests.conftest import ApiClient

ACCOUNTS = reverse("admin:accounts_account_changelist")
KEYS = reverse("admin:accounts_apikey_changelist")
ADD_KEY = reverse("admin:accounts_apikey_add")


def text(response):
    return response.content.decode()


def issue(admin_page, account, newest_key=0):
    wish = {"name": "phone", "scope": "read", "expires": "90d", "newest_key": newest_key}
    return admin_page.post(ADD_KEY, {"account": account.pk, **wish})


def test_only_staff_can_open_the_admin(page, admin_page):
    assert page.get(KEYS).status_code == 302
    assert "Fitness administration" in text(admin_page.get(KEYS))


def test_the_admin_locks_like_the_sign_in_page(account):
    Account.objects.update(is_staff=True)
    form = {"username": account.email, "password": "wrong"}
    client = Client()
    for _ in range(MAX_FAILURES):
        client.post(reverse("admin:login"), form)
    page = text(client.post(reverse("admin:login"), {**form, "password": "correct horse"}))
    assert "Too many failed attempts" in page


def test_accounts_are_found_by_email_and_name(admin_page, account, stranger):
    for word in ["lifter@", "Lifter"]:
        page = text(admin_page.get(ACCOUNTS, {"q": word}))
        assert account.email in page
        assert stranger.email not in page


def test_an_account_added_here_has_a_hashed_password_and_a_normalized_email(admin_page):
    form = {"email": "New@Example.org", "password1": "blue horse 77", "password2": "blue horse 77"}
    admin_page.post(reverse("admin:accounts_account_add"), {**form, "usable_password": "true"})
    assert Account.objects.get(email="new@example.org").check_password("blue horse 77")


def test_an_account_is_edited_without_touching_its_password(admin_page, account):
    address = reverse("admin:accounts_account_change", args=[account.pk])
    assert account.password not in text(admin_page.get(address))
    profile = {"display_name": "Ada", "goal": "cut", "units": "lb"}
    admin_page.post(address, {"email": account.email, "is_active": "on", **profile})
    account.refresh_from_db()
    assert account.display_name == "Ada"
    assert account.check_password("correct horse")


def test_a_key_issued_here_works_and_is_shown_once(admin_page, account):
    response = issue(admin_page, account)
    key = KEY.search(text(response)).group()
    assert ApiClient(key).get("/workouts").status_code == 200
    assert "no-store" in response.headers["Cache-Control"]
    record = account.api_keys.get()
    for address in [KEYS, reverse("admin:accounts_apikey_change", args=[record.pk])]:
        assert key not in text(admin_page.get(address))
        assert record.digest not in text(admin_page.get(address))


def test_a_key_issued_here_is_in_no_log_session_or_message(admin_page, account):
    response = issue(admin_page, account)
    key = KEY.search(text(response)).group()
    entry = LogEntry.objects.get()
    assert entry.object_id == str(account.api_keys.get().pk)
    assert key not in entry.object_repr + entry.change_message
    assert all(key not in str(session.get_decoded()) for session in Session.objects.all())
    assert key not in str(response.cookies)


def test_one_form_issues_one_key(admin_page, account):
    issue(admin_page, account)
    assert issue(admin_page, account).headers["Location"] == KEYS
    assert account.api_keys.count() == 1


def test_the_eleventh_key_is_an_error_of_the_form(admin_page, account):
    for _ in range(10):
        _, newest = account.issue_key("key", "read", "never")
    assert "An account can hold 10 active keys." in text(issue(admin_page, account, newest.pk))


def test_issuing_needs_the_right_to_add(account, client):
    Account.objects.update(is_staff=True)
    client.force_login(account)
    assert issue(client, account).status_code == 403


def test_selected_keys_are_revoked_and_logged(admin_page, account):
    key, record = account.issue_key("phone", "read", "never")
    admin_page.post(KEYS, {"action": "revoke", "_selected_action": [record.pk]})
    assert ApiClient(key).get("/workouts").status_code == 401
    assert LogEntry.objects.get().change_message == "Revoked."


def test_a_key_is_neither_edited_nor_deleted(admin_page, account):
    _, record = account.issue_key("phone", "read", "never")
    arguments = [record.pk]
    assert admin_page.post(reverse("admin:accounts_apikey_delete", args=arguments)).status_code == 403
    assert admin_page.post(reverse("admin:accounts_apikey_change", args=arguments)).status_code == 403


@pytest.mark.parametrize(
    ("state", "found"), [("active", True), ("expired", False), ("revoked", False), ("", True)]
)
def test_keys_are_filtered_by_state_and_searched(admin_page, account, state, found):
    account.issue_key("phone", "read", "90d")
    page = text(admin_page.get(KEYS, {"state": state, "q": "lifter"}))
    assert ("svc_" in page) is found


def test_markup_in_names_is_inert(admin_page, account):
    account.issue_key("<script>alert(1)</script>", "read", "never")
    assert "<script>alert(1)" not in text(admin_page.get(KEYS))

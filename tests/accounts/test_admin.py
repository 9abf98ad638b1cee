from urllib.parse import urlencode

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account
from accounts.sessions import Session
from tests.accounts.patterns import KEY
from tests.accounts.people import KEY_WISH, NEW_PASSWORD, SET_BY_STAFF
from tests.conftest import ApiClient
from tests.factories import PASSWORD
from tests.html import text

ACCOUNTS = reverse("admin:accounts_account_changelist")
KEYS = reverse("admin:accounts_apikey_changelist")
ADD_KEY = reverse("admin:accounts_apikey_add")


def issue(admin_page, account, newest_key=0):
    return admin_page.post(ADD_KEY, {"account": account.pk, **KEY_WISH, "newest_key": newest_key})


def test_only_staff_can_open_the_admin(page, admin_page):
    assert page.get(KEYS).status_code == 302
    assert "Fitness administration" in text(admin_page.get(KEYS))


def test_the_admin_leads_to_the_sign_in_and_takes_no_password_itself(account):
    Account.objects.update(is_staff=True)
    client = Client()
    answer = client.post(
        reverse("admin:login") + "?next=/admin/accounts/",
        {"username": account.email, "password": "correct horse"},
    )
    assert answer.headers["Location"] == "/sign-in?next=/admin/accounts/"
    assert "_auth_user_id" not in client.session


def test_the_login_of_the_admin_is_closed_to_members_who_are_signed_in(page):
    """A redirect to the sign-in would lead back: they are signed in."""
    answer = page.get("/admin/", follow=True)
    assert (answer.status_code, len(answer.redirect_chain)) == (403, 1)


def test_accounts_are_found_by_email_and_name(admin_page, account, stranger):
    for word in ["lifter@", "Lifter"]:
        page = text(admin_page.get(ACCOUNTS, {"q": word}))
        assert account.email in page
        assert stranger.email not in page


def test_an_account_added_here_has_a_hashed_password_and_a_normalized_email(admin_page):
    admin_page.post(reverse("admin:accounts_account_add"), {"email": "New@Example.org", **SET_BY_STAFF})
    assert Account.objects.get(email="new@example.org").check_password(NEW_PASSWORD)


def test_an_account_is_edited_without_touching_its_password(admin_page, account):
    address = reverse("admin:accounts_account_change", args=[account.pk])
    assert account.password not in text(admin_page.get(address))
    profile = {"display_name": "Ada", "goal": "cut", "units": "lb"}
    admin_page.post(address, {"email": account.email, "is_active": "on", **profile})
    account.refresh_from_db()
    assert account.display_name == "Ada"
    assert account.check_password("correct horse")


def test_a_key_issued_here_works_is_shown_once_and_is_in_no_log_or_session(admin_page, account):
    response = issue(admin_page, account)
    key = KEY.search(text(response)).group()
    assert ApiClient(key).get("/workouts").status_code == 200
    assert "no-store" in response.headers["Cache-Control"]
    record = account.api_keys.get()
    for address in [KEYS, reverse("admin:accounts_apikey_change", args=[record.pk])]:
        assert key not in text(admin_page.get(address))
        assert record.digest not in text(admin_page.get(address))
    entry = LogEntry.objects.get()
    assert entry.object_id == str(record.pk)
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
    selected = {"action": "revoke_keys", "_selected_action": [record.pk]}
    question = text(admin_page.post(KEYS, selected))
    assert "This concerns 1 API key:" in question
    assert f"{record} of {account}" in question
    assert ApiClient(key).get("/workouts").status_code == 200
    admin_page.post(KEYS, {**selected, "confirmed": "Revoke keys"})
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


@pytest.mark.parametrize(
    "path",
    [
        "apikey/add/",
        "account/{pk}/password/",
        "account/{pk}/reset-link/",
        "account/{pk}/mail-reset-link/",
        "account/{pk}/reset-factors/",
    ],
)
def test_what_opens_an_account_needs_a_fresh_sign_in(client, account, path):
    client.force_login(Account.objects.create_superuser("root@example.org", PASSWORD))
    address = f"/admin/accounts/{path.format(pk=account.pk)}"
    for response in (client.get(address), client.post(address)):
        assert response.url == f"{reverse('confirm-password')}?{urlencode({'next': address})}"
    response = client.post(reverse("confirm-password"), {"password": PASSWORD, "next": address})
    assert response.url == address
    assert client.get(address).status_code == 200


def test_new_rights_end_the_sessions_of_an_account(admin_page, page, account):
    address = reverse("admin:accounts_account_change", args=[account.pk])
    form = admin_page.get(address).context["adminform"].form
    values = {name: form[name].value() for name in form.fields if form[name].value()}
    response = admin_page.post(address, {**values, "is_staff": "on"})
    assert response.status_code == 302, response.context["adminform"].form.errors
    assert page.get(reverse("profile")).status_code == 302
    assert admin_page.get(address).status_code == 200


def test_an_email_that_staff_change_is_not_confirmed(
    admin_page, account, mails, django_capture_on_commit_callbacks
):
    Account.objects.filter(pk=account.pk).update(email_confirmed_at=timezone.now())
    address = reverse("admin:accounts_account_change", args=[account.pk])
    form = admin_page.get(address).context["adminform"].form
    values = {name: form[name].value() for name in form.fields if form[name].value()}
    with django_capture_on_commit_callbacks(execute=True):
        admin_page.post(address, {**values, "email": "other@example.org"})
    changed = Account.objects.get(pk=account.pk)
    assert (changed.email, changed.email_confirmed_at) == ("other@example.org", None)
    assert mails() == [(account.email, "Your email has changed")]


def test_a_password_that_staff_set_ends_the_sessions_and_is_told(admin_page, page, account, mails):
    admin_page.post(reverse("admin:auth_user_password_change", args=[account.pk]), SET_BY_STAFF)
    assert not account.sessions.exists()
    assert mails() == [(account.email, "Your password has changed")]


def test_an_account_is_not_changed_without_a_fresh_sign_in(client, account):
    client.force_login(Account.objects.create_superuser("root@example.org", PASSWORD))
    address = reverse("admin:accounts_account_change", args=[account.pk])
    assert client.get(address).status_code == 200
    assert client.post(address, {"email": "other@example.org"}).url.startswith(reverse("confirm-password"))
    assert Account.objects.filter(email=account.email).exists()

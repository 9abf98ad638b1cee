"""Commands of those who run the service: accounts, their state and rights, and their keys."""

import datetime
import json

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.audit import AuditEvent
from accounts.models import Account
from tests.conftest import client_of, freshly_signed_in


@pytest.fixture
def run(capsys):
    """A function that runs a command and returns the lines of its stdout."""

    def run(*arguments):
        call_command(*arguments)
        return capsys.readouterr().out.splitlines()

    return run


def last_event():
    event = AuditEvent.objects.latest("at")
    return event.event, event.detail


def emails(run, *filters):
    return [json.loads(line)["email"] for line in run("accounts", "--json", *filters)]


def test_accounts_are_listed_and_narrowed(run, account, stranger):
    client_of(account)
    root = Account.objects.create_superuser("root@example.org", "correct horse")
    stranger.deactivate()
    before = timezone.now() - datetime.timedelta(days=40)
    stranger.state.last_login = before
    stranger.state.save()
    account.state.last_login = timezone.now()
    account.state.save()
    assert set(emails(run)) == {account.email, stranger.email, root.email}
    assert emails(run, "--staff") == [root.email]
    assert emails(run, "--inactive") == [stranger.email]
    assert emails(run, "--search", "LIFTER") == [account.email]
    assert set(emails(run, "--unused", "30")) == {stranger.email, root.email}
    (line,) = run("accounts", "--search", "lifter")
    assert line.startswith("lifter@example.org  active  member  since ")
    assert line.endswith(f"  signed in {timezone.now():%Y-%m-%d}  0 workouts  1 key")
    (line,) = run("accounts", "--search", "root")
    assert line.endswith("  never signed in  0 workouts  0 keys")


def test_a_deactivated_account_has_no_sessions_and_its_keys_rest(run, account, api):
    page = freshly_signed_in(account)
    assert run("deactivate", "Lifter@example.org") == ["lifter@example.org is deactivated now."]
    assert page.get("/").status_code == 302 or "Sign in" in page.get("/").content.decode()
    assert api.get("/me").status_code == 401
    assert last_event()[0] == "account deactivated"
    with pytest.raises(CommandError, match="deactivated already"):
        run("deactivate", "lifter@example.org")
    run("deactivate", "lifter@example.org", "--undo")
    assert api.get("/me").status_code == 200


def test_the_last_superuser_stays(run, db):
    Account.objects.create_superuser("root@example.org", "correct horse")
    with pytest.raises(CommandError, match="last active superuser stays"):
        run("deactivate", "root@example.org")
    assert Account.objects.get().is_active


@pytest.mark.parametrize(
    ("options", "rights", "detail"),
    [
        ([], (True, True, []), "superuser"),
        (["--role", "Support", "--role", "Keys"], (True, False, ["Keys", "Support"]), "Support, Keys"),
    ],
)
def test_an_account_becomes_one_of_staff(run, account, options, rights, detail):
    run("promote", account.email, *options)
    account.refresh_from_db()
    groups = sorted(account.groups.values_list("name", flat=True))
    assert (account.is_staff, account.is_superuser, groups) == rights
    assert last_event() == ("rights changed", detail)


def test_keys_are_listed_and_revoked_by_their_hint_or_text(run, account, stranger):
    texts = [account.issue_key(name, "read", "90d")[0] for name in ("phone", "watch")]
    client_of(stranger)
    newest, oldest = run("keys", account.email)
    hint = oldest.split()[0]
    assert newest.endswith("never used  watch")
    assert "Read only  active until " in oldest
    assert run("revoke_key", hint.replace("…", "...")) == [f"revoked {hint}, phone, of {account.email}."]
    assert last_event()[0] == "key revoked by staff"
    assert run("revoke_key", texts[1])[0].endswith("watch, of lifter@example.org.")
    assert account.api_keys.filter(revoked_at=None).count() == 0
    assert stranger.api_keys.filter(revoked_at=None).count() == 1
    with pytest.raises(CommandError, match="no key"):
        run("revoke_key", hint)


def test_a_hint_of_several_keys_revokes_none(run, account, stranger):
    for each in (account, stranger):
        each.issue_key("phone", "read", "never")
    account.api_keys.update(hint="svc_same…hint")
    stranger.api_keys.update(hint="svc_same…hint")
    with pytest.raises(CommandError, match="several keys"):
        run("revoke_key", "svc_same…hint")
    assert not account.api_keys.exclude(revoked_at=None).exists()


@pytest.mark.parametrize(
    "command", ["deactivate", "promote", "keys", "reset_factor", "reset_link", "sign_in_link"]
)
def test_an_unknown_email_is_an_error(run, db, command):
    with pytest.raises(CommandError, match="no account with the email nobody"):
        run(command, "nobody@example.org")


@pytest.mark.parametrize("command", ["reset_link", "sign_in_link"])
def test_no_link_is_made_for_who_cannot_sign_in(run, account, command):
    account.deactivate()
    with pytest.raises(CommandError, match="the account is deactivated"):
        run(command, account.email)


@pytest.mark.time_machine("2026-11-18T12:00:00Z")
@pytest.mark.parametrize(("expires", "text"), [("90d", "expires on 2027-02-16"), ("never", "not expire")])
def test_issue_key_says_when_the_key_ends(db, capsys, expires, text):
    call_command("issue_key", "a@example.org", "--expires", expires)
    printed = capsys.readouterr()
    assert text in printed.err
    assert printed.out.startswith("svc_")
    assert len(printed.out.split()) == 1


AT_THIS_MACHINE = "sign up with this email at http://localhost:8000/sign-up; "
LINK = "manage.py reset_link a@example.org prints a link that sets its password"


@pytest.mark.parametrize(
    ("values", "way"),
    [
        ({}, f"to open it in a browser of this machine, {AT_THIS_MACHINE}{LINK}"),
        ({"SIGN_UP": "closed"}, f"to open it in a browser of this machine, {AT_THIS_MACHINE}{LINK}"),
        ({"PUBLIC_URL": "https://fitness.example.org"}, LINK),
        ({"NOTED_ADDRESS": "https://fitness.example.org"}, LINK),  # where another process serves
        ({"AUTH_HEADER": "Remote-Email"}, LINK),
        ({"OIDC_ISSUER": "https://auth.example.org"}, LINK),
        ({"OIDC_ONLY": True}, "its owner signs in with the provider"),
    ],
    ids=str,
)
def test_issue_key_says_how_the_account_that_it_made_is_opened(db, capsys, settings, values, way):
    for name, value in values.items():
        setattr(settings, name, value)
    call_command("issue_key", "a@example.org")
    assert f"created the account a@example.org; {way}\n" in capsys.readouterr().err
    call_command("issue_key", "a@example.org")
    assert "created" not in capsys.readouterr().err


def test_issue_key_names_the_link_alone_where_nobody_may_sign_up(account, capsys, settings):
    settings.SIGN_UP = "invite"
    call_command("issue_key", "a@example.org")
    assert f"created the account a@example.org; {LINK}\n" in capsys.readouterr().err

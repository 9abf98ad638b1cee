"""The first account of a database: a superuser by the link that `prepare` prints, once and never again."""

import re
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.first_account import FirstAccount
from accounts.models import Account
from tests.accounts.test_sign_up import sign_up, text

SPENT = "The link for the first account does not work any more"


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path / "static"
    return tmp_path


@pytest.fixture
def offered(db, capsys):
    """A function that returns the link of a `prepare`, or None."""

    def offer():
        call_command("prepare")
        found = re.search(r"The first account has all rights. Make it at (\S+)", capsys.readouterr().out)
        return found and re.sub(r"^http://[^/]+", "", found[1])

    return offer


def rights(email="new@example.org"):
    account = Account.objects.get(email=email)
    return account.is_staff, account.is_superuser


@pytest.mark.parametrize("mode", ["open", "invite", "closed"])
def test_the_account_of_the_link_has_all_rights(client, offered, settings, mode):
    settings.SIGN_UP = mode
    link = offered()
    assert "has all rights" in text(client.get(link))
    assert sign_up(client, link).headers["Location"] == reverse("home")
    assert rights() == (True, True)
    assert client.get(reverse("admin:index")).status_code == 200


def test_an_account_without_the_link_has_none_and_ends_it(client, offered):
    link = offered()
    sign_up(client)
    assert rights() == (False, False)
    late = sign_up(Client(), link, email="late@example.org")
    assert late.headers["Location"] == reverse("sign-up")
    assert not Account.objects.filter(email="late@example.org").exists()
    assert offered() is None


def test_a_link_that_is_spent_says_what_gives_rights(client, offered):
    link = offered()
    Account.objects.create_user("somebody@example.org")
    page = client.get(link, follow=True)
    assert SPENT in text(page)
    assert "manage.py promote" in text(page)


def test_each_prepare_prints_a_new_link_and_the_last_one_counts(client, offered):
    old, new = offered(), offered()
    sign_up(client, old)
    assert not Account.objects.exists()
    sign_up(client, new)
    assert rights() == (True, True)


def test_a_link_works_for_a_week(client, offered, time_machine):
    link = offered()
    time_machine.move_to(timezone.now() + timedelta(days=7))
    sign_up(client, link)
    assert not Account.objects.exists()


@pytest.mark.parametrize("make", ["issue_key", "seed_demo", "createsuperuser"])
def test_whatever_makes_an_account_ends_the_offer_also_after_its_deletion(offered, make, monkeypatch):
    assert offered()
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "blue horse 77")
    arguments = {
        "issue_key": ["me@example.org"],
        "seed_demo": ["--days", "1"],
        "createsuperuser": ["--no-input", "--email", "me@example.org"],
    }
    call_command(make, *arguments[make])
    Account.objects.get().mark_deleted()
    assert not Account.objects.exists()
    assert offered() is None


def test_two_forms_of_one_link_make_one_superuser(client, offered, monkeypatch):
    """The second passes the look-up before the first is stored."""
    link = offered()
    sign_up(client, link)
    monkeypatch.setattr(type(FirstAccount.objects), "is_valid", lambda *arguments: True)
    assert sign_up(Client(), link, email="late@example.org").headers["Location"] == reverse("sign-up")
    assert [account.email for account in Account.objects.all()] == ["new@example.org"]


@pytest.mark.parametrize("token", ["", "nonsense", "\0", "x" * 5000])
def test_a_made_up_code_gives_nothing(client, offered, token):
    offered()
    sign_up(client, f"/sign-up?first={token.replace(chr(0), '%00')}")
    assert not Account.objects.filter(is_superuser=True).exists()


def test_the_code_is_in_the_folder_of_the_data_alone_until_it_ends(client, offered, data):
    link = offered()
    file = data / "first_link"
    assert file.read_text().strip().endswith(link)
    assert link.partition("=")[2] not in str(FirstAccount.objects.values_list())
    sign_up(client, link)
    offered()
    assert not file.exists()


@pytest.mark.parametrize("setting", [{"OIDC_ONLY": True}, {"AUTH_HEADER": "Remote-Email"}])
def test_where_others_say_who_somebody_is_nothing_is_offered(offered, settings, setting):
    for name, value in setting.items():
        setattr(settings, name, value)
    assert offered() is None

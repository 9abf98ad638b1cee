"""Groups at the provider that make staff, and no longer."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import Account, ProviderTie
from tests.accounts.oidc.conftest import Visitor, query_of

RULES = [("fitness-admins", "superuser"), ("fitness-support", "Support"), ("fitness-keys", "Keys")]


@pytest.fixture
def member(provider, account, settings):
    """Signs the account in at the provider with some groups. Returns its rights here then."""
    settings.OIDC_STAFF_GROUP = RULES
    ProviderTie.objects.tie(account, provider.issuer, provider.person["sub"])

    def sign_in(*groups):
        provider.person["groups"] = list(groups)
        visitor = Visitor(provider)
        visitor.sign_in()
        assert visitor.account == account
        return rights_of(account)

    return sign_in


def rights_of(account):
    stored = Account.objects.get(pk=account.pk)
    names = set(stored.groups.values_list("name", flat=True))
    return (
        names | ({"staff"} if stored.is_staff else set()) | ({"superuser"} if stored.is_superuser else set())
    )


def test_a_group_gives_its_role_and_leaving_it_ends_that(member, events):
    assert member("family") == set()
    assert member("family", "fitness-support") == {"staff", "Support"}
    assert member("fitness-support", "fitness-keys") == {"staff", "Support", "Keys"}
    assert member("fitness-keys") == {"staff", "Keys"}
    assert member() == set()
    changes = [detail for event, _, detail in events() if event == "rights changed"]
    assert changes == [
        "Authentik: + Support, + staff",
        "Authentik: + Keys",
        "Authentik: - Support",
        "Authentik: - Keys, - staff",
    ]


def test_a_superuser_of_a_group_opens_the_admin_at_once(provider, member, account):
    Account.objects.create_superuser("root@example.org", "correct horse")
    assert member("fitness-admins") == {"staff", "superuser"}
    visitor = Visitor(provider)
    visitor.sign_in()
    assert visitor.client.get(reverse("admin:index")).status_code == 200
    assert visitor.client.session.get_expiry_age() <= 12 * 3600
    assert member() == set()


def test_the_last_superuser_stays(member, caplog):
    assert member("fitness-admins") == {"staff", "superuser"}
    assert member() == {"staff", "superuser"}
    assert "the last superuser left the group" in caplog.text


def test_what_a_command_gave_stays(member, account):
    call_command("promote", account.email, role=["Support"])
    assert member() == {"staff", "Support"}
    assert member("fitness-support", "fitness-keys") == {"staff", "Support", "Keys"}
    assert member() == {"staff", "Support"}


def test_what_a_command_gives_after_a_group_stays_as_well(member, account):
    assert member("fitness-support") == {"staff", "Support"}
    call_command("promote", account.email, role=["Support"])
    assert member() == {"staff", "Support"}


def test_staff_that_somebody_here_gave_another_role_stays_staff(member, account):
    member("fitness-support")
    call_command("promote", account.email, role=["Keys"])
    assert member() >= {"staff", "Keys"}


@pytest.mark.parametrize("groups", [None, 7, {"fitness-admins": 1}, [["fitness-admins"]]])
def test_groups_in_another_form_give_nothing(provider, member, groups):
    member()
    provider.claims = {"groups": groups}
    assert member() == set()


def test_groups_as_one_text_are_one_group(provider, member):
    member()
    provider.claims = {"groups": "fitness-support"}
    assert member() == {"staff", "Support"}


@pytest.mark.parametrize("groups", ["fitness-support,fitness-keys", "fitness-support fitness-keys", ""])
def test_a_text_is_not_taken_apart(provider, member, groups):
    member()
    provider.claims = {"groups": groups}
    assert member() == set()


def test_a_group_that_looks_like_one_gives_nothing(member):
    assert member("fitness-admins\u200b", "Fitness-Admins") == set()


def test_groups_are_read_from_the_userinfo_where_the_id_token_has_none(provider, member, account):
    provider.userinfo = {"groups": ["fitness-keys"]}
    provider.claims = {"groups": None}
    assert member() == {"staff", "Keys"}


@pytest.mark.parametrize(
    ("known", "scope"), [(True, "openid email profile groups"), (False, "openid email profile")]
)
def test_groups_are_asked_for_where_the_provider_knows_the_scope(visitor, provider, settings, known, scope):
    settings.OIDC_STAFF_GROUP = RULES
    if not known:
        provider.metadata["scopes_supported"] = ["openid"]
    assert query_of(visitor.begin())["scope"] == scope


def test_disconnecting_ends_the_roles_of_groups(provider, member, account):
    member("fitness-support")
    visitor = Visitor(provider)
    visitor.sign_in()
    visitor.client.post(reverse("untie-provider"))
    assert rights_of(account) == set()


def test_without_rules_nobody_is_staff(provider, member, settings):
    member("fitness-support")
    settings.OIDC_STAFF_GROUP = []
    assert member("fitness-support", "fitness-admins") == set()

"""Which account the provider opens: by ties, invitations and SIGN_UP, and never by an email alone."""

import time

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts import links
from accounts.invitations import Invitation
from accounts.models import Account, Passkey, ProviderTie
from accounts.oidc import people
from tests.accounts.oidc.conftest import Visitor
from tests.conftest import freshly_signed_in, path_of
from tests.factories import PASSWORD, AccountFactory
from tests.html import plain, text

SUBJECT = "248289761001"


@pytest.fixture
def newcomer(visitor, provider):
    """Somebody whom the provider knows, and this service does not."""
    provider.person = {"sub": "7", "email": "New@Example.org", "name": "New"}
    return visitor


@pytest.fixture
def has_accounts(db):
    """The service is in use: the first account can always be made."""
    return AccountFactory(email="first@example.org")


@pytest.fixture
def password_signs_in(visitor, account):
    """Signs in by the form, on the way that a page has led to."""

    def sign_in(response):
        assert response.headers["Location"].startswith(reverse("sign-in"))
        form = {"username": account.email, "password": PASSWORD}
        return visitor.client.post(response.headers["Location"], form)

    return sign_in


# --- New accounts ------------------------------------------------------------------------------------


def test_somebody_new_gets_an_account_without_a_password(newcomer, provider, events, has_accounts):
    assert newcomer.sign_in(next="/workouts").headers["Location"] == "/workouts"
    account = newcomer.account
    assert (account.email, account.display_name) == ("new@example.org", "New")
    assert not account.has_usable_password()
    assert account.email_confirmed_at is None
    tie = f"7 at {provider.issuer}"
    assert [(event, detail) for event, email, detail in events() if email == "new@example.org"] == [
        ("signed up", "with Authentik"),
        ("provider tied", tie),
        ("signed in", "with Authentik"),
    ]


def test_the_next_sign_in_opens_the_same_account_whatever_its_email_became(newcomer, provider, has_accounts):
    newcomer.sign_in()
    made = newcomer.account
    provider.person["email"] = "married@example.org"
    again = Visitor(provider)
    again.sign_in()
    assert again.account == made
    assert again.account.email == "new@example.org"


@pytest.mark.parametrize(
    ("sign_up", "oidc_sign_up", "is_let_in"),
    [
        ("open", "invite", True),
        ("open", "open", True),
        ("invite", "invite", False),
        ("invite", "open", True),
        ("closed", "invite", False),
        ("closed", "open", True),
    ],
)
def test_who_may_sign_up(newcomer, settings, has_accounts, sign_up, oidc_sign_up, is_let_in, events):
    settings.SIGN_UP, settings.OIDC_SIGN_UP = sign_up, oidc_sign_up
    response = newcomer.sign_in()
    assert (newcomer.account is not None) is is_let_in
    if not is_let_in:
        assert response.status_code == 403
        assert "by invitation" in text(response)
        assert events()[-1][0] == "provider refused"
        assert Account.objects.count() == 1


def test_the_first_account_can_always_be_made(newcomer, settings):
    settings.SIGN_UP = "closed"
    newcomer.sign_in()
    assert newcomer.account


def test_an_invitation_is_taken_along_and_used_once(newcomer, provider, settings, has_accounts):
    settings.SIGN_UP = "invite"
    token, invitation = Invitation.objects.invite()
    page = newcomer.client.get(reverse("sign-up"), {"invitation": token, "next": "/workouts"})
    assert f"invitation={token}" in text(page)
    newcomer.sign_in(invitation=token, next="/workouts")
    assert newcomer.account.email == "new@example.org"
    invitation.refresh_from_db()
    assert invitation.state == "used"
    provider.person = {"sub": "8", "email": "eight@example.org"}
    other = Visitor(provider)
    assert other.sign_in(invitation=token).status_code == 403
    assert other.account is None


def test_an_invitation_that_is_used_meanwhile_lets_nobody_in(newcomer, provider, settings, has_accounts):
    settings.SIGN_UP = "invite"
    token, invitation = Invitation.objects.invite()
    answer = provider.let_in(newcomer.begin(invitation=token))
    invitation.use(has_accounts)
    response = newcomer.come_back(**answer)
    assert "This invitation does not work any more." in text(response)
    assert not Account.objects.filter(email="new@example.org").exists()


def test_an_invitation_is_for_its_email(newcomer, settings, has_accounts):
    settings.SIGN_UP = "invite"
    token, _ = Invitation.objects.invite("somebody@example.org")
    response = newcomer.sign_in(invitation=token)
    assert "This invitation is for somebody@example.org, and Authentik calls you new@example.org." in plain(
        text(response)
    )
    assert newcomer.account is None


@pytest.mark.parametrize("email", [None, "", "nobody", 7, "a@b\0.example.org", "a" * 250 + "@example.org"])
def test_an_account_needs_an_email(newcomer, provider, email):
    provider.person["email"] = email
    response = newcomer.sign_in()
    assert response.status_code == 403
    assert not Account.objects.exists()


def test_a_name_is_stored_as_a_column_takes_it(newcomer, provider):
    provider.person["name"] = "N\0e\u202ew" + "x" * 300
    newcomer.sign_in()
    assert newcomer.account.display_name == "New" + "x" * 197


def test_an_account_that_rests_is_not_opened(visitor, account, provider, events):
    ProviderTie.objects.tie(account, provider.issuer, SUBJECT)
    account.deactivate()
    assert "This account rests." in text(visitor.sign_in())
    assert visitor.account is None
    assert events()[-1][:2] == ("provider refused", "lifter@example.org")


def test_a_deleted_account_is_not_opened(visitor, account, provider, has_accounts):
    from fitness.site import account_data

    ProviderTie.objects.tie(account, provider.issuer, SUBJECT)
    account_data.delete(account)
    assert not ProviderTie.objects.exists()
    visitor.sign_in()
    assert visitor.account not in (None, account)


def test_two_tabs_of_somebody_new_make_one_account(newcomer, provider, monkeypatch, has_accounts):
    """The other tab is quicker, between the look at what there is and the row."""
    made = AccountFactory(email="new@example.org")

    def none_yet(identity):
        ProviderTie.objects.tie(made, identity.issuer, identity.subject)
        return False

    monkeypatch.setattr(people, "has_account", none_yet)
    newcomer.sign_in()
    assert newcomer.account == made


def test_somebody_who_signs_up_meanwhile_keeps_the_account(newcomer, monkeypatch, has_accounts):
    AccountFactory(email="new@example.org")
    monkeypatch.setattr(people, "has_account", lambda identity: False)
    newcomer.sign_in()
    assert newcomer.account is None
    assert not ProviderTie.objects.exists()


# --- An email is no proof ----------------------------------------------------------------------------


@pytest.mark.parametrize("verified", [True, False, "true", None])
def test_an_email_alone_opens_no_account(visitor, provider, account, verified):
    provider.claims = {"email_verified": verified}
    response = visitor.sign_in()
    assert response.status_code == 302
    assert visitor.account is None
    assert not ProviderTie.objects.exists()


def test_who_proves_to_own_the_account_ties_it_by_saying_yes(
    visitor, account, provider, password_signs_in, events
):
    response = password_signs_in(visitor.sign_in(next="/workouts"))
    assert response.headers["Location"] == reverse("tie-provider")
    assert not ProviderTie.objects.exists()
    page = visitor.client.get(reverse("tie-provider"))
    assert "Whoever signs in at Authentik as lifter@example.org opens this account" in plain(text(page))
    assert visitor.client.post(reverse("tie-provider")).headers["Location"] == "/workouts"
    assert ("provider tied", "lifter@example.org", f"{SUBJECT} at {provider.issuer}") in events()
    again = Visitor(provider)
    again.sign_in()
    assert again.account == account


def test_a_yes_that_comes_too_late_ties_nothing(visitor, account, password_signs_in, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z")
    password_signs_in(visitor.sign_in())
    time_machine.move_to("2026-11-18T12:10:02Z")
    visitor.client.post(reverse("tie-provider"))
    assert not ProviderTie.objects.exists()


def test_nobody_ties_what_the_provider_has_not_proved(provider, page):
    assert page.post("/settings/account/provider/tie").headers["Location"] == reverse("account")
    assert not ProviderTie.objects.exists()


def test_a_tie_is_asked_for_with_a_token(provider, account):
    browser = Visitor(provider, freshly_signed_in(account))
    browser.client.handler.enforce_csrf_checks = True
    assert browser.client.post("/settings/account/provider/tie").status_code == 403


def test_a_browser_that_was_left_alone_ties_nobody(visitor, account, provider):
    """Somebody begins a sign-in before the owner comes, and goes on when they have left."""
    answer = provider.let_in(visitor.begin())
    visitor.client.post(reverse("sign-in"), {"username": account.email, "password": PASSWORD})
    forget_the_sign_in(visitor)
    visitor.come_back(**answer)
    response = visitor.client.post(reverse("tie-provider"))
    assert response.headers["Location"].startswith(reverse("confirm-password"))
    assert not ProviderTie.objects.exists()


def forget_the_sign_in(visitor):
    """As after 5 minutes: what an unattended browser must not be enough for asks for a proof."""
    session = visitor.client.session
    session["password_given_at"] = 0
    session.save()


TRUSTED = {"email_verified": True}


@pytest.fixture
def trusts_email(settings, provider):
    settings.OIDC_TRUST_EMAIL = True
    provider.claims = TRUSTED


def test_a_trusted_email_ties_an_account_whose_email_was_confirmed(
    visitor, account, trusts_email, sends_mail, mailoutbox
):
    visitor.sign_in()
    assert visitor.account == account
    assert mailoutbox[0].subject == "Authentik opens your account"


@pytest.mark.parametrize("verified", [False, "true", 1, None])
def test_an_email_that_the_provider_does_not_call_verified_ties_nothing(
    visitor, account, provider, trusts_email, verified
):
    provider.claims = {"email_verified": verified}
    visitor.sign_in()
    assert visitor.account is None


@pytest.mark.parametrize(
    ("email", "becomes"),
    [
        ("\u212aate@example.org", "kate@example.org"),
        (" kate@example.org", "kate@example.org"),
        ("kate@straße.example", "kate@strasse.example"),  # which are two domains
        ("kate@exam\xadple.org", "kate@example.org"),
    ],
)
def test_an_email_that_only_becomes_that_of_an_account_ties_nothing(
    visitor, provider, trusts_email, email, becomes
):
    AccountFactory(email=becomes, password="!")
    provider.person["email"] = email
    assert "does not tell your email" in text(visitor.sign_in())
    assert visitor.account is None


def test_a_domain_in_other_letters_is_the_one_that_mail_servers_have(visitor, provider, trusts_email):
    account = AccountFactory(email="kate@xn--mller-kva.example", email_confirmed_at=timezone.now())
    provider.person["email"] = "Kate@Müller.example"
    visitor.sign_in()
    assert visitor.account == account


def test_an_email_is_not_verified_by_the_userinfo_of_another_email(
    visitor, account, provider, trusts_email, settings
):
    settings.OIDC_STAFF_GROUP = [("fitness-keys", "Keys")]  # for which the userinfo is asked
    provider.claims = {}
    provider.userinfo = {"email": "another@example.org", "email_verified": True}
    visitor.sign_in()
    assert visitor.account is None
    provider.userinfo["email"] = account.email
    visitor.sign_in()
    assert visitor.account == account


def test_an_account_that_a_stranger_made_with_the_email_is_not_tied(visitor, provider, trusts_email, client):
    """The stranger would go on opening what the victim believes to be theirs."""
    form = {"email": "lifter@example.org", "password1": PASSWORD, "password2": PASSWORD}
    client.post(reverse("sign-up"), form)
    assert Account.objects.get().email == "lifter@example.org"
    visitor.sign_in()
    assert visitor.account is None
    assert not ProviderTie.objects.exists()


def test_whoever_sets_a_new_password_learns_who_else_opens_the_account(newcomer, client, has_accounts):
    """A stranger may have come first, with a provider that lets them enter the email of somebody else."""
    newcomer.sign_in()
    form = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    response = client.post(path_of(links.PASSWORD.link(newcomer.account)), form, follow=True)
    assert "Authentik still opens your account: disconnect it if that is not you." in plain(text(response))


def test_an_account_that_nobody_opens_yet_is_tied(visitor, account, trusts_email):
    Account.objects.update(email_confirmed_at=None, password="!")
    visitor.sign_in()
    assert visitor.account == account


@pytest.mark.parametrize("has", ["a password", "a key", "a passkey"])
def test_an_account_that_somebody_opens_is_not_tied(visitor, account, trusts_email, has):
    Account.objects.update(email_confirmed_at=None, **({} if has == "a password" else {"password": "!"}))
    if has == "a key":
        account.issue_key("before", "read", "never")
    elif has == "a passkey":
        account.passkeys.create(name="phone", credential_id="x", sign_count=0)
    visitor.sign_in()
    assert visitor.account is None


def test_an_account_that_was_disconnected_is_not_tied_again_without_a_question(
    visitor, account, provider, trusts_email
):
    visitor.sign_in()
    visitor.client.post(reverse("untie-provider"))
    again = Visitor(provider)
    assert again.sign_in().headers["Location"].startswith(reverse("sign-in"))
    assert again.account is None
    assert not ProviderTie.objects.exists()


def test_staff_is_not_tied_by_an_email(visitor, account, trusts_email):
    Account.objects.filter(pk=account.pk).update(is_staff=True)
    visitor.sign_in()
    assert visitor.account is None


def test_an_account_that_somebody_at_the_provider_has_is_no_other_ones(
    visitor, account, trusts_email, provider
):
    ProviderTie.objects.tie(account, provider.issuer, "another")
    visitor.sign_in()
    assert visitor.account is None
    assert ProviderTie.objects.get().subject == "another"


def test_a_trusted_email_of_a_new_account_is_confirmed(newcomer, trusts_email):
    newcomer.sign_in()
    assert newcomer.account.email_confirmed_at


# --- The settings ------------------------------------------------------------------------------------


@pytest.fixture
def owner(provider, account):
    """The account in a browser, freshly signed in."""
    return Visitor(provider, freshly_signed_in(account))


def test_the_settings_connect_the_provider(owner, account, provider):
    page = text(owner.client.get(reverse("account")))
    assert f'href="{reverse("begin-tie")}"' in page
    response = owner.sign_in(reverse("begin-tie"))
    assert response.headers["Location"] == reverse("tie-provider")
    assert owner.client.post(reverse("tie-provider")).headers["Location"] == reverse("account")
    page = text(owner.client.get(reverse("account")))
    assert "Authentik opens your account from now on." in page
    assert f'href="{reverse("untie-provider")}"' in page


def test_connecting_needs_a_fresh_sign_in(owner, time_machine):
    owner.client.get(reverse("account"))
    forget_the_sign_in(owner)
    for address in (reverse("begin-tie"), reverse("untie-provider")):
        assert owner.client.get(address).headers["Location"].startswith(reverse("confirm-password"))


def test_somebody_at_the_provider_opens_one_account(owner, stranger, provider):
    ProviderTie.objects.tie(stranger, provider.issuer, SUBJECT)
    owner.sign_in(reverse("begin-tie"))
    owner.client.post(reverse("tie-provider"))
    assert ProviderTie.objects.get().account == stranger
    assert "opens another account" in text(owner.client.get(reverse("account")))


def test_a_new_provider_replaces_the_one_before(owner, account, provider):
    ProviderTie.objects.tie(account, "https://before.example.org", "bob")
    owner.sign_in(reverse("begin-tie"))
    owner.client.post(reverse("tie-provider"))
    assert ProviderTie.objects.get().issuer == provider.issuer


def test_the_settings_disconnect_the_provider(owner, account, provider, events):
    ProviderTie.objects.tie(account, provider.issuer, SUBJECT)
    elsewhere = Visitor(provider)
    elsewhere.sign_in()
    assert "Disconnect Authentik?" in text(owner.client.get(reverse("untie-provider")))
    assert ProviderTie.objects.exists()
    owner.client.post(reverse("untie-provider"))
    assert not ProviderTie.objects.exists()
    assert elsewhere.account is None
    assert owner.account == account
    assert ("provider untied", "lifter@example.org", f"{SUBJECT} at {provider.issuer}") in events()
    owner.client.post(reverse("untie-provider"))  # again changes nothing


def test_the_last_way_in_stays(newcomer, provider):
    newcomer.sign_in()
    newcomer.client.post(reverse("untie-provider"))
    assert ProviderTie.objects.exists()
    assert "Set a password or add a passkey first" in text(newcomer.client.get(reverse("account")))


def test_a_passkey_is_another_way_in(newcomer, provider, settings):
    newcomer.sign_in()
    Passkey.objects.create(account=newcomer.account, name="key", sign_count=0)
    newcomer.client.post(reverse("untie-provider"))
    assert not ProviderTie.objects.exists()


def test_an_account_without_a_password_is_not_asked_for_one(newcomer, provider):
    newcomer.sign_in()
    page = text(newcomer.client.get(reverse("account")))
    assert "Change password" not in page
    page = text(newcomer.client.get(reverse("confirm-password"), {"next": "/settings/developer"}))
    assert 'type="password"' not in page
    assert f'href="{reverse("confirm-by-provider")}?next=%2Fsettings%2Fdeveloper"' in page


def test_the_provider_confirms_who_is_there(newcomer, provider):
    newcomer.sign_in()
    forget_the_sign_in(newcomer)
    address = newcomer.begin(reverse("confirm-by-provider"), next="/settings/account/factors")
    assert "prompt=login" in address
    response = newcomer.come_back(**provider.let_in(address))
    assert response.headers["Location"] == "/settings/account/factors"
    assert newcomer.client.session["password_given_at"] > 0


HOURS = 7_200


def test_a_provider_that_does_not_ask_who_is_there_confirms_nothing(newcomer, provider):
    """Whoever uses a browser that was left alone can take the wish to be asked out of the address."""
    newcomer.sign_in()
    forget_the_sign_in(newcomer)
    provider.claims = {"auth_time": int(time.time()) - HOURS}
    response = newcomer.sign_in(reverse("confirm-by-provider"))
    assert "Authentik did not ask who you are." in text(response)
    assert newcomer.client.session["password_given_at"] == 0


@pytest.mark.parametrize(("auth_time", "is_fresh"), [(0, True), (-HOURS, False), (HOURS, True)])
def test_a_sign_in_is_as_fresh_as_that_of_the_provider(newcomer, provider, auth_time, is_fresh):
    """Signing out and in again would prove nothing, where the provider knows the browser."""
    provider.claims = {"auth_time": int(time.time()) + auth_time}
    newcomer.sign_in()
    assert newcomer.account
    assert (newcomer.client.get(reverse("add-passkey")).status_code == 200) is is_fresh


def test_somebody_else_at_the_provider_confirms_nothing(owner, account, provider):
    ProviderTie.objects.tie(account, provider.issuer, SUBJECT)
    forget_the_sign_in(owner)
    provider.person = {"sub": "7", "email": "new@example.org"}
    response = owner.sign_in(reverse("confirm-by-provider"))
    assert response.status_code == 403
    assert "somebody else" in text(response)
    assert owner.client.session["password_given_at"] == 0

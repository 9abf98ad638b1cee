import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account
from accounts.models.account import USUAL_RACKS
from fitness.management.commands import seed_demo
from tests.accounts.people import NEW, NEW_PASSWORD
from tests.conftest import client_of, statements
from tests.factories import PASSWORD
from tests.html import errors, html
from tests.pages import items_of, save_settings


@pytest.fixture
def demo_account(db):
    return seed_demo.seed("demo@example.org", timezone.now().date(), 20, "blue horse 77")


@pytest.fixture
def demo_page(client, demo_account):
    client.force_login(demo_account)
    return client


@pytest.mark.parametrize("name", ["profile", "account", "developer", "data", "change-email"])
def test_no_settings_take_the_focus(page, sends_mail, name):
    assert "autofocus" not in html(page.get(reverse(name)))


def test_a_new_password_names_what_it_does_not_end(page, account, stranger):
    stranger.issue_key("theirs", "read", "never")
    stranger.make_calendar()
    change = {"old_password": PASSWORD, **NEW}
    said = html(page.post(reverse("account"), change, follow=True))
    assert "Your password is changed." in said
    assert "keeps working" not in said
    assert "your calendar" not in said
    account.issue_key("phone", "read", "never")
    account.make_calendar()
    again = {**dict.fromkeys(("new_password1", "new_password2"), PASSWORD), "old_password": NEW_PASSWORD}
    said = html(page.post(reverse("account"), again, follow=True))
    assert "Your API key keeps working: revoke what you do not know." in said
    assert "So does the address of your calendar: end it if others may know it." in said


# --- Units -----------------------------------------------------------------------------------------


def test_units_are_chosen_on_the_account_screen(page, account):
    page.post(reverse("set-units"), {"units": "lb"})
    page.post(reverse("set-units"), {"units": "stone"})
    account.refresh_from_db()
    assert account.units == "lb"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("set-units", {"units": "lb"}),
        ("set-time-zone", {"time_zone": "Asia/Tokyo"}),
        (
            "profile",
            {"goal": "cut", "time_zone": "UTC", "units": "kg", "first_weekday": "7", "rest_seconds": "90"},
        ),
        (
            "account",
            {"old_password": PASSWORD, **NEW},
        ),
    ],
)
def test_a_form_stores_its_own_fields_alone(page, account, monkeypatch, name, values):
    """What others have stored since the request read the account stays: a new email, a deactivation."""
    save = Account.save

    def save_late(self, **options):
        Account.objects.filter(pk=self.pk).update(email="other@example.org", is_active=False)
        save(self, **options)

    monkeypatch.setattr(Account, "save", save_late)
    page.post(reverse(name), values)
    account.refresh_from_db()
    assert (account.email, account.is_active) == ("other@example.org", False)


# --- Preferences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theme", "said", "media"),
    [
        ("", "light dark", "(prefers-color-scheme: dark)"),
        ("light", "light", None),
        ("dark", "dark", "screen"),
    ],
)
def test_the_theme_is_that_of_the_device_or_of_the_account(page, theme, said, media):
    save_settings(page, theme=theme)
    found = html(page.get("/"))
    assert f'<meta name="color-scheme" content="{said}">' in found
    assert re.findall(r'id="dark" media="([^"]+)"', found) == ([media] if media else [])
    assert f'data-theme="{theme}"' in found
    by_device = 'id="dark" media="(prefers-color-scheme: dark)"'
    assert by_device in html(Client().get("/sign-in"))
    kept = html(page.get("/train"))  # the same for everybody: theme.js follows what `data-theme` was
    assert by_device in kept
    assert "theme.js" in kept


def test_train_has_the_bar_and_the_plates_of_the_account(page, account):
    def rack():
        return page.get(reverse("draft")).json()["rack"]

    assert rack() == USUAL_RACKS["kg"]
    save_settings(page, bar="15", plates="5, 20;10 2,5")
    assert rack() == {"bar": 15, "plates": [20, 10, 5, 2.5]}
    assert 'value="20 10 5 2.5"' in html(page.get(reverse("profile")))
    page.post(reverse("set-units"), {"units": "lb"})
    assert rack() == USUAL_RACKS["lb"]
    save_settings(page, bar="35")
    assert rack() == {**USUAL_RACKS["lb"], "bar": 35}
    save_settings(page, bar="")
    account.refresh_from_db()
    assert account.racks == {"kg": {"bar": 15, "plates": [20, 10, 5, 2.5]}}


def test_bar_and_plates_are_those_of_the_unit_that_the_form_has_shown(page, account):
    save_settings(page, units="lb", bar="15", plates="20 10")
    account.refresh_from_db()
    assert account.units == "lb"
    assert account.racks == {"kg": {"bar": 15, "plates": [20, 10]}}


def test_one_button_saves_what_belongs_to_the_account_and_its_screens(page, account):
    text = html(page.get(reverse("profile")))
    assert text.partition("<main")[2].partition("</main")[0].count("<form") == 1
    chosen = {"display_name": "Ana", "height_cm": 170.5, "goal": "cut", "language": "fr", "units": "lb"}
    more = {"time_zone": "Asia/Tokyo", "theme": "dark", "first_weekday": 7, "rest_seconds": 90}
    answer = save_settings(page, **chosen, **more)
    assert answer.status_code == 302
    account.refresh_from_db()
    assert {name: getattr(account, name) for name in chosen | more} == chosen | more


def test_what_is_refused_changes_nothing_of_the_page(page, account):
    answer = save_settings(page, theme="dark", units="lb", rest_seconds="7")
    assert 'data-theme="dark"' not in html(answer)
    assert "Bar (kg)" in html(answer)
    account.refresh_from_db()
    assert (account.theme, account.units) == ("", "kg")


@pytest.mark.parametrize(
    "field",
    [
        *({"rest_seconds": "7"}, {"theme": "sepia"}, {"first_weekday": "2"}, {"bar": "0"}, {"bar": "heavy"}),
        *({"units": "stone"}, {"time_zone": "Mars"}, {"language": "tlh"}, {"height_cm": "1"}),
        *({"plates": text} for text in ("20 20", "20 0", "20 101", "20 nan", "25,20,15")),
    ],
)
def test_what_cannot_be_preferred_is_an_error_of_its_field(page, account, field):
    assert save_settings(page, **field).context["form"].errors.keys() == field.keys()


# --- Export ----------------------------------------------------------------------------------------


def test_the_export_holds_what_the_api_returns(demo_page, demo_account):
    answer = demo_page.get(reverse("export"))
    archive = json.loads(answer.getvalue())
    assert next(iter(archive)) == "format"
    about = archive.pop("format")
    assert (about["name"], about["version"]) == ("fitness-account", 1)
    api = client_of(demo_account)
    assert archive.pop("profile") == api.get("/me").json()
    assert archive.pop("foods")[0]["name"] == "Banana"
    assert [*archive.pop("nutrition_targets")[0]] == [
        "calories",
        "protein_g",
        "carbs_g",
        "fat_g",
        "kg_per_week",
    ]
    resources = {
        "workouts": "/workouts",
        "routines": "/routines",
        "plans": "/plans",
        "weight": "/body/weight",
        "measurements": "/body/measurements",
        "goals": "/goals",
        "nutrition": "/nutrition",
        "supplements": "/supplements",
    }
    assert all(day.pop("is_complete") for day in archive["nutrition"])  # known to the app alone
    del archive["food_entries"]
    logs = archive.pop("supplement_logs")
    assert archive.pop("exercise_names") == archive.pop("exercise_pins") == []  # the demo has none
    assert sorted(logs, key=str) == sorted(items_of(api, "/supplements/logs", "logs"), key=str)
    assert archive.pop("exercise_habits") == archive.pop("own_exercises") == []
    of_rules = ("plan_progressions", "routine_progressions", "progression_steps")  # in archives alone
    assert {type(archive.pop(name)) for name in of_rules} == {list}
    assert archive.keys() == resources.keys()
    for name, path in resources.items():
        assert archive[name]
        assert sorted(archive[name], key=str) == sorted(items_of(api, path, name), key=str)


def test_the_export_of_an_empty_account_is_empty_lists(page, stranger):
    archive = json.loads(page.get(reverse("export")).getvalue())
    assert archive.pop("format")["version"] == 1
    assert archive.pop("profile")["email"] == "lifter@example.org"
    assert set(map(str, archive.values())) == {"[]"}


def test_an_export_is_a_download_and_stored_nowhere(page):
    headers = page.get(reverse("export")).headers
    assert headers["Content-Disposition"].startswith('attachment; filename="fitness-')
    assert "no-store" in headers["Cache-Control"]


# --- Deleting --------------------------------------------------------------------------------------


def test_deleting_asks_for_the_password(page, account):
    answer = page.post(reverse("delete-account"), {"password": "wrong"})
    assert errors(answer) == {"password": "This is not your password."}
    assert Account.objects.filter(pk=account.pk).exists()


def test_the_request_that_deletes_a_long_history_takes_no_more_statements(client, db):
    def cost(days):
        account = seed_demo.seed(f"{days}@example.org", timezone.now().date(), days, "blue horse 77")
        client.force_login(account)
        with statements() as run:
            client.post(reverse("delete-account"), {"password": "blue horse 77"})
        return len(run)

    assert cost(60) <= cost(20)

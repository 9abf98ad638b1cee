"""Own exercises that others change while a page has them before it: their owner elsewhere, or staff."""

import json
import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from fitness.site import account_data
from tests.html import text
from tests.site.test_admin import exercise_form
from tests.training.test_import_exercises import entry
from training.admin.forms import TakeForm
from training.models import Exercise, own_exercise
from training.models.own_exercise import make
from training.web.views import own_exercise as views

pytestmark = pytest.mark.each_database

NAME, SQUAT = "Pendulum Thing", "barbell-back-squat"
FIELDS = {"name": NAME, "muscle_group": "Legs", "equipment": "Machine"}


@pytest.fixture
def own(account):
    return make(account, **FIELDS)


@pytest.fixture
def offered(page, own):
    page.post(reverse("offer-own-exercise", args=[own.pk]))
    return reverse("admin:training_exercise_take", args=[own.pk])


def stored(exercise):
    return Exercise.objects.of_everyone().values().filter(pk=exercise.pk).first()


def after(monkeypatch, owner, name, act):
    """Has something done right after a function has returned."""
    function = getattr(owner, name)

    def before_and_act(*args, **options):
        result = function(*args, **options)
        monkeypatch.setattr(owner, name, function)
        act()
        return result

    monkeypatch.setattr(owner, name, before_and_act)


def addresses(pk):
    names = ("edit", "retire", "offer", "delete")
    return [
        *(reverse(f"{name}-own-exercise", args=[pk]) for name in names),
        reverse("merge-own-exercise", args=[pk, "plank"]),
    ]


@pytest.mark.parametrize("index", range(5))
@pytest.mark.parametrize("is_merged", [True, False])
def test_what_is_gone_meanwhile_stays_as_it_is(page, account, own, monkeypatch, index, is_merged):
    def give_up():
        if is_merged:
            own_exercise.merge(own, Exercise.objects.get(pk=SQUAT))
        else:
            own_exercise.delete(account, own)
        left.append(stored(own))

    left = []
    after(monkeypatch, views, "own_or_404", give_up)
    response = page.post(addresses(own.pk)[index], {**FIELDS, "name": "Other", "back": "yes"})
    assert response.status_code in (302, 404)
    assert left == [stored(own)]


def test_an_edit_leaves_the_names_that_it_has_got_meanwhile(page, account, own, monkeypatch):
    other = make(account, "Other Thing", "Legs", "Machine")
    after(monkeypatch, views, "own_or_404", lambda: own_exercise.merge(other, own))
    page.post(reverse("edit-own-exercise", args=[own.pk]), {**FIELDS, "equipment": "Band"})
    assert (stored(own)["equipment"], stored(own)["aliases"]) == ("Band", ["Other Thing"])


def seen(response):
    return re.search('name="seen" value="([^"]*)"', response.content.decode())[1]


def choice(admin_page, address, **fields):
    """What the form of the page sends."""
    return {"seen": seen(admin_page.get(address)), **fields}


@pytest.mark.parametrize("is_account", [True, False])
def test_staff_take_nothing_that_is_deleted(admin_page, account, own, offered, monkeypatch, is_account):
    def delete():
        if is_account:
            account_data.delete(account)
        else:
            own_exercise.delete(account, own)

    monkeypatch.setattr(account_data, "BATCH", 1)  # so that rows are left to the worker
    sent = choice(admin_page, offered, kept=SQUAT)
    before = Exercise.objects.values().get(pk=SQUAT)
    after(monkeypatch, TakeForm, "clean", delete)
    taken = admin_page.post(offered, sent, follow=True)
    assert "It is not here any more" in text(taken)
    assert NAME not in text(admin_page.get(reverse("admin:training_exercise_offers")))
    assert admin_page.get(offered).status_code == 404
    assert Exercise.objects.values().get(pk=SQUAT) == before


def test_two_of_the_staff_take_an_offer_under_one_id(admin_page, own, offered, monkeypatch):
    sent = choice(admin_page, offered, new_id="pendulum")
    after(monkeypatch, TakeForm, "clean", lambda: admin_page.post(offered, sent))
    second = admin_page.post(offered, sent, follow=True)
    assert "Somebody else has just added an exercise with this id or name" in text(second)
    assert Exercise.objects.get(pk="pendulum").aliases == []
    assert Exercise.objects.of_everyone().get(pk=own.pk).merged_into_id == "pendulum"


def test_staff_take_what_they_have_seen(admin_page, page, own, offered):
    sent = choice(admin_page, offered, new_id="pendulum")
    renamed = {**FIELDS, "name": "Hostile Name"}
    page.post(reverse("edit-own-exercise", args=[own.pk]), renamed)
    again = admin_page.post(offered, sent)
    assert "changed it since you opened the page" in text(again)
    assert not Exercise.objects.filter(pk="pendulum").exists()
    assert admin_page.post(offered, {**sent, "seen": seen(again)}).status_code == 302
    assert Exercise.objects.get(pk="pendulum").name == "Hostile Name"


@pytest.mark.parametrize("chosen", [{"new_id": "pendulum"}, {"kept": SQUAT}])
def test_the_catalogue_gets_no_name_that_was_not_offered(admin_page, account, own, offered, chosen):
    own_exercise.merge(make(account, "Secret Thing", "Legs", "Machine"), own)
    assert admin_page.post(offered, choice(admin_page, offered, **chosen)).status_code == 302
    names = [(one.name, *one.aliases) for one in Exercise.objects.all()]
    assert any(NAME in some for some in names)
    assert not any("Secret Thing" in some for some in names)


def test_a_name_that_the_catalogue_has_got_meanwhile_means_that_one(admin_page, own, offered):
    Exercise.objects.filter(pk="plank").update(name=NAME)
    refused = admin_page.post(offered, choice(admin_page, offered, kept=SQUAT))
    assert "already means Pendulum Thing (plank). Choose that one." in text(refused)
    assert admin_page.post(offered, choice(admin_page, offered, kept="plank")).status_code == 302


def test_staff_store_nothing_in_the_place_of_an_own_exercise(admin_page, own, offered, tmp_path):
    before, count = stored(own), Exercise.objects.count()
    for pk in (own.pk, "own-thing"):
        page = admin_page.post(reverse("admin:training_exercise_add"), exercise_form(id=pk))
        assert "begins the ids of exercises" in text(page)
    assert "errorlist" in text(admin_page.post(offered, choice(admin_page, offered, new_id="own-thing")))
    file = tmp_path / "exercises.json"
    file.write_text(json.dumps([entry(own.pk.replace("-", " "))]))
    call_command("import_exercises", str(file))
    assert (stored(own), Exercise.objects.count()) == (before, count)

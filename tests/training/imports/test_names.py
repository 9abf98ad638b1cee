"""Which exercises the names of other apps mean, and which they must not."""

import pytest
from django.utils import timezone

from accounts.models import Account
from tests.conftest import statements
from training import catalogue
from training.catalogue.folding import spelled
from training.imports.names import Fate, Names, catalogue_names, exported_name
from training.models import Exercise

NOBODY = Account()  # without own exercises

pytestmark = pytest.mark.django_db

TABLES = catalogue.imported_names()
APPS = ("hevy", "strong", "fitnotes")

# Names that a looser comparison would take for another exercise, by the app that has them.
TRAPS = {
    "hevy": {
        # the app means something else by a name than the catalogue
        "Air Bike": "assault-bike",
        "Goblet Squat": "dumbbell-goblet-squat",
        "goblet squats": "dumbbell-goblet-squat",
        "Hip Thrust": "bodyweight-hip-thrust",
        "Lunge": "bodyweight-lunge",
        "Side Bend": "roman-chair-side-bend",
        "Chest Press (Band)": "standing-band-chest-press",
        "Downward Dog": None,
        # another equipment is another exercise
        "Goblet Squat (Barbell)": None,
        "Triceps Extension (Kettlebell)": None,
        "Leg Press (Dumbbell)": None,
        "Deadlift (Machine)": None,
        "Arnold Press (Barbell)": None,
        "Arnold Press (Kettlebell)": "kettlebell-arnold-press",
        "Pendlay Row (Dumbbell)": None,
        "Barbell Pendlay Row": "pendlay-row",
        "Pullover (Cable)": None,
        "Swing (Dumbbell)": None,
        "Running (Machine)": None,
        "Dumbbell Curl (Cable)": None,
        "Barbell Dumbbell Row": None,
        # a press is no extension
        "Triceps Press (Machine)": "plate-loaded-triceps-press",
        "Triceps Press (Dumbbell)": None,
        "Overhead Press (Machine)": "machine-shoulder-press",
        # Smith Machine, Weighted and Assisted are part of the name
        "Squat (Machine)": "machine-squat",
        "Squat (Smith Machine)": "smith-machine-squat",
        "Bench Press (Machine)": "machine-chest-press",
        "Front Squat (Smith Machine)": None,
        "Lunge (Smith Machine)": None,
        "Bicep Curl (Smith Machine)": None,
        "Plank (Weighted)": "weighted-plank",
        "Bench Dip (Weighted)": "weighted-bench-dip",
        "Lunge (Weighted)": None,
        "Ring Dip (Weighted)": None,
        "Muscle Up (Assisted)": None,
        # words that turn a movement into another one
        "Deadlift (Band)": "band-deadlift",
        "Deadlift with Bands": "deadlift-with-bands",
        "Low-to-High Cable Fly": "low-to-high-cable-fly",
        "High-to-Low Cable Fly": "cable-crossover",
        "Squat to Overhead Press (Cable)": "cable-squat-to-overhead-press",
        "Overhead Press to Squat (Cable)": None,
        # nothing is guessed from letters, nor from less than a name
        "Bench Pres": None,
        "Squatt": None,
        "Press": None,
        "Barbell": None,
        "(Barbell)": None,
        "()": None,
        "": None,
        "жим 2": None,
        "💪": None,
    },
    "strong": {
        "Triceps Extension": None,
        "tricep extensions": None,
        "Chest Fly": None,
        "Chest Press (Band)": None,
        "Goblet Squat (Kettlebell)": "kettlebell-goblet-squat",
        "Hip Thrust": "barbell-hip-thrust",
        "Side Bend (Dumbbell)": "dumbbell-side-bend",
        "Hack Squat": "machine-hack-squat",
        "Chest Dip (Weighted)": None,
        # EZ Bar and Trap Bar are barbells of their own
        "Preacher Curl (EZ Bar)": "ez-bar-preacher-curl",
        "Skullcrusher (EZ-Bar)": "ez-bar-skull-crusher",
        "Upright Row (EZ Bar)": None,
        "Bicep Curl (Ez Bar)": "ez-bar-curl",
        "Deadlift (Trap Bar)": "trap-bar-deadlift",
        "Deadlift (Hex Bar)": "trap-bar-deadlift",
        "Squat (Trap Bar)": None,
        "Shrug (Trap Bar)": None,
    },
    "fitnotes": {
        "Deadlift Band": None,  # with bands, or of a band?
        "Reverse Band Deadlifts": "reverse-band-deadlift",
        "Chest Press (Plate Loaded)": "plate-loaded-chest-press",
        "Leg Press (Plate Loaded)": None,
        "Calf Raise (Dumbbell)": None,  # standing or seated?
        "Hip Abduction (Bodyweight)": None,
        "Incline Bench Press (Machine)": None,
        "Bike": None,
    },
}

# What people write of themselves.
SPELLED_OUT = {
    "DB Bench Press": "dumbbell-bench-press",
    "Bench Press (DB)": "dumbbell-bench-press",
    "BB Row": "bent-over-barbell-row",
    "One arm KB swing": "single-arm-kettlebell-swing",
    "Incline DB flyes": "incline-dumbbell-fly",
    "Tricep push down": "cable-triceps-pushdown",
    "Triceps Pushdown (Rope)": "rope-triceps-pushdown",
    "Dumbell Curl": "dumbbell-curl",
    "deadlift barbell": "barbell-deadlift",
    "Squat (Body Weight)": "bodyweight-squat",
    "Bench Press (Resistance Band)": "band-bench-press",
    "Bench": "barbell-bench-press",
    "OHP": "barbell-overhead-press",
}

# What the catalogue's own names would make of the names in a table that mean something else: plain names
# are those of the barbell here, and of the bodyweight or the machine in Hevy.
OTHERWISE = {
    "hevy": {
        "Hack Squat": "machine-hack-squat",
        "Hip Thrust": "barbell-hip-thrust",
        "Lunge": "barbell-forward-lunge",
        "Seated Triceps Press": "seated-dumbbell-overhead-triceps-extension",
        "Side Bend": "dumbbell-side-bend",
        "Single Arm Cable Row": "single-arm-seated-cable-row",  # standing in Hevy
        "Standing Calf Raise": "machine-standing-calf-raise",
    },
    "strong": {"Chest Fly": "dumbbell-fly"},  # Strong has no default equipment
    "fitnotes": {},
    "general": {},
}


def found(name, source="hevy", **choices):
    exercise = Names(NOBODY, source, choices).find(name)
    return exercise and exercise.pk


def by_names_alone(name):
    exercise = catalogue_names(NOBODY).find(name)
    return exercise and exercise.pk


@pytest.mark.parametrize(("source", "share"), [("hevy", 0.99), ("strong", 0.97), ("fitnotes", 0.99)])
def test_built_in_names_of_other_apps_are_found(source, share):
    names = Names(NOBODY, source, {})
    for name, exercise_id in TABLES[source].items():
        exercise = names.find(name)
        assert (exercise and exercise.pk) == exercise_id, name
    assert sum(one is not None for one in TABLES[source].values()) >= share * len(TABLES[source])


def test_tables_name_exercises_of_the_catalogue():
    known = {entry["id"] for entry in catalogue.entries()}
    assert [one for table in TABLES.values() for one in table.values() if one and one not in known] == []


@pytest.mark.parametrize("source", TABLES)
def test_names_of_a_table_with_the_same_words_mean_the_same_exercise(source):
    meant = {}
    for name, exercise_id in TABLES[source].items():
        assert meant.setdefault(spelled(name), exercise_id) == exercise_id


@pytest.mark.parametrize(("source", "name"), [(source, name) for source in TRAPS for name in TRAPS[source]])
def test_a_name_means_its_own_exercise_or_none(source, name):
    assert found(name, source) == TRAPS[source][name]


@pytest.mark.parametrize("name", SPELLED_OUT)
def test_short_forms_are_spelled_out(name):
    assert found(name, "fitnotes") == SPELLED_OUT[name]


@pytest.mark.parametrize("source", TABLES)
def test_names_of_the_catalogue_contradict_the_tables_in_few_places(source):
    names = catalogue_names(NOBODY)
    by_names = {name: exercise.pk for name in TABLES[source] if (exercise := names.find(name))}
    others = {name: by_names[name] for name in by_names if by_names[name] != TABLES[source][name]}
    assert others == OTHERWISE[source]


def test_no_name_of_the_catalogue_means_another_exercise():
    names = catalogue_names(NOBODY)
    for entry in catalogue.entries():
        for name in (entry["name"], *entry["aliases"]):
            assert names.find(name).pk == entry["id"], name


@pytest.mark.parametrize("source", [*APPS, "jefit"])
def test_an_exported_name_is_read_as_the_same_exercise(source):
    names = Names(NOBODY, source, {})
    for exercise in Exercise.objects.all():
        assert names.find(exported_name(source, exercise)) == exercise


@pytest.mark.parametrize(
    ("source", "exercise_id", "name"),
    [
        ("hevy", "barbell-bench-press", "Bench Press (Barbell)"),
        ("hevy", "chest-dip", "Chest Dip"),  # not the weighted one
        ("strong", "barbell-hip-thrust", "Hip Thrust (Barbell)"),
        ("hevy", "dumbbell-seal-row", "Seal Row (Dumbbell)"),
        ("hevy", "tate-press", "Tate Press (Dumbbell)"),
        ("hevy", "barbell-back-squat", "Squat (Barbell)"),  # not Full Squat
        ("hevy", "seated-cable-row", "Seated Cable Row - V Grip (Cable)"),
    ],
)
def test_exercises_are_exported_by_the_names_of_the_app(source, exercise_id, name):
    assert exported_name(source, Exercise.objects.get(pk=exercise_id)) == name


def test_the_persons_own_choice_comes_first():
    choices = {
        "Bench Press (Barbell)": "competition-bench-press",
        "Triceps Extension": "dumbbell-triceps-extension",
        "Ohio State": Fate.NOTE,
        "Rest": Fate.LEAVE_OUT,
        "Gone": "no-such-exercise",
    }
    names = Names(NOBODY, "strong", choices)
    assert names.find("Bench Press (Barbell)").pk == "competition-bench-press"
    assert names.find("Triceps Extension").pk == "dumbbell-triceps-extension"
    assert names.find("Ohio State") is Fate.NOTE
    assert names.find("Rest") is Fate.LEAVE_OUT
    assert names.find("Gone") is None


def test_the_catalogue_is_read_by_one_statement():
    with statements() as executed:
        names = Names(NOBODY, "hevy", {})
        for name in [*TABLES["hevy"], "Ohio State"]:
            names.find(name)
        names.suggestions("Ohio State")
    assert len(executed) == 1


def test_names_of_a_merged_exercise_mean_the_one_that_is_kept():
    given_up, kept = Exercise.objects.filter(pk__in=["assault-bike", "stationary-bike"]).order_by("pk")
    given_up.merge_into(kept)
    names = Names(NOBODY, "hevy", {"Chosen": "assault-bike"})
    assert {names.find(name) for name in ("Air Bike", "Fan Bike", "Assault Bike", "Chosen")} == {kept}
    assert given_up not in names.suggestions("Air Bike")


def test_a_retired_exercise_is_found_but_not_suggested():
    Exercise.objects.filter(pk="assault-bike").update(retired_at=timezone.now())
    names = Names(NOBODY, "hevy", {})
    assert names.find("Air Bike").pk == "assault-bike"
    assert "assault-bike" not in [exercise.pk for exercise in names.suggestions("Air Bike")]


def test_an_exercise_that_staff_have_renamed_keeps_its_first_name():
    Exercise.objects.filter(pk="jm-press").update(name="Press by John")
    assert found("JM Press", "fitnotes") == found("Press by John", "fitnotes") == "jm-press"


def test_an_active_exercise_comes_before_a_retired_one_of_the_same_words():
    twin = Exercise.objects.get(pk="pendlay-row")
    twin.pk, twin.name, twin.retired_at = "a-pendlay-row", "Row Pendlay", timezone.now()
    twin.save(force_insert=True)
    assert by_names_alone("Pendlay Row (Barbell)") == "pendlay-row"
    assert by_names_alone("Row Pendlay") == "a-pendlay-row"


def test_names_in_another_alphabet_are_kept_apart():
    Exercise.objects.filter(pk="barbell-bench-press").update(aliases=["Жим лёжа 2"])
    assert found("жим лежа 2") == "barbell-bench-press"
    assert found("тяга 2") is None


@pytest.mark.parametrize(("source", "share"), [("hevy", 0.96), ("strong", 0.96), ("fitnotes", 0.99)])
def test_three_suggestions_hold_what_a_table_would_have_said(source, share):
    names = Names(NOBODY, source, {})
    meant = {name: exercise_id for name, exercise_id in TABLES[source].items() if exercise_id}
    near = [exercise_id in [one.pk for one in names.suggestions(name)] for name, exercise_id in meant.items()]
    assert sum(near) >= share * len(meant)

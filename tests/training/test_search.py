"""What a search finds first: the same in the API, the tool, the forms and the catalogue view."""

import io
import json
import re
from html import unescape
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.urls import reverse

from fitness.db.keysets import MixedKeyset
from tests.conftest import a_set, a_workout, problems, statements
from tests.html import html
from tests.mcp_endpoint.conftest import ToolClient
from tests.pages import pages_of
from tests.site.test_admin import exercise_form
from tests.training.test_import_exercises import entry as entry_of_a_file
from training import catalogue as shipped
from training.models import Exercise
from training.models.search import NEVER

ENTRIES = list(shipped.entries())

# What people type, by what they mean: other spellings, short forms and parts of names. The names and aliases
# of the catalogue are searched by test_exercises_are_found_first_by_their_names_and_aliases.
MEANT = {
    "Barbell Back Squat": ["squats"],
    "Barbell Bench Press": ["benchpress", "Bench Presses", "press bench barb"],
    "Barbell Deadlift": ["deadlifts", "dead lift"],
    "Bent Over Barbell Row": ["bent-over rows", "BB row"],
    "Barbell Curl": ["curls", "bb curl"],
    "Barbell Shrug": ["shrugs"],
    "Dumbbell Lateral Raise": ["side lateral", "lateral raises"],
    "Back Extension": ["hyperextensions", "hyper extension"],
    "Barbell Forward Lunge": ["lunges"],
    "Barbell Hip Thrust": ["hip thrusts"],
    "Barbell Good Morning": ["good mornings"],
    "Close-Grip Barbell Bench Press": ["close grip bench", "CGBP"],
    "Barbell Stiff-Leg Deadlift": ["stiff legged deadlift", "straight leg deadlift", "SLDL"],
    "Clean and Jerk": ["clean & jerk"],
    "Power Clean": ["power cleans"],
    "Barbell Thruster": ["thrusters"],
    "Barbell Romanian Deadlift": ["RDL", "RDLs"],
    "Dumbbell Romanian Deadlift": ["db rdl"],
    "Dumbbell Single-Leg Romanian Deadlift": ["single leg rdl"],
    "Barbell Overhead Press": ["OHP"],
    "Seated Barbell Shoulder Press": ["seated ohp"],
    "Dumbbell Bulgarian Split Squat": ["BSS", "rfess", "bulgarian split squats"],
    "Dumbbell Bench Press": ["db bench", "db press", "db bench press", "bench press with dumbbells"],
    "Incline Dumbbell Bench Press": ["incline db press", "dumbbell incline bench press", "incl db bench"],
    "Single-Arm Dumbbell Row": ["db row", "one arm db row", "1 arm dumbbell row"],
    "Kettlebell Swing": ["KB swing", "kb swings"],
    "Kettlebell Turkish Get-Up": ["TGU"],
    "EZ-Bar Curl": ["ez bar curl"],
    "Handstand Push-Up": ["HSPU"],
    "Toes-to-Bar": ["t2b"],
    "Safety Bar Squat": ["ssb squat"],
    "Barbell Sumo Deadlift": ["sumo dl"],
    "Behind-the-Neck Press": ["BTN press"],
    "Pull-Up": ["pull up", "pull-ups"],
    "Chin-Up": ["chin up", "chinups", "chins"],
    "Push-Up": ["push ups", "pushup", "press ups"],
    "Sit-Up": ["sit ups"],
    "T-Bar Row": ["t bar row", "tbar rows"],
    "Lat Pulldown": ["lat pull down", "lat pulldowns"],
    "V-Up": ["v-ups"],
    "Farmer's Walk": ["farmers walk", "farmer\u2019s carry"],
    "Dumbbell Fly": ["flyes", "flies", "dumbbell flys"],
    "Plank": ["planks"],
    "Machine Standing Calf Raise": ["calf raises"],
    "Burpee": ["burpees", "BÜRPEE"],
    "Face Pull": ["face pulls", "facepull"],
    "EZ-Bar Skull Crusher": ["skull crushers", "skullcrusher", "nosebreakers", "lying tricep extension"],
    "Seated Barbell Wrist Curl": ["wrist curls"],
    "Dumbbell Concentration Curl": ["concentration curl"],
    "Incline Dumbbell Curl": ["incline curls"],
    "Cable Triceps Pushdown": ["tricep pushdown", "triceps press down"],
    "Dumbbell Triceps Kickback": ["tricep kickbacks"],
    "Triceps Dip": ["dips"],
    "Dumbbell Reverse Fly": ["reverse flyes"],
    "Dumbbell Shoulder Press": ["db shoulder press"],
    "Cable Crossover": ["cable crossovers"],
    "Straight-Arm Pulldown": ["straight arm pulldown"],
    "Chest-Supported Dumbbell Row": ["chest supported row"],
    "Machine-Assisted Pull-Up": ["assisted pull up"],
    "Lying Leg Curl": ["hamstring curls"],
    "Nordic Hamstring Curl": ["nordics"],
    "Glute Bridge": ["glute bridges"],
    "Russian Twist": ["russian twists"],
    "Barbell Front Squat": ["squat, front"],
    "Machine Lateral Raise": ["lat raise machine"],
}

# Where people differ, what each of them means is among the first three.
AMONG_THREE = {
    "chest fly": "Dumbbell Fly",
    "leg raises": "Hanging Leg Raise",
    "leg raise": "Lying Leg Raise",
    "kickbacks": "Cable Glute Kickback",
    "walking lunges": "Dumbbell Walking Lunge",
    "split squat": "Barbell Split Squat",
    "step ups": "Dumbbell Step-Up",
    "overhead tricep extension": "Seated Dumbbell Overhead Triceps Extension",
    "machine row": "Machine Seated Row",
    "smith squat": "Smith Machine Squat",
    "kb deadlift": "Kettlebell Sumo Deadlift",
}

pytestmark = pytest.mark.django_db


@pytest.fixture
def tools(api):
    return ToolClient(api.key)


def found(api, text, limit=100, **query):
    listed = api.get("/exercises", q=text, limit=limit, **query).json()
    return [exercise["name"] for exercise in listed["exercises"]]


def names_in(text):
    """The exercises of a screen or a part of one, in its order."""
    names = [unescape(name) for name in re.findall(r"<bdi>([^<]*)</bdi>", text)]
    return [name for name in names if Exercise.objects.filter(name=name).exists()]


@pytest.mark.parametrize("name", MEANT)
def test_what_people_type_finds_what_they_mean(api, name):
    assert [text for text in MEANT[name] if found(api, text, limit=1) != [name]] == []


@pytest.mark.parametrize("text", AMONG_THREE)
def test_where_people_differ_each_lift_is_near(api, text):
    assert AMONG_THREE[text] in found(api, text, limit=3)


def test_dips_of_every_kind_are_near(api):
    assert found(api, "dip", limit=4) == ["Triceps Dip", "Ring Dip", "Bench Dip", "Chest Dip"]


def test_exercises_are_found_first_by_their_names_and_aliases(api, unlimited):
    """A tenth of them: that none is called like another one in a search is tested in test_catalogue.py."""
    known = [(entry["name"], called) for entry in ENTRIES for called in (entry["name"], *entry["aliases"])]
    missed = [(called, name) for name, called in known[::10] if found(api, called, limit=1) != [name]]
    assert len(known) > 1_500
    assert missed == []


@pytest.mark.parametrize(
    "spellings",
    [
        ("pull up", "pull-up", "pullup", "Pull Ups", "PULL\u2010UPS"),
        ("push down", "pushdown", "push-downs", "pressdowns"),
        ("db fly", "dumbbell flyes", "DUMBBELL  flies", "dumbell fly"),
        ("kettlebell carry", "KB carries"),
        ("one-arm row", "single arm rows", "1 arm row"),
        ("farmer's walk", "farmers walk", "farmer walks"),
        ("clean and press", "clean & press", "clean press"),
        ("élévation", "elevation"),
    ],
)
def test_spellings_of_one_thing_find_the_same(api, spellings):
    assert len({tuple(found(api, spelling)) for spelling in spellings}) == 1


def test_letters_of_other_scripts_are_found_in_any_case(admin_page, api):
    admin_page.post(
        reverse("admin:training_exercise_add"), exercise_form(name="Жим лёжа", aliases="Élévation")
    )
    for text in ("Жим лёжа", "ЖИМ", "лежа", "elevation"):
        assert found(api, text) == ["Жим лёжа"]


def test_equal_names_then_beginnings_then_parts_of_words(api):
    names = found(api, "chin")
    begins = [bool(re.search(r"\bchin", name, re.IGNORECASE)) for name in names]
    assert names[0] == "Chin-Up"  # by its alias Chin
    assert begins == sorted(begins, reverse=True)
    assert "Machine Crunch" in names


def test_other_names_count_only_where_no_name_holds_all_words(api):
    assert "Plate-Loaded Row" not in found(api, "hammer")  # Hammer Strength Row
    assert "Plate-Loaded Row" in found(api, "hammer strength")
    assert {"Barbell Overhead Press", "Seated Barbell Shoulder Press"} <= set(found(api, "military"))


def test_an_alias_that_is_the_whole_text_counts_beside_names(api):
    assert found(api, "butterfly") == ["Pec Deck Fly", "Butterfly Sit-Up", "Butterfly Stretch"]


def test_name_and_aliases_together_may_hold_the_words(api):
    assert found(api, "barbell conventional row") == []
    assert found(api, "barbell conventional") == ["Barbell Deadlift"]


def test_equal_matches_come_shortest_first_then_by_name(api):
    names = found(api, "kettlebell")
    assert names == sorted(names, key=lambda name: (len(name), name))


def test_what_the_account_trained_comes_first_within_its_rank_newest_first(api, log_workout, stranger_api):
    before = found(api, "row")
    for day, exercise_id in enumerate(["sled-row", "pendlay-row", "inverted-row", "sled-row"], start=1):
        log_workout(a_set(), exercise_id=exercise_id, started_at=f"2026-03-0{day}T10:00:00Z")
    names = found(api, "row")
    assert names[0] == before[0] == "Bent Over Barbell Row"  # the alias Row: an untrained better match
    assert names[1:4] == ["Sled Row", "Inverted Row", "Pendlay Row"]
    assert sorted(names) == sorted(before)
    assert found(stranger_api, "row") == before


def test_without_words_the_list_is_by_name_whatever_was_trained(api, log_workout):
    log_workout(a_set(), exercise_id="zottman-curl")
    for text in ("", "   "):
        names = found(api, text)
        assert names == list(Exercise.objects.order_by("name").values_list("name", flat=True)[:100])


TRAINED = ["zottman-curl", "z-press", "sled-row", "dumbbell-squat", "barbell-bench-press"]


@pytest.mark.parametrize("text", ["press", "row", "military", "squat", "db", "Nordic"])
def test_api_and_tool_find_the_same_and_forms_and_catalogue_view_with_own_exercises_first(
    api, page, tools, log_workout, text
):
    log_workout(a_set(), exercise_id=TRAINED[0])
    for day, exercise_id in enumerate(TRAINED[1:], 1):
        log_workout(a_set(), exercise_id=exercise_id, started_at=f"2026-03-0{day}T10:00:00Z")
    names = found(api, text)
    listed = tools.get("search_exercises", query=text, limit=100)["exercises"]
    assert [exercise["name"] for exercise in listed] == names
    # Screens show what the account has done before the others.
    done = list(Exercise.objects.filter(pk__in=TRAINED).values_list("name", "pk"))
    own = [name for name, pk in sorted(done, key=lambda one: -TRAINED.index(one[1])) if name in names]
    ordered = own + [name for name in names if name not in own]
    suggestions = html(page.get(reverse("exercise-suggestions"), {"q": text}))
    assert names_in(suggestions) == ordered[:8]
    form = {"search": "exercises", "exercises-search": text, "started_at": "2026-03-02T17:30"}
    for address in ("new-workout-rows", "new-routine-rows"):
        offered = html(page.post(reverse(address), form)).split("finder-found")[1].split("</ul>")[0]
        assert names_in(offered) == ordered[:8]
    shown = names_in(html(page.get(reverse("exercises"), {"q": text})))
    assert shown == ordered[: len(own) + 15]


@pytest.fixture
def squatter(api):
    """The API of an account that did one squat three times, and others of its rank later and less often."""
    times = {"barbell-front-squat": 3, "barbell-hack-squat": 2, "belt-squat": 1, "z-press": 1}
    days = iter(range(1, 28))
    for exercise_id, count in times.items():
        for _ in range(count):
            started_at = f"2026-03-{next(days):02}T10:00:00Z"
            api.post("/workouts", a_workout(a_set(), exercise_id=exercise_id, started_at=started_at))
    return api


OWN_SQUATS = ["Barbell Front Squat", "Barbell Hack Squat", "Belt Squat"]


def test_the_squat_that_was_done_most_comes_first_everywhere(squatter, page, tools):
    names = found(squatter, "squat")
    assert names[0] == "Barbell Back Squat"  # the alias Squat, of a better rank
    assert names[1:4] == OWN_SQUATS
    listed = tools.get("search_exercises", query="squat", limit=100)["exercises"]
    assert [exercise["name"] for exercise in listed] == names
    for address in ("exercise-suggestions", "exercises"):
        shown = names_in(html(page.get(reverse(address), {"q": "squat"})))
        assert shown[:4] == [*OWN_SQUATS, "Barbell Back Squat"]
    assert walk(squatter, "squat", limit=2) == names


def test_in_a_form_the_lift_done_most_comes_before_names_that_match_better(squatter, page, log_workout):
    log_workout(a_set(), exercise_id="barbell-back-squat", started_at="2026-03-30T10:00:00Z")
    assert found(squatter, "squat")[0] == "Barbell Back Squat"
    for address in ("exercise-suggestions", "exercises"):
        shown = names_in(html(page.get(reverse(address), {"q": "squat"})))
        assert shown[:4] == [*OWN_SQUATS[:2], "Barbell Back Squat", OWN_SQUATS[2]]


def test_of_exercises_done_as_often_and_at_the_same_time_screens_show_the_same_first(page, api):
    both = a_workout(a_set(), exercise_id="barbell-bulgarian-split-squat")
    both["exercises"] += a_workout(a_set(), exercise_id="barbell-back-squat")["exercises"]
    api.post("/workouts", both)
    shown = [
        names_in(html(page.get(reverse(address), {"q": "squat"})))[:2]
        for address in ("exercise-suggestions", "exercises")
    ]
    assert shown == [["Barbell Back Squat", "Barbell Bulgarian Split Squat"]] * 2


def test_a_search_counts_so_many_sessions_and_then_the_newest_comes_first(squatter, page, monkeypatch):
    monkeypatch.setattr("training.models.search.MAX_SESSIONS", 2)
    shown = names_in(html(page.get(reverse("exercise-suggestions"), {"q": "squat"})))
    assert shown[:3] == ["Barbell Hack Squat", "Barbell Front Squat", "Belt Squat"]


def walk(api, text, limit=7, between=lambda: None):
    seen = []
    for exercises in pages_of(api, "/exercises", "exercises", q=text, limit=limit):
        seen += [exercise["name"] for exercise in exercises]
        between()
    return seen


@pytest.mark.parametrize("text", ["press", "chin", "military", "db curl", "s"])
def test_pages_together_are_the_list(api, unlimited, log_workout, text):
    same_moment = a_workout(a_set(), exercise_id="z-press")
    same_moment["exercises"] += a_workout(a_set(), exercise_id="jm-press")["exercises"]
    api.post("/workouts", same_moment)
    log_workout(a_set(), exercise_id="chin-up", started_at="1950-03-02T17:30:00Z")
    seen = walk(api, text)
    assert seen == walk(api, text, limit=100)
    assert len(seen) == len(set(seen))


def test_pages_repeat_nothing_while_the_catalogue_changes(api, log_workout):
    log_workout(a_set(), exercise_id="spoto-press")
    numbers = iter(range(1_000))

    def add_exercise():
        number = next(numbers)
        Exercise.objects.merge([{**ENTRIES[0], "id": f"a-press-{number}", "name": f"A{number} Press"}])

    seen = walk(api, "press", between=add_exercise)
    assert len(seen) == len(set(seen))
    assert {entry["name"] for entry in ENTRIES if "Press" in entry["name"].split()} <= set(seen)


def test_the_catalogue_view_leads_through_all_that_is_found(page, api):
    text, names = html(page.get(reverse("exercises"), {"q": "press"})), []
    while True:
        names += names_in(text)
        more = re.search(r'href="(\?[^"]*cursor=[^"]+)"', text)
        if not more:
            break
        text = html(page.get(reverse("exercises") + unescape(more[1])))
    assert names == walk(api, "press", limit=100)


def test_a_cursor_of_another_search_account_or_version_is_rejected(api, account, stranger_api):
    cursor = api.get("/exercises", q="press", limit=1).json()["next_cursor"]
    before_this_version = MixedKeyset("exercises found", "rank", "-trained", "length", "name", "id")
    row = SimpleNamespace(rank=2, trained=NEVER, length=7, name="Z Press", id="z-press")
    old = before_this_version.encode(row, before_this_version.salt(account, "press"))
    for client, text, sent in [
        (api, "curl", cursor),
        (api, "", cursor),
        (stranger_api, "press", cursor),
        (api, "press", cursor[:-4] + "AAAA"),
        (api, "press", old),
    ]:
        assert problems(client.get("/exercises", q=text, cursor=sent)).keys() == {"query.cursor"}


def test_filters_narrow_what_is_found(api):
    fitting = {
        entry["name"]
        for entry in ENTRIES
        if (entry["muscle_group"], entry["equipment"]) == ("Shoulders", "Dumbbell")
    }
    names = found(api, "press", muscle_group="Shoulders", equipment="Dumbbell")
    assert names == [name for name in walk(api, "press", limit=100) if name in fitting]
    assert names


@pytest.mark.parametrize("text", ["the", "a b c d e f g h i j k l m n o p", "x " * 100, "x" * 200, "|", "| "])
def test_odd_texts_are_searched_like_any(api, text):
    assert api.get("/exercises", q=text[:200]).status_code == 200


@pytest.mark.parametrize("text", ["x" * 201, "\0", "   "])
def test_the_catalogue_view_lists_all_where_it_rejects_a_text(page, text):
    everything = names_in(html(page.get(reverse("exercises"))))
    assert names_in(html(page.get(reverse("exercises"), {"q": text}))) == everything


def test_signs_alone_find_nothing(api):
    assert not any(found(api, text) for text in ("|", "-", "| |", "'", "%", "_", "%_", "100%", "\\"))


def test_a_name_that_staff_give_is_found_at_once(admin_page, api):
    named = exercise_form(id="moon-walk", name="Moon Walk", aliases="Lunar Stroll")
    admin_page.post(reverse("admin:training_exercise_add"), named)
    assert found(api, "moonwalks") == found(api, "lunar strolls") == ["Moon Walk"]
    address = reverse("admin:training_exercise_change", args=["moon-walk"])
    admin_page.post(address, {**named, "name": "Crater Hop", "aliases": ""})
    assert found(api, "moonwalks") == found(api, "lunar strolls") == []
    assert found(api, "crater hops") == ["Crater Hop"]


def test_what_a_file_brings_is_found(tmp_path, api):
    file = tmp_path / "exercises.json"
    file.write_text(json.dumps([entry_of_a_file("Moon Walks")]))
    call_command("import_exercises", str(file), stdout=io.StringIO())
    assert found(api, "moon-walk") == ["Moon Walks"]


def test_loading_the_catalogue_folds_what_an_older_version_folded_otherwise(api):
    Exercise.objects.update(name_folded="", names_folded="", edited=True)
    assert found(api, "bench") == []
    call_command("load_catalogue", stdout=io.StringIO())
    assert found(api, "bench")[0] == "Barbell Bench Press"


def test_staff_search_by_other_names_too(admin_page):
    for text, name in [("ohp", "Barbell Overhead Press"), ("rdl", "Barbell Romanian Deadlift")]:
        listed = html(admin_page.get(reverse("admin:training_exercise_changelist"), {"q": text}))
        assert name in listed
        assert "Hurdle Hops" not in listed
    by_id = html(admin_page.get(reverse("admin:training_exercise_changelist"), {"q": "l-sit-pull-up"}))
    assert "L-Sit Pull-Up" in by_id


def test_no_hit_is_an_empty_list_over_rest(api):
    assert api.get("/exercises", q="sqwat").json() == {"exercises": [], "next_cursor": None}


def summary(tools, **arguments):
    (notice,) = tools.notices("search_exercises", **arguments)
    return notice


def test_no_hit_of_the_tool_names_the_three_nearest(tools):
    assert summary(tools, query="deadlfit") == (
        "No exercise is called 'deadlfit'. Nearest: Barbell Deadlift (barbell-deadlift), "
        "Rack Pull (rack-pull), Axle Deadlift (axle-deadlift)."
    )


def test_no_hit_behind_a_filter_names_the_filter(tools):
    found = summary(tools, query="military press", muscle_group="Legs", equipment="Cable")
    assert found.startswith(
        "No exercise among Legs and Cable is called 'military press'. Nearest: Barbell Overhead Press"
    )


def test_a_sentence_stays_short_and_on_one_line(tools):
    sentence = summary(tools, query="zq\n" + "z" * 190)
    assert "\n" not in sentence
    assert len(sentence) < 400


@pytest.mark.parametrize("text", ["benchh pres", "zzz"])
def test_no_hit_on_a_screen_names_the_nearest(page, tools, text):
    near = re.findall(r"([A-Z][^,.(]*) \(", summary(tools, query=text).split("Nearest: ")[1])
    assert len(near) == 3
    form = {"search": "exercises", "exercises-search": text, "started_at": "2026-03-02T17:30"}
    for shown in (
        page.get(reverse("exercise-suggestions"), {"q": text}),
        page.post(reverse("new-workout-rows"), form),
        page.get(reverse("exercises"), {"q": text}),
    ):
        assert names_in(html(shown)) == near


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("Military Press", "barbell-overhead-press"),
        ("ohp", "barbell-overhead-press"),
        ("RDL", "barbell-romanian-deadlift"),
        ("skullcrusher", "ez-bar-skull-crusher"),
        ("squat", "barbell-back-squat"),
        ("bench_press", "barbell-bench-press"),
        ("pullups", "pull-up"),
        ("press-bench-barbell", "barbell-bench-press"),
        ("deadlfit", "barbell-deadlift"),
    ],
)
def test_an_unknown_id_suggests_by_names_and_aliases(api, sent, meant):
    errors = problems(api.post("/workouts", a_workout(a_set(), exercise_id=sent)))
    near = errors["body.exercises[0].exercise_id"].split("nearest ids are ")[1].split(";")[0]
    assert meant in near.split(", ")


def test_an_unknown_id_that_is_sent_often_is_looked_up_once(api):
    body = a_workout()
    body["exercises"] = [{"exercise_id": "skullcrusher", "sets": []}] * 50
    errors = problems(api.post("/workouts", body))
    assert len(set(errors.values())) == 1
    assert "ez-bar-skull-crusher" in errors["body.exercises[49].exercise_id"]


@pytest.mark.parametrize("text", ["", "press", "s", "military press", "zzz", "a b c d e"])
def test_a_search_takes_one_statement_besides_the_key(api, log_workout, text):
    for day in range(1, 4):
        log_workout(a_set(), started_at=f"2026-03-0{day}T10:00:00Z")
    cursor = api.get("/exercises", q=text, limit=1).json()["next_cursor"]
    for query in [{}, {"cursor": cursor} if cursor else {}, {"muscle_group": "Chest"}]:
        with statements() as run:
            assert api.get("/exercises", q=text, **query).status_code == 200
        assert len(run) == 2, run


@pytest.mark.parametrize(("text", "extra"), [("press", 0), ("zzz", 1)])
def test_the_nearest_take_one_statement_more(api, tools, page, text, extra):
    tools.get("get_profile")  # stores the time of the key's use
    with statements() as by_tool:
        tools.get("search_exercises", query=text)
    assert len(by_tool) == 2 + extra
    page.get(reverse("exercise-suggestions"))
    with statements() as by_page:
        page.get(reverse("exercise-suggestions"), {"q": text})
    assert len(by_page) == 3 + extra  # the account is read on its own


def test_the_plain_lifts_of_a_word_come_before_olympic_drills(api):
    assert "Dumbbell Shrug" in found(api, "shrugs", limit=5)
    assert found(api, "clean", limit=4) == ["Squat Clean", "Clean Pull", "Dumbbell Clean", "Hang Clean"]


def test_side_laterals_are_lateral_raises(api):
    assert found(api, "side laterals", limit=3) == [
        *("Dumbbell Lateral Raise", "Cable Lateral Raise", "Machine Lateral Raise")
    ]

"""Body weights and days of nutrition: what is there already, what is stored, and what is taken back."""

import datetime

import pytest
from django.db import transaction

from body.imports import WeightKind
from fitness.imports.messages import Unreadable
from nutrition.imports import NutritionKind
from nutrition.models import Food, FoodEntry
from tests.conftest import statements
from tests.imports.reading import read, sample

pytestmark = pytest.mark.usefixtures("autumn")


@pytest.fixture
def locked(account):
    """The account in a transaction that has locked it, as each step of an import has."""
    with transaction.atomic():
        account.lock()
        yield account


def weights(*rows):
    return "\n".join(["Date,Weight (kg),Body Fat %,Comments", *rows]) + "\n"


def days(*rows):
    return "\n".join(["Date,Energy (kcal),Carbs (g),Fat (g),Protein (g)", *rows]) + "\n"


def stored(kind, account, reading):
    return kind.store(account, reading.records)


class TestWeight:
    kind = WeightKind()

    def test_what_is_stored_is_what_the_api_shows(self, locked, api):
        stored(self.kind, locked, sample("renpho.csv", zone="Europe/Berlin"))
        logs = api.get("/body/weight").json()["weight"]
        assert [
            (log["logged_at"], log["weight_kg"], log["body_fat_percent"], log["notes"]) for log in logs
        ] == [
            ("2026-04-18T05:01:10Z", 82.35, 18.2, ""),
            ("2026-04-17T19:40:00Z", 83.1, 18.6, "evening"),
            ("2026-04-17T05:03:59Z", 82.6, None, ""),
        ]

    def test_what_an_import_stored_and_somebody_changed_differs(self, locked):
        reading = sample("withings.csv", zone="Europe/Paris")
        ids = [one.record_id for one in stored(self.kind, locked, reading)]
        locked.weight_logs.filter(pk=ids[0]).update(weight_kg=90)
        locked.weight_logs.filter(pk=ids[1]).update(logged_at="2026-01-01T00:00:00Z")
        assert self.kind.matching(locked, reading.records) == [None, None]
        assert [*map(str, self.kind.differing(locked, reading.records, ids))] == [
            "is 84.2 kg in the file, 90 kg here",
            "has another time here",
        ]

    @pytest.mark.parametrize(
        ("logged_at", "weight_kg", "is_there"),
        [
            ("2026-09-28T12:00:30Z", 80.5, True),
            ("2026-09-28T12:00:00Z", 80.504, True),
            ("2026-09-28T12:01:00Z", 80.5, False),
            ("2026-09-28T11:59:59Z", 80.5, False),
            ("2026-09-28T12:00:00Z", 80.51, False),
        ],
    )
    def test_a_weight_is_there_by_minute_and_kg(self, locked, logged_at, weight_kg, is_there):
        log = locked.weight_logs.create(
            logged_at=datetime.datetime.fromisoformat(logged_at), weight_kg=weight_kg
        )
        records = read(weights("2026-09-28,80.5,,")).records
        assert self.kind.matching(locked, records) == [str(log.pk) if is_there else None]

    def test_each_log_is_matched_once(self, locked):
        [record] = read(weights("2026-09-28,80.5,,")).records
        [one] = self.kind.store(locked, [record])
        assert self.kind.matching(locked, [record, record]) == [one.record_id, None]

    def test_another_accounts_logs_do_not_count(self, locked, stranger):
        reading = read(weights("2026-09-28,80.5,,"))
        theirs = stored(self.kind, stranger, reading)
        assert self.kind.matching(locked, reading.records) == [None]
        self.kind.remove(locked, theirs, changed_too=True)
        assert stranger.weight_logs.count() == 1

    def test_what_somebody_has_changed_stays(self, locked):
        one, two, three = stored(
            self.kind, locked, read(weights("2026-09-28,80,,", "2026-09-27,81,,", "2026-09-26,82,,"))
        )
        locked.weight_logs.filter(pk=two.record_id).update(notes="after lunch")
        locked.weight_logs.filter(pk=three.record_id).delete()
        assert self.kind.remove(locked, [one, two, three], changed_too=False) == [True, False, True]
        assert [str(log.pk) for log in locked.weight_logs.all()] == [two.record_id]
        assert self.kind.remove(locked, [two], changed_too=True) == [True]
        assert not locked.weight_logs.exists()

    @pytest.mark.parametrize(
        ("row", "code", "column"),
        [
            ("2026-09-28,0,,", "number", "weight"),
            ("2026-09-28,1001,,", "number", "weight"),
            ("2026-09-28,x,,", "weight", "weight (kg)"),
            ("2026-09-28,--,,", "empty", "weight"),
            ("2026-09-28,80,101,", "number", "body fat"),
            ("2026-09-28,80,x,", "number", "body fat %"),
            ("never,80,,", "date", "date"),
            ("2026-12-28,80,,", "date", "date"),
        ],
    )
    def test_a_row_that_is_no_weight_is_refused(self, row, code, column):
        reading = read(weights(row))
        [problem] = reading.findings.problems
        assert (problem.line, problem.code, problem.column) == (2, code, column)
        assert reading.rows == {"refused": 1}

    @pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
    @pytest.mark.parametrize(
        ("table", "unit"),
        [
            ("Datum;Gewicht (kg);Körperfett (%);Notiz\n28.09.2026;82,45;18,2;morgens", "lb"),
            ("Datum;Uhrzeit;Gewicht;Körperfettanteil;Bemerkung\n28.09.2026;14:00;82,45;18,2;morgens", "kg"),
            ("Datum;Gewicht [kg];Körperfett [%];Notiz\n28.09.2026;82,45;18,2;morgens", "lb"),
            ("Tag;Gewicht;Körperfett;Notiz\n28.09.2026;82,45;18,2;morgens", "kg"),
            ("Tag;Datum;Gewicht;Körperfett;Notiz\nMo;28.09.2026;82,45;18,2;morgens", "kg"),
            ('Datum,Gewicht,Körperfett,Kommentar\n28.09.2026,"82,45","18,2",morgens', "kg"),
        ],
    )
    def test_a_german_table_is_read(self, table, unit, encoding):
        reading = read(table.encode(encoding), zone="Europe/Berlin", unit=unit)
        [weight] = reading.workouts
        assert (weight["weight_kg"], weight["body_fat_percent"], weight["notes"]) == (82.45, 18.2, "morgens")
        assert f"{weight['logged_at']:%Y-%m-%d %H:%M}" == "2026-09-28 12:00"

    def test_a_german_table_of_exercises_is_none_of_weights(self):
        with pytest.raises(Unreadable, match="not recognised"):
            read("Datum;Übung;Gewicht (kg)\n28.09.2026;Kniebeuge;100")

    @pytest.mark.parametrize(
        "header",
        [
            *("Body Fat %", "Bodyfat", "body_fat", "% Fat", "Percent body fat", "Fat", "Fat (%)"),
            *("Körperfettanteil", "Fat mass (%)"),
        ],
    )
    @pytest.mark.parametrize(
        ("cell", "percent"), [("18.5", 18.5), ("18.5 %", 18.5), ("0", None), ("--", None)]
    )
    def test_percentages_of_fat_are_read(self, header, cell, percent):
        [weight] = read(f"Date,Weight (kg),{header}\n2026-09-28,80,{cell}").workouts
        assert weight["body_fat_percent"] == percent

    @pytest.mark.parametrize("header", ["Fat mass (kg)", "Body Fat Mass(kg)", "Fat (kg)", "Fettmasse"])
    def test_a_mass_of_fat_is_a_part_of_the_weight(self, header):
        [weight] = read(f"Date,Weight (kg),{header}\n2026-09-28,80,16").workouts
        assert weight["body_fat_percent"] == 20

    @pytest.mark.parametrize("header", ["Fat-free Body Weight(kg)", "Subcutaneous Fat(%)", "Visceral Fat"])
    def test_other_fat_is_none_of_the_body(self, header):
        [weight] = read(f"Date,Weight (kg),{header}\n2026-09-28,80,16").workouts
        assert weight["body_fat_percent"] is None

    def test_a_part_of_one_is_a_percentage(self):
        reading = read(weights("2026-09-28,80,0.185,", "2026-09-27,80,0.57,", "2026-09-26,80,1,"))
        assert [weight["body_fat_percent"] for weight in reading.workouts] == [18.5, 57, 1]
        assert [(change.line, change.column, change.text) for change in reading.findings.changes] == [
            (2, "body fat", "0.185 is stored as 18.5 %"),
            (3, "body fat", "0.57 is stored as 57 %"),
        ]

    def test_fitbits_file_begins_with_a_title(self):
        content = (
            'Body\nDate,Weight,BMI,Fat\n"2026-09-27","1,081.2","24.1","18.5"\n"2026-09-28","81","24","0"\n'
        )
        reading = read(content, unit="lb")
        assert [weight["body_fat_percent"] for weight in reading.workouts] == [18.5, None]
        assert [weight["logged_at"].day for weight in reading.workouts] == [27, 28]
        assert (reading.asks, reading.rows) == ({"unit"}, {"records": 2})
        assert [candidate.lines for candidate in reading.candidates] == [(3, 3), (4, 4)]

    def test_long_notes_are_cut(self):
        reading = read(weights(f"2026-09-28,80,,{'n' * 5001}"))
        assert len(reading.workouts[0]["notes"]) == 5000
        assert [change.text for change in reading.findings.changes] == ["is cut after 5,000 characters"]

    def test_dates_without_a_sure_day_are_asked_for(self):
        content = weights("03/04/2026,80,,", "05/04/2026,81,,")
        assert read(content).asks == {"day_first"}
        months = [read(content, day_first=first).workouts[0]["logged_at"].month for first in (True, False)]
        assert months == [4, 3]


SERVINGS = "Day,Time,Group,Food Name,Amount,Energy (kcal),Carbs (g),Fat (g),Protein (g)"


def eaten(account, day):
    """The entries of a day, as the file has them."""
    entries = account.food_entries.of_day(day)
    return [(one.meal, one.name, one.calories, one.protein_g, one.is_included) for one in entries]


class TestNutrition:
    kind = NutritionKind()

    def test_what_is_stored_is_what_the_api_shows(self, locked, api):
        stored(self.kind, locked, sample("myfitnesspal_nutrition.csv"))
        found = api.get("/nutrition").json()["nutrition"]
        assert [
            (day["day"], day["calories"], day["protein_g"], day["carbs_g"], day["fat_g"]) for day in found
        ] == [("2026-09-29", 600, 50, 55, 18), ("2026-09-28", 2250.5, 195, 220, 65)]

    def test_a_day_with_other_values_differs(self, locked, api):
        for day, calories in (("2026-09-28", 1800), ("2026-09-27", 2000)):
            api.put(f"/nutrition/{day}", {"calories": calories, "protein_g": 1, "carbs_g": 1, "fat_g": 2})
        reading = read(days("2026-09-28,2000,1,1,1", "2026-09-27,2000,1,1,1", "2026-09-26,2000,1,1,1"))
        assert self.kind.matching(locked, reading.records) == [None] * 3
        assert [*map(str, self.kind.differing(locked, reading.records, [None] * 3))] == [
            "has 2000 kcal in the file, 1800 here",
            "has other macronutrients in the file",
            "",
        ]

    def test_two_records_of_a_day_store_one(self, locked):
        [record] = read(days("2026-09-28,2000,1,1,1")).records
        assert len({one.record_id for one in self.kind.store(locked, [record, record])}) == 1
        assert locked.nutrition_days.count() == 1

    def test_days_that_changed_or_have_ticks_stay(self, locked):
        rows = [f"2026-09-2{number},2000,1,1,1" for number in range(5, 9)]
        untouched, changed, ticked, gone = stored(self.kind, locked, read(days(*rows)))
        locked.nutrition_days.filter(day=changed.record_id).update(fat_g=2)
        locked.nutrition_days.filter(day=gone.record_id).delete()
        meal = Food.objects.create(account=locked, name="Water", calories=0, protein_g=0, carbs_g=0, fat_g=0)
        meal.tick(datetime.date.fromisoformat(ticked.record_id))
        all_four = [untouched, changed, ticked, gone]
        assert self.kind.remove(locked, all_four, changed_too=False) == [True, False, False, True]
        assert {str(day) for day in locked.nutrition_days.all()} == {changed.record_id, ticked.record_id}
        assert self.kind.remove(locked, [changed, ticked], changed_too=True) == [True, True]
        assert not locked.nutrition_days.exists()
        assert not locked.food_entries.exists()

    def test_rows_with_a_meal_are_entries_that_the_totals_hold(self, locked):
        stored(self.kind, locked, sample("myfitnesspal_nutrition.csv"))
        assert eaten(locked, "2026-09-28") == [
            ("breakfast", "", 550, 45, True),
            ("lunch", "", 700.5, 60, True),
            ("dinner", "", 1000, 90, True),
        ]
        day = locked.nutrition_days.get(day="2026-09-28")
        assert (day.calories, day.is_complete) == (2250.5, True)
        locked.food_entries.of_day(day.day).first().remove()
        day.refresh_from_db()
        assert day.calories == 1700.5

    def test_rows_of_servings_are_entries_with_the_names_of_foods(self, locked):
        rows = [
            "2026-09-28,08:10,Breakfast,Skyr,150 g,93,5,0.2,16.5",
            "2026-09-28,10:00,Snack,Coffee,1 cup,2,,,0.3",
            "2026-09-28,11:00,Uncategorized,Apple,1,95,25,0.3,0.5",
            "2026-09-28,16:00,Pre-workout,Banana,1,105,27,0.4,1.3",
            "2026-09-28,20:00,Late,,1,200,0,0,0",
            f"2026-09-29,08:10,Dinner,{'n' * 300},150 g,93,5,0.2,16.5",
        ]
        stored(self.kind, locked, read("\n".join([SERVINGS, *rows])))
        assert eaten(locked, "2026-09-28") == [
            ("breakfast", "Skyr", 93, 16.5, True),
            ("snacks", "Coffee", 2, 0.3, True),
            ("", "Apple", 95, 0.5, True),
            ("", "Pre-workout: Banana", 105, 1.3, True),
            ("", "Late", 200, 0, True),
        ]
        coffee = locked.food_entries.get(name="Coffee")
        assert (coffee.carbs_g, coffee.fat_g) == (None, None)  # an empty cell is not zero
        assert locked.nutrition_days.get(day="2026-09-28").calories == 495
        assert locked.food_entries.get(meal="dinner").name == "n" * 200

    @pytest.mark.parametrize(
        "rows",
        [
            ["2026-09-28,,Lunch,Tea,1,1,0,0,0"] * 101,
            ["2026-09-28,,Lunch,Tea,1,200,0,0,0", "2026-09-28,,Lunch,Run,1,-50,0,0,0"],
            ["2026-09-28,,,,1,200,0,0,0"],
        ],
        ids=["more than a day has", "one is less than nothing", "neither meal nor name"],
    )
    def test_what_cannot_be_entries_is_the_totals_of_the_day_alone(self, locked, rows):
        stored(self.kind, locked, read("\n".join([SERVINGS, *rows])))
        assert locked.nutrition_days.get().calories == sum(float(row.split(",")[5]) for row in rows)
        assert not locked.food_entries.exists()

    def test_a_day_is_taken_back_with_its_entries_while_nobody_has_changed_them(self, locked):
        rows = [f"2026-09-2{number},,Lunch,Tea,1,0,0,0,0.1" for number in range(5, 9)]
        all_four = stored(self.kind, locked, read("\n".join([SERVINGS, *rows])))
        of_day = locked.food_entries.of_day
        of_day(all_four[1].record_id).get().edit({"protein_g": 5.0})
        of_day(all_four[2].record_id).get().remove()
        FoodEntry.objects.add(locked, datetime.date(2026, 9, 28), [FoodEntry(name="Water", calories=0)])
        assert self.kind.remove(locked, all_four, changed_too=False) == [True, False, False, False]
        assert self.kind.remove(locked, all_four, changed_too=True) == [True] * 4
        assert not locked.food_entries.exists()

    def test_another_accounts_days_do_not_count(self, locked, stranger):
        reading = read(days("2026-09-28,2000,1,1,1"))
        theirs = stored(self.kind, stranger, reading)
        assert self.kind.matching(locked, reading.records) == [None]
        self.kind.remove(locked, theirs, changed_too=True)
        assert stranger.nutrition_days.count() == 1

    def test_totals_are_ignored(self):
        header = "Date,Meal,Calories,Fat (g),Carbohydrates (g),Protein (g)"
        rows = ["2026-09-28,Lunch,500,1,1,1", "2026-09-28,TOTAL,500,1,1,1", "Total,,500,1,1,1"]
        reading = read("\n".join([header, *rows]))
        assert [record.values["calories"] for record in reading.records] == [500]
        assert reading.rows == {"records": 1, "ignored": 2}

    def test_a_day_beyond_the_limits_refuses_all_of_its_rows(self):
        reading = read(days("2026-09-28,60000,1,1,1", "2026-09-28,60000,1,1,1", "2026-09-29,-1,1,1,1"))
        assert reading.records == [None, None]
        assert [(problem.line, problem.column) for problem in reading.findings.problems] == [
            (2, "calories"),
            (4, "calories"),
        ]
        assert reading.rows == {"refused": 3}


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (WeightKind(), weights(*(f"2026-08-{number:02},80,," for number in range(1, 29)))),
        (NutritionKind(), days(*(f"2026-08-{number:02},80,1,1,1" for number in range(1, 29)))),
        (
            NutritionKind(),
            "\n".join([SERVINGS, *(f"2026-08-{n:02},,Lunch,Tea,1,80,1,1,1" for n in range(1, 29))]),
        ),
    ],
)
def test_many_records_take_as_few_statements_as_one(kind, content, locked):
    records = read(content).records
    counts = []
    for some in (records[:1], records[1:]):
        with statements() as executed:
            kind.matching(locked, some)
            kind.differing(locked, some, [None] * len(some))
            stored = kind.store(locked, some)
            assert all(kind.remove(locked, stored, changed_too=False))
        counts.append(len(executed))
    assert counts[0] == counts[1] <= 8

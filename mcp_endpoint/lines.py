"""The one line of an answer: what a record is, in figures by which a mistake is noticed.

Each function takes a record as clients read it, and the account, in whose zone moments are written. What the
record lacks is a notice (mcp_endpoint/notices.py).
"""

import datetime
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from accounts.models import Account
from body.models import SITES
from fitness.json import JsonObject, without_fragments
from fitness.web.local_time import zone_of

NUTRIENTS = {"calories": "kcal", "protein_g": "g protein", "carbs_g": "g carbs", "fat_g": "g fat"}
# Of the records of lists whose name is no plural.
NOUNS = {"weight": "weight log", "measurements": "tape measurement", "nutrition": "day"}
MOMENTS = ("day", "started_at", "logged_at", "date")  # of the records of lists


def workout(record: JsonObject, account: Account) -> str:
    sets = sum(len(entry["sets"]) for entry in record["exercises"])
    exercises = counted(len(record["exercises"]), "exercise")
    figures = f"{exercises}, {counted(sets, 'set')}, {amount(record['volume_kg'])} kg"
    return f"{record['title'] or 'Untitled workout'}, {moment(record['started_at'], account)}: {figures}"


def routine(record: JsonObject, account: Account) -> str:
    entries = record["exercises"]
    sets = counted(sum(entry["sets"] for entry in entries), "set")
    return f'Routine "{record["name"]}": {counted(len(entries), "exercise")}, {sets}'


def plan(record: JsonObject, account: Account) -> str:
    exercises = counted(sum(len(day["exercises"]) for day in record["days"]), "exercise")
    days = counted(record["days_per_week"], "training day")
    state = "active" if record["active"] else "not active"
    return f'Training plan "{record["name"]}", {state}: {days} a week, {exercises}'


def progression(record: JsonObject, account: Account) -> str:
    deload = f"; next deload week from {record['next_deload']}" if record["next_deload"] else ""
    return f'Training plan "{record["plan_name"]}": {counted(len(record["rules"]), "rule")}{deload}'


def weight(record: JsonObject, account: Account) -> str:
    fat = record["body_fat_percent"]
    with_fat = "" if fat is None else f", {amount(fat)} % body fat"
    return f"{body_weight(record['weight_kg'])}{with_fat}, {moment(record['logged_at'], account)}"


def measurements(record: JsonObject, account: Account) -> str:
    return f"{figures_of_tape(record)}, {moment(record['logged_at'], account)}"


def nutrition(record: JsonObject, account: Account) -> str:
    return f"{figures_of_nutrition(record)} on {day(record['day'])}"


def supplement(record: JsonObject, account: Account) -> str:
    return f"{dosed(record['name'], record['dosage'])} at {record['time']}"


def tick(record: JsonObject, account: Account) -> str:
    return f"tick of {day(record['day'])}, taken {moment(record['taken_at'], account)}"


def goal(record: Mapping[str, Any], account: Account) -> str:
    """With what is not set, because a new goal replaces all of the one before."""
    weight_kg, start_kg = record["target_weight_kg"], record["start_weight_kg"]
    fat, deadline = record["target_body_fat_percent"], record["deadline"]
    aims = [
        body_weight(weight_kg) if weight_kg else "no target weight",
        "no body fat target" if fat is None else f"{amount(fat)} % body fat",
        f"by {day(deadline)}" if deadline else "no deadline",
    ]
    return f"goal {', '.join(aims)}{f'; it starts from {body_weight(start_kg)}' if start_kg else ''}"


def profile(record: JsonObject, account: Account) -> str:
    birth, height = record["birth_date"], record["height_cm"]
    facts = [
        f"{amount(height)} cm" if height else "",
        f"born {day(birth)}" if birth else "",
        record["gender"],
        f"goal {record['goal']}",
    ]
    return f"{record['display_name'] or record['email']}: {', '.join(filter(None, facts))}"


def training_stats(record: JsonObject, account: Account) -> str:
    """Its window is one of UTC days."""
    window, sessions = (
        span([record["since"][:10], record["until"][:10]]),
        counted(record["sessions"], "session"),
    )
    volume, sets = amount(record["volume_kg"]), counted(record["completed_sets"], "completed set")
    return f"{window}: {sessions}, {volume} kg in {sets}; streak {counted(record['streak_days'], 'day')}"


def body_trend(record: JsonObject, account: Account) -> str:
    points, figures = record["points"], record["weight"]
    if not points:
        return "no weight was logged in this window"
    first, last = body_weight(figures["first"]), body_weight(figures["last"])
    trend = body_weight(points[-1]["trend_kg"])
    return f"{counted(figures['entries'], 'weight log')}, {first} to {last}; trend {trend}"


def page(lists: JsonObject, account: Account) -> str:
    """`2 workouts, 17 Nov to 20 Nov; more with cursor`, of a page or of lists without a cursor."""
    records = {name: items for name, items in lists.items() if isinstance(items, list)}
    parts = [counted(len(items), NOUNS.get(name, name[:-1])) for name, items in records.items()]
    ends = [without_fragments(one) for items in records.values() for one in (*items[:1], *items[-1:])]
    moments = [next((one[name] for name in MOMENTS if name in one), "") for one in ends]
    days = [day_of(moment, account) for moment in moments if moment]
    more = "; more with cursor" if lists.get("next_cursor") else ""
    return f"{' and '.join(parts)}{f', {span(days)}' if days else ''}{more}"


def history(record: JsonObject, account: Account) -> str:
    """With the best set of the sessions shown."""
    bests = [session["best_set"] for session in record["sessions"] if session["best_set"]]
    best = max(bests, key=lambda one: (one["weight_kg"], one["reps"]), default=None)
    figures = f"; best set {load(best['weight_kg'], best['reps'])}" if best else ""
    return f"{record['exercise']['name']}: {page(record, account)}{figures}"


def counted(number: int, noun: str) -> str:
    """`1 set`, `1,020 sets`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def amount(number: float) -> str:
    """A number with at most two decimals and its thousands grouped."""
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def load(weight_kg: float, reps: int) -> str:
    """The weight and the repetitions of a set: `100 kg × 5`."""
    return f"{amount(weight_kg)} kg × {reps}"


def body_weight(weight_kg: float) -> str:
    """A body weight, always with a decimal: a mistake such as 805 for 80.5 is then easy to see."""
    return f"{round(weight_kg, 2)} kg"


def dosed(name: str, dosage: str) -> str:
    return f"{name} ({dosage})" if dosage else name


def figures_of_nutrition(totals: Mapping[str, float]) -> str:
    """`2,000 kcal, 150 g protein, 200 g carbs, 70 g fat`."""
    return ", ".join(f"{amount(totals[name])} {unit}" for name, unit in NUTRIENTS.items())


def figures_of_tape(sites: Mapping[str, Any]) -> str:
    """`waist 84.5 cm, neck 39 cm`."""
    measured = [site for site in SITES if sites[site] is not None]
    return ", ".join(f"{site.removesuffix('_cm')} {amount(sites[site])} cm" for site in measured)


def day(date: datetime.date | str) -> str:
    """`20 Nov`, with the year where it is not the current one; of a date, or of one as clients read it."""
    found = datetime.date.fromisoformat(date) if isinstance(date, str) else date
    year = "" if found.year == timezone.now().year else f" {found.year}"
    return f"{found.day} {found:%b}{year}"


def span(days: list[Any]) -> str:
    """From the earliest to the latest of the days: `3 Oct to 20 Nov`."""
    first, last = day(min(days)), day(max(days))
    return first if first == last else f"{first} to {last}"


def day_of(timestamp: str, account: Account) -> datetime.date:
    """The person's day at a moment as clients read it, or the day itself."""
    if len(timestamp) == len("2026-11-20"):
        return datetime.date.fromisoformat(timestamp)
    return datetime.datetime.fromisoformat(timestamp).astimezone(zone_of(account.time_zone)).date()


def moment(timestamp: str | datetime.datetime, account: Account) -> str:
    """`20 Nov, 23:30 UTC`, and of an account with another zone `21 Nov, 12:30 where you are`."""
    at = datetime.datetime.fromisoformat(timestamp) if isinstance(timestamp, str) else timestamp
    zone = zone_of(account.time_zone)
    local = at.astimezone(zone)
    return f"{day(local)}, {local:%H:%M} {'UTC' if zone is datetime.UTC else 'where you are'}"

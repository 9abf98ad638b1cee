"""The text before a result: the figures by which a model or a person notices a mistake.

Each function takes the Outcome of a call and returns a sentence, or several. Those that say what the result
does not hold are Notices. For a list they are about the items shown; Tool adds how to get more.
"""

import datetime
from uuid import UUID

from django.utils import timezone

from fitness.api.errors import shortened
from fitness.days import ONE_DAY, utc_today
from fitness.json import JsonObject, without_fragments
from mcp_endpoint.beyond import ESTIMATED_DAYS, Estimated
from mcp_endpoint.phrases import (
    NUTRIENTS,
    Notice,
    amount,
    amounts,
    body_weight,
    bounded,
    correct_at,
    counted,
    day,
    day_and_time,
    day_in_full,
    figures_of_nutrition,
    figures_of_tape,
    load,
    monday_of,
    named,
    odd_date,
    own_day,
    past,
    span,
)
from mcp_endpoint.tool import Outcome
from training import stats
from training.models.sets import Lift

ONE_WEEK = 7 * ONE_DAY
TWO_WEEKS = 2 * ONE_WEEK
MAX_WEEKS = 26  # in the text of training totals
MAX_TIMED = 10  # sessions with times and distances in the text of a history
MAX_ESTIMATES = 25  # in the text of personal records
ODD_FACTOR = 1.5  # of the best weight: what is above it may be a mistake
MAX_ODD = 2  # in the sentence about such weights
MANY_SETS, SHORT_SECONDS = 10, 300  # more sets in less time are a wrong duration
LOGS = {  # of body metrics, by their lists
    "weight": "weight log",
    "measurements": "tape measurement",
}


def parsed(timestamp: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(timestamp)


# --- Reading ------------------------------------------------------------------------------------


def profile(outcome: Outcome) -> list[str]:
    """The person, and what the account says of its clock and unit beyond the profile."""
    person = outcome.result
    born = person["birth_date"] and f"born {day_in_full(datetime.date.fromisoformat(person['birth_date']))}"
    height = person["height_cm"] and f"{amount(person['height_cm'])} cm"
    facts = [fact for fact in (height, born, person["gender"], f"goal {person['goal']}") if fact]
    return [f"{person['display_name'] or person['email']}: {', '.join(facts)}.", *map(Notice, outcome.more)]


def workouts(outcome: Outcome) -> str:
    page = outcome.result["workouts"]
    days = span([parsed(without_fragments(workout)["started_at"]) for workout in (page[0], page[-1])])
    return f"{counted(len(page), 'workout')} shown, {days}."


def workout(outcome: Outcome) -> str:
    return f"{figures_of_workout(without_fragments(outcome.result))}."


def history(outcome: Outcome) -> list[str]:
    sessions = outcome.result["sessions"]
    days = span([parsed(session["started_at"]) for session in (sessions[0], sessions[-1])])
    shown = f"{outcome.result['exercise']['name']}: {counted(len(sessions), 'session')} shown, {days}"
    bests = [session["best_set"] for session in sessions if session["best_set"]]
    timed = Notice(
        f"Times and distances: {bounded(outcome.more.timed, MAX_TIMED)}." if outcome.more.timed else ""
    )
    if not bests:
        return [f"{shown}; no working set of 1 rep or more was completed.", timed]
    best = max(bests, key=lambda one: (one["weight_kg"], one["reps"]))
    maximum = f"estimated one-rep maximum {amount(best['estimated_1rm_kg'])} kg"
    sentences = [f"{shown}; the best set is {load(best['weight_kg'], best['reps'])} ({maximum})."]
    sentences += [timed, help_of(outcome.more.least_help)]
    other = outcome.more.highest
    if other and other.estimated_1rm_kg > best["estimated_1rm_kg"]:
        sentences.append(Notice(f"Another set has a higher estimate: {figures_of_estimate(other)}."))
    return sentences


def help_of(least: list[str]) -> Notice:
    """A sentence about assisted exercises, whose best set is the heaviest; empty without any."""
    return Notice(f"An assisted exercise's weight is help; least of it: {named(least)}." if least else "")


def exercises(outcome: Outcome) -> str:
    found = outcome.result["exercises"]
    if outcome.more:
        text = shortened(outcome.values["q"])
        return Notice(f"No English name is {text!r}; in another language it is {named(outcome.more)}.")
    return f"{counted(len(found), 'exercise')} shown: {named([each['name'] for each in found])}."


def routines(outcome: Outcome) -> str:
    found = outcome.result["routines"]
    names = [
        with_figures(each, counted(len(each["exercises"]), "exercise"), outcome.more.get(each["id"]))
        for each in found
    ]
    return planned(f"{counted(len(found), 'routine')} shown: {named(names)}.", outcome.more)


def plans(outcome: Outcome) -> list[str]:
    """The plans, and of one of them its rules; see adapting.steps_of_plans."""
    found = outcome.result["plans"]
    names = [
        with_figures(each, "active" if each["active"] else "", outcome.more.in_short.get(each["id"]))
        for each in found
    ]
    shown = planned(f"{counted(len(found), 'plan')} shown: {named(names)}.", outcome.more.in_short)
    in_full = outcome.more.in_full
    return [
        shown,
        *(Notice(f'"{each["name"]}": {in_full[each["id"]]}') for each in found if each["id"] in in_full),
    ]


def with_figures(record: JsonObject, *figures: str | None) -> str:
    """The name of a routine or plan, with figures in brackets as far as there are any."""
    found = "; ".join(filter(None, figures))
    return f'"{record["name"]}"{f" ({found})" if found else ""}'


def planned(shown: str, steps: dict[str, str]) -> str:
    """The sentence about a list of routines or plans, which say nothing of their rules themselves."""
    return Notice(shown) if steps else shown


def plan(outcome: Outcome) -> list[str]:
    active = "active" if outcome.result["active"] else "not active"
    shown = f'Training plan "{outcome.result["name"]}", {active}: {figures_of_plan(outcome.result)}.'
    return [shown, *map(Notice, outcome.more)]


def body_metrics(outcome: Outcome) -> str:
    parts = []
    for name, logs in outcome.result.items():
        newest = f" (newest {figures_of_log(name, logs[0])})" if logs else ""
        parts.append(f"{counted(len(logs), LOGS[name])}{newest}")
    return f"{' and '.join(parts)} shown."


def figures_of_log(name: str, log: JsonObject) -> str:
    figures = body_weight(log["weight_kg"]) if name == "weight" else figures_of_tape(log)
    return f"{figures}, {day(parsed(log['logged_at']))}"


def nutrition(outcome: Outcome) -> str:
    days = outcome.result["nutrition"]
    means = {name: sum(one[name] for one in days) / len(days) for name in NUTRIENTS}
    dates = span([datetime.date.fromisoformat(one["day"]) for one in days])
    return f"{counted(len(days), 'day')} shown, {dates}; on average {figures_of_nutrition(means)}."


def training_stats(outcome: Outcome) -> list[str]:
    """The totals, and over more than two weeks what each week adds up to."""
    totals, more = outcome.result, outcome.more
    since, until = parsed(totals["since"]), parsed(totals["until"])
    hours, seconds = divmod(totals["total_duration_seconds"], 3600)
    warmups = sum(week.warmups for week in more.weeks)
    of_them = f"{warmups:,} of them {'a warm-up' if warmups == 1 else 'warm-ups'}"
    figures = [
        counted(totals["sessions"], "session"),
        counted(totals["completed_sets"], "completed set"),
        *([of_them] if totals["completed_sets"] else []),
        f"{amount(totals['volume_kg'])} kg",
        f"{hours:,} h {seconds // 60} min",
    ]
    streak = f"the streak is {counted(totals['streak_days'], 'day')}"
    if more.streak_days is not None:
        today = day(timezone.now())
        streak = f"the streak as of today, {today}, is {counted(more.streak_days, 'day')}"
    text = f"{span([since, until])}: {', '.join(figures)}; {streak}."
    says_more = totals["completed_sets"] or more.streak_days is not None
    by_week = weekly(more.weeks, since, until) if until - since > TWO_WEEKS else []
    return [Notice(text) if says_more else text, *by_week]


def weekly(weeks: list[stats.Week], since: datetime.datetime, until: datetime.datetime) -> list[Notice]:
    """A line for each week, up to now or to the last one with a session; the newest MAX_WEEKS."""
    if not weeks:
        return []
    trained = {week.monday: week for week in weeks}
    end = min((until - stats.INSTANT).date(), max(utc_today(), weeks[-1].monday))
    count = (monday_of(end) - weeks[0].monday).days // 7 + 1
    mondays = [monday_of(end) - number * ONE_WEEK for number in reversed(range(min(count, MAX_WEEKS)))]
    left_out = f"The {counted(count - MAX_WEEKS, 'week')} before are left out: narrow since and until."
    return [
        *([Notice(left_out)] if count > MAX_WEEKS else []),
        *(line_of_week(trained.get(monday, stats.Week(monday)), since) for monday in mondays),
    ]


def line_of_week(week: stats.Week, since: datetime.datetime) -> Notice:
    """`Week of 16 Nov: 3 sessions; working sets: Chest 12, Back 9.`"""
    begin = f", from {day(since)} on" if since.date() > week.monday else ""
    sets = ", ".join(f"{group} {count}" for group, count in week.working_sets.most_common() if count)
    working = f"; working sets: {sets}" if sets else ""
    return Notice(f"Week of {day(week.monday)}{begin}: {counted(week.sessions, 'session')}{working}.")


def personal_records(outcome: Outcome) -> list[str]:
    records = outcome.result["records"]
    newest = records[0]
    best = load(newest["weight_kg"], newest["reps"])
    shown = (
        f"{counted(len(records), 'record')} shown; the newest is {newest['name']} {best}, "
        f"{day(parsed(newest['date']))}."
    )
    estimates, least_help = outcome.more
    higher = [
        f"{one['name']}: {figures_of_estimate(estimates[one['exercise_id']])}"
        for one in records
        if one["exercise_id"] in estimates
    ]
    if not higher:
        return [shown, help_of(least_help)]
    others = f"Other sets of the last {ESTIMATED_DAYS} days have a higher estimate"
    return [shown, help_of(least_help), Notice(f"{others}: {bounded(higher, MAX_ESTIMATES)}.")]


def supplements(outcome: Outcome) -> list[str]:
    """The schedule, and which of those supplements were ticked on each of the last days."""
    found = outcome.result["supplements"]
    names = [f"{each['time']} {dosed(each['name'], each['dosage'])}" for each in found]
    scheduled = f"{counted(len(found), 'supplement')} scheduled: {named(names)}."
    return [scheduled, *(line_of_ticks(date, ids, found) for date, ids in outcome.more.items())]


def line_of_ticks(date: datetime.date, ids: set[UUID], supplements: list[JsonObject]) -> Notice:
    """`20 Nov: Creatine, Zinc taken.`"""
    taken = [each["name"] for each in supplements if UUID(each["id"]) in ids]
    words = "all" if len(taken) == len(supplements) > 1 else ", ".join(taken) or "none"
    return Notice(f"{day(date)}: {words} taken.")


def current_goal(outcome: Outcome) -> list[str]:
    goal = outcome.result
    deadline = goal["deadline"] and datetime.date.fromisoformat(goal["deadline"])
    words = words_of_aims(aims({**goal, "deadline": deadline}), {})
    return [f"The goal since {day(parsed(goal['created_at']))}: {words}.", started_from(goal)]


# --- Writing ------------------------------------------------------------------------------------


def logged_workout(outcome: Outcome) -> list[str]:
    stored = without_fragments(outcome.result)
    return [
        f"{figures_of_workout(stored)} saved.",
        *odd_loads(outcome),
        new_personal_records(outcome),
        Notice(outcome.more),
        odd_date(outcome.values["started_at"].date(), outcome.account),
        own_day(outcome.values["started_at"], outcome.account),
        odd_length(outcome),
        same_start(outcome),
        ignored_id(outcome, "workout"),
        correct_at("workout", pk=stored["id"]),
    ]


def new_personal_records(outcome: Outcome) -> Notice:
    bests = outcome.earlier.bests
    beaten = [
        f"{exercise.name} {load(weight_kg, reps)}"
        for exercise, weight_kg, reps in stats.new_personal_records(bests, outcome.values["exercises"])
        if not is_odd(weight_kg, bests[exercise.id])
    ]
    if not beaten:
        return Notice()
    return Notice(f"New record{'' if len(beaten) == 1 else 's'}: {named(beaten)}.")


def odd_loads(outcome: Outcome) -> list[Notice]:
    """A sentence about the weights that are far above the heaviest so far; none without any."""
    bests = outcome.earlier.bests
    beaten = stats.new_personal_records(bests, outcome.values["exercises"])
    odd = [
        f"{exercise.name} {amount(weight_kg)} kg (the best so far is {amount(bests[exercise.id][0])} kg)"
        for exercise, weight_kg, _ in beaten
        if is_odd(weight_kg, bests[exercise.id])
    ]
    return [Notice(f"More than {ODD_FACTOR:g} times the best: {named(odd[:MAX_ODD])}.")] if odd else []


def is_odd(weight_kg: float, best: Lift) -> bool:
    return weight_kg > ODD_FACTOR * best[0] > 0


def odd_length(outcome: Outcome) -> Notice:
    sets = sets_of(outcome.values)
    if not sets and not any(entry["notes"] for entry in outcome.values["exercises"]):
        return Notice("It has no set.")
    seconds = outcome.values["duration_seconds"]
    is_short = sets > MANY_SETS and seconds < SHORT_SECONDS
    return Notice(f"{sets} sets in {seconds} seconds: is that the duration?" if is_short else "")


def same_start(outcome: Outcome) -> Notice:
    same, equal = outcome.earlier.same_start, outcome.earlier.equal
    if other := same or equal:
        when = (
            "at this moment" if same else f"equal to this one, of {day_and_time(parsed(other['started_at']))}"
        )
        figures = f"{title(other)}, {counted(sets_of(other), 'set')}"
        return Notice(f"There is already a workout {when}: {figures}.")
    return Notice()


def saved_routine(outcome: Outcome) -> list[str]:
    entries = outcome.result["exercises"]
    figures = f"{counted(len(entries), 'exercise')}, {counted(sum(one['sets'] for one in entries), 'set')}"
    return [
        f'Routine "{outcome.result["name"]}" saved: {figures}.',
        ignored_id(outcome, "routine"),
        correct_at("routine", pk=outcome.result["id"]),
    ]


def saved_plan(outcome: Outcome) -> list[str]:
    if not outcome.result["active"]:
        state = "It is not active."
    elif outcome.earlier is None:
        state = "It is the active plan now."
    else:
        state = Notice(f'It is the active plan now, in place of "{outcome.earlier}".')
    saved = f'Training plan "{outcome.result["name"]}" saved: {figures_of_plan(outcome.result)}.'
    page = correct_at("plan", pk=outcome.result["id"])
    return [saved, state, ignored_id(outcome, "plan"), page]


def logged_weight(outcome: Outcome) -> list[str]:
    values, before = outcome.values, outcome.earlier
    fat = values["body_fat_percent"]
    figures = body_weight(values["weight_kg"]) + ("" if fat is None else f" and {amount(fat)} % body fat")
    compared = "there was none before"
    if before:
        compared = f"the log before was {body_weight(before.weight_kg)} ({day(before.logged_at)})"
    few = fat is not None and fat < 1
    odd = Notice(f"Body fat of {amount(fat)} % is very low: percent, not parts of one." if few else "")
    return [*saved_log(outcome, figures, compared, "edit-weight"), odd]


def logged_measurements(outcome: Outcome) -> list[str]:
    compared = "there was none before"
    if before := outcome.earlier:
        compared = f"the log before was {figures_of_tape(vars(before))} ({day(before.logged_at)})"
    return saved_log(outcome, figures_of_tape(outcome.values).capitalize(), compared, "edit-measurement")


def saved_log(outcome: Outcome, figures: str, compared: str, page: str) -> list[str]:
    date = outcome.values["logged_at"].date()
    saved = Notice(f"{figures} saved for {day(date)}; {compared}.")
    return [
        saved,
        odd_date(date, outcome.account),
        own_day(outcome.values["logged_at"], outcome.account),
        ignored_id(outcome, "log"),
        correct_at(page, pk=outcome.result["id"]),
    ]


def logged_nutrition(outcome: Outcome) -> list[str]:
    """The totals, those that they replace, and the difference, by which a wrong sum is noticed."""
    date, before, now = outcome.values["day"], outcome.earlier, outcome.values
    saved = f"Totals of {day(date)} are now {figures_of_nutrition(now)};"
    page = correct_at("nutrition-day", day=date)
    if before is None:
        return [Notice(f"{saved} the day had none before."), odd_date(date, outcome.account), page]
    added = {name: round(now[name] - before.macros[name], 2) + 0.0 for name in NUTRIENTS}  # never -0.0
    replaced = f"they replace {figures_of_nutrition(before.macros)}"
    difference = f"a difference of {amounts(added, NUTRIENTS, signed=True)}"
    return [Notice(f"{saved} {replaced}, {difference}."), odd_date(date, outcome.account), page]


def ticked_supplement(outcome: Outcome) -> list[str]:
    date, supplement = outcome.values["day"], outcome.earlier
    name = dosed(supplement.name, supplement.dosage)
    page = correct_at("supplements-day", day=date)
    if supplement.taken_at:
        taken = day_and_time(supplement.taken_at)
        return [Notice(f"{name} was ticked for {day(date)} already, taken {taken}; nothing changed."), page]
    is_given = bool(outcome.arguments.get("day"))
    own = Notice() if is_given else own_day(outcome.values["taken_at"], outcome.account, "day")
    return [f"{name} ticked as taken on {day(date)}.", odd_date(date, outcome.account), own, page]


def set_goal(outcome: Outcome) -> list[str]:
    """The aims of the new goal, and those of the goal before that it no longer has."""
    now = aims(outcome.values)
    before = aims(vars(outcome.earlier)) if outcome.earlier else {}
    has_target = not TARGETS.isdisjoint(now)
    lead = "Goal set" if has_target else "Goal set, but it has no target"
    lost = [text for name, text in before.items() if name not in now]
    replaced = f"; the goal before had {', '.join(lost)}" if lost else ""
    deadline = outcome.values["deadline"]
    saved = f"{lead}: {words_of_aims(now, before)}{replaced}."
    return [
        saved if len(now) == len(WITHOUT) and not before else Notice(saved),
        started_from(outcome.result),
        past(deadline) if deadline else "",
        correct_at("goals"),
    ]


# --- Words that several summaries share ----------------------------------------------------------


def title(workout: JsonObject) -> str:
    return workout["title"] or "Untitled workout"


def sets_of(workout: JsonObject) -> int:
    return sum(len(entry["sets"]) for entry in workout["exercises"])


def figures_of_workout(workout: JsonObject) -> str:
    figures = [
        counted(len(workout["exercises"]), "exercise"),
        counted(sets_of(workout), "set"),
        f"{amount(workout['volume_kg'])} kg",
    ]
    return f"{title(workout)}, {day_and_time(parsed(workout['started_at']))}: {', '.join(figures)}"


def figures_of_plan(plan: JsonObject) -> str:
    exercises = sum(len(one["exercises"]) for one in plan["days"])
    days = counted(plan["days_per_week"], "training day")
    return f"{days} a week, {counted(exercises, 'exercise')}"


def figures_of_estimate(one: Estimated) -> str:
    """`highest estimate 126.7 kg, from 95 × 10 (17 Nov)`."""
    weight_kg, reps = one.lift
    lift = f"{amount(weight_kg)} × {reps}"
    return f"highest estimate {amount(one.estimated_1rm_kg)} kg, from {lift} ({day(one.started_at)})"


def dosed(name: str, dosage: str) -> str:
    return f"{name} ({dosage})" if dosage else name


def ignored_id(outcome: Outcome, kind: str) -> Notice:
    """A sentence for a model that sent the id of what it wanted to correct; empty for others."""
    if outcome.arguments.get("id") in (None, ""):
        return Notice()
    return Notice(
        f"Saved as a new {kind}; id was ignored. Corrections are made in the app or by update tools."
    )


TARGETS = {"target_weight_kg", "target_body_fat_percent"}
WITHOUT = {
    "target_weight_kg": "no target weight",
    "target_body_fat_percent": "no body fat target",
    "deadline": "no deadline",
}


def aims(goal: JsonObject) -> dict[str, str]:
    """The aims of a goal, in words; `deadline` is a date or None."""
    weight_kg, fat, deadline = (goal[name] for name in WITHOUT)
    found = {
        "target_weight_kg": weight_kg and body_weight(weight_kg),
        "target_body_fat_percent": None if fat is None else f"{amount(fat)} % body fat",
        "deadline": deadline and day_in_full(deadline),
    }
    return {name: words for name, words in found.items() if words}


def words_of_aims(now: dict[str, str], before: dict[str, str]) -> str:
    """Each aim, with its value before where that differs; `no ...` for one that is not set."""
    words = []
    for name, without in WITHOUT.items():
        by = "by " if name == "deadline" else ""
        changed = name in before and before[name] != now.get(name)
        was = f" ({before[name]} before)" if changed else ""
        words.append(f"{by}{now[name]}{was}" if name in now else without)
    return ", ".join(words)


def started_from(goal: JsonObject) -> str:
    start_kg = goal["start_weight_kg"]
    return f"It starts from {body_weight(start_kg)}." if start_kg else ""

import itertools
from collections.abc import Mapping, Sequence
from operator import itemgetter

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from fitness.web import units
from fitness.web.templatetags.units import number, weight, whole_weight
from training.models.exercise import WITHOUT_LOAD, Equipment, MuscleGroup
from training.models.planned import PlannedExercise
from training.models.sets import (
    NOTED_FIELDS,
    DoneSession,
    DoneSets,
    Lift,
    SetField,
    SetNumber,
    SetType,
    WorkoutSet,
    counted,
    set_numbers,
)
from training.models.timed import (
    TimedSet,
    clock,
    distance,
    distance_unit,
    in_short,
    remarks,
    timed_in_short,
    timed_sets,
)
from training.models.workout_exercise import WorkoutExercise
from training.pictures import pictures
from training.web.comparing import DoneBefore
from training.web.forms.base import SetRow
from training.web.forms.workout import is_suggested
from training.web.names import exercise_name, term, terms, weekday_name

register = template.Library()


@register.filter
def load(weight_kg: float, unit: str) -> str:
    """The weight of a set: 100 kg, or Body weight where nothing was added to it."""
    return weight(weight_kg, unit) if weight_kg else pgettext("of a set", "Body weight")


@register.simple_tag
def set_load(weight_kg: float, unit: str, is_assisted: bool) -> str:
    """As `load`; of an assisted exercise, whose weight is help: 40 kg help."""
    shown = load(weight_kg, unit)
    return _("%(weight)s help") % {"weight": shown} if is_assisted and weight_kg else shown


@register.filter
def volume(volume_kg: float | None, unit: str) -> str:
    """A volume: 2,345 kg, or a dash where nothing but the body's weight was lifted."""
    return whole_weight(volume_kg, unit) if volume_kg else "–"


@register.filter
def by_weight(sets: Sequence[WorkoutSet]) -> list[tuple[float, list[WorkoutSet]]]:
    """The working sets of a session as runs of the same weight: (weight_kg, sets)."""
    working = (one for one in sets if one["type"] != SetType.WARMUP)
    return [(weight_kg, list(run)) for weight_kg, run in itertools.groupby(working, itemgetter("weight_kg"))]


@register.filter
def alike(sets: Sequence[WorkoutSet]) -> str | None:
    """Several sets that are alike and done, as 4 × 6; None of one, or where they differ."""
    reps = {one["reps"] if one["completed"] else None for one in sets}
    (first, *others) = reps
    return f"{len(sets)} × {number(first)}" if len(sets) > 1 and first is not None and not others else None


@register.inclusion_tag("training/thumbnail.html")
def thumbnail(exercise_id: str) -> dict[str, object]:
    """A small picture beside the name of an exercise, and an empty place where others alone have one."""
    loaded = pictures()
    found = loaded.get(exercise_id)
    return {"picture": found[0].small if found else None, "have_others": bool(loaded)}


@register.filter
def numbered(rows: Sequence[Mapping[str, object]]) -> list[tuple[SetNumber, Mapping[str, object]]]:
    """The sets of a form with what screens call them."""
    return list(zip(set_numbers(bool(row["warmup"]) for row in rows), rows, strict=True))


@register.filter
def has_ticks(rows: Sequence[SetRow]) -> bool:
    """Whether an exercise of a form has sets of which a tick says whether they were done."""
    return any(is_suggested(row) or not row["completed"] for row in rows)


@register.filter
def noted_inputs(row: SetRow) -> list[dict[str, object]]:
    """The fields of a set's row for what may be noted of it."""
    errors = row.get("errors", {})
    return [
        {"field": one, "typed": row["noted"][one.name], "error": errors.get(one.name)} for one in NOTED_FIELDS
    ]


@register.simple_tag
def noted_fields() -> tuple[SetField, ...]:
    """What may be noted of a set."""
    return NOTED_FIELDS


@register.simple_tag
def muscle_groups() -> list[str]:
    return MuscleGroup.values


@register.filter
def number_or_text(value: float | str | None) -> str:
    return value if isinstance(value, str) else number(value)


@register.filter
def target_sets(entry: PlannedExercise) -> str:
    """3 × 8; 3 sets of what is done once and without a load: it is held, for as long as somebody can."""
    if entry["reps"] == 1 and not entry["weight_kg"] and entry["equipment"] in WITHOUT_LOAD:
        return counted_sets(entry["sets"])
    return f"{entry['sets']} × {number(entry['reps'])}"


@register.simple_tag
def longest_of(longest: Mapping[str, TimedSet], exercise_id: str, unit: str) -> str:
    """The longest time and distance with an exercise; empty without one."""
    return in_short(longest[exercise_id], unit) if exercise_id in longest else ""


def target_load(entry: PlannedExercise, unit: str) -> str:
    """The load of a planned exercise; 0 kg is body weight, or of a barbell a load that nobody knows yet."""
    if not entry["weight_kg"] and entry["equipment"] != Equipment.BODYWEIGHT:
        return _("Your own load")
    return load(entry["weight_kg"], unit)


def target_times(entry: PlannedExercise, unit: str) -> str:
    """3 × 1:05, or 1:30 · 1:05 where they are not alike; as timesText in train/exercise_view.js."""
    times = [in_short(one, unit) for one in timed_sets(entry["note"])]
    if len(set(times)) != 1:
        return " · ".join(times)
    return f"{entry['sets']} × {times[0]}" if entry["sets"] > 1 else times[0]


@register.filter
def target(entry: PlannedExercise, unit: str) -> str:
    """What is planned in one line: 3 × 8 at 60 kg, 3 × 12 · Body weight, or the times of a note: 3 × 1:05."""
    timed = target_times(entry, unit)
    said = {"reps": timed or target_sets(entry), "weight": target_load(entry, unit)}
    if entry["weight_kg"]:
        return _("%(reps)s at %(weight)s") % said
    return timed or f"{said['reps']} · {said['weight']}"


@register.filter
def shown_weight(kg: str, unit: str) -> str:
    """The weight of a hidden field, in the unit of the field beside it; empty where it is no number."""
    try:
        return units.in_local_form(str(units.to_unit(float(kg), unit)))
    except (ValueError, OverflowError):  # also of nan and inf
        return ""


@register.filter
def duration(seconds: float) -> str:
    """A length of time for people: 45 min, 1 h 5 min, 30 s."""
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours and minutes:
        return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes}
    if hours:
        return _("%(hours)s h") % {"hours": hours}
    is_long = seconds >= 60 or not seconds
    return _("%(minutes)s min") % {"minutes": minutes} if is_long else f"{seconds} s"


@register.filter
def sets_in_short(session: DoneSession, unit: str) -> str:
    """The sets of a session for people: 3 × 5 at 100 kg where all are alike, else the best of how many."""
    sets, best = session["sets"], session["best"]
    if best is None:
        return counted_sets(len(sets)) if sets else _("no set done")
    are_alike = all((one["weight_kg"], one["reps"]) == best for one in sets)
    if are_alike and best[0]:
        said = {"reps": f"{len(sets)} × {best[1]}", "weight": weight(best[0], unit)}
        return _("%(reps)s at %(weight)s") % said
    if are_alike:
        return f"{len(sets)} × {lift(best, unit)}"
    return _("%(sets)s, best %(lift)s") % {"sets": counted_sets(len(sets)), "lift": lift(best, unit)}


@register.filter
def done_last_time(session: DoneBefore, unit: str) -> str:
    """The sets of a session, or its times and distances."""
    if session["sets"]:
        return sets_in_short(session, unit)
    return timed_in_short(session["notes"], unit) or _("no set done")


@register.filter
def done_in_short(session: WorkoutExercise, unit: str) -> str:
    """How many sets a session had, or its times and distances."""
    if session.completed_sets:
        return done_of(session)
    return timed_in_short(session.notes, unit) or _("no set done")


@register.filter
def done_of(session: WorkoutExercise) -> str:
    """The sets of one of `last_sessions`."""
    warmups: int = session.warmups  # type: ignore[attr-defined]  # annotated there
    return done_in_words(counted(session.completed_sets, warmups, session.notes))


@register.filter("done_sets")
def done_in_words(done: DoneSets) -> str:
    """15 sets, 3 warm-ups: on all screens."""
    if not done.warmups:
        return counted_sets(done.sets)
    sets = [counted_sets(done.sets)] if done.sets else []
    return ", ".join([*sets, counted_warmups(done.warmups)])


@register.filter("warmups")
def counted_warmups(count: int) -> str:
    return ngettext("%(count)s warm-up", "%(count)s warm-ups", count) % {"count": number(count)}


@register.filter("sets")
def counted_sets(count: int) -> str:
    return ngettext("%(count)s set", "%(count)s sets", count) % {"count": number(count)}


@register.filter("reps")
def counted_reps(count: float) -> str:
    return ngettext("%(count)s rep", "%(count)s reps", int(count)) % {"count": number(count)}


@register.filter("workouts")
def counted_workouts(count: int) -> str:
    return ngettext("%(count)s workout", "%(count)s workouts", count) % {"count": number(count)}


@register.filter
def days_a_week(count: int) -> str:
    return ngettext("%(count)s day a week", "%(count)s days a week", count) % {"count": count}


@register.filter
def weekday_letter(weekday: int) -> str:
    """The letter of a day of the week, 1 for Monday, in a narrow row of seven."""
    return weekday_name(weekday)[0]


register.filter(exercise_name)
register.filter(term)
register.filter(terms)


register.filter("timed", timed_in_short)
register.filter(remarks)
register.filter(clock)
register.filter(distance)
register.filter(distance_unit)


@register.simple_tag
def lift(best: Lift, unit: str, is_assisted: bool = False) -> str:
    """The best set of a session: 100 kg × 5, or 12 reps where nothing was added to the body's weight."""
    weight_kg, reps = best
    return f"{set_load(weight_kg, unit, is_assisted)} × {number(reps)}" if weight_kg else counted_reps(reps)


@register.simple_tag
def shown_value(value: float | None, measure: str, unit: str) -> str:
    """A value of a lift on /progress, by its measure."""
    if value is None:
        return "–"
    match measure:
        case "reps":
            return counted_reps(value)
        case "help":
            return load(value, unit)
        case "time":
            return clock(round(value))
        case "distance":
            return distance(value, unit)
        case "volume":
            return whole_weight(value, unit)
        case _:
            return weight(value, unit)

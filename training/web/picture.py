"""What the picture of a workout says. The browser draws it (static/training/picture.js)."""

from collections.abc import Iterable
from typing import TypedDict

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from fitness.web.days import format_day
from fitness.web.templatetags.units import number
from training.models import Workout
from training.models.timed import timed_in_short
from training.templatetags.training import counted_sets, duration, lift, volume
from training.web.comparing import ComparedExercise
from training.web.names import exercise_name

LINES = 12  # that fit


class Picture(TypedDict):
    title: str
    day: str
    facts: list[tuple[str, str]]  # label and text
    lifts: list[tuple[str, str, bool]]  # exercise, best set, and whether that is a record
    more: str
    file: str


def picture_of(workout: Workout, exercises: Iterable[ComparedExercise], unit: str) -> Picture:
    done = [one for one in exercises if one["done"].sets]
    shown = done if len(done) <= LINES else done[: LINES - 1]
    more = len(done) - len(shown)
    began = timezone.localtime(workout.started_at)
    records = sum(one["is_record"] for one in done)
    facts = [
        (_("Duration"), duration(workout.duration_seconds) if workout.duration_seconds else ""),
        (_("Volume"), volume(workout.volume_kg, unit) if workout.volume_kg else ""),
        (pgettext("of a workout", "Sets"), number(sum(one["done"].sets for one in done))),
        (_("Records"), f"★ {number(records)}" if records else ""),
    ]
    return {
        "title": workout.title or _("Workout"),
        "day": format_day(began),
        "facts": [fact for fact in facts if fact[1]],
        "lifts": [(exercise_name(one["name"]), best_of(one, unit), one["is_record"]) for one in shown],
        "more": _("and %(count)s more") % {"count": more} if more else "",
        "file": f"workout-{began:%Y-%m-%d}.png",
    }


def best_of(one: ComparedExercise, unit: str) -> str:
    if one["best"]:
        return lift(one["best"], unit, one["is_assisted"])
    return timed_in_short(one["notes"], unit) or (
        counted_sets(one["done"].sets) if one["is_just_done"] else ""
    )

"""A new workout under way, with the sets that somebody will probably do."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.db import connection, transaction
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.models import Account
from training.drafts.context import ExerciseContext, exercise_contexts
from training.drafts.document import DraftDocument, DraftExercise, DraftSet, TargetOfDraft, moment
from training.models import Plan, Routine, TrainingDraft, Workout
from training.models.planned import PlannedExercise
from training.models.sets import SetType, WorkoutSet
from training.models.workout import DocumentEntry, WorkoutDocument

NO_SET: WorkoutSet = {"type": SetType.WORKING, "weight_kg": 0, "reps": 0, "completed": False, "rpe": None}


@dataclass(frozen=True)
class StartedExercise:
    """An exercise to begin with. Of its sets, `NO_SET` is one of which nothing is known."""

    exercise_id: str
    sets: Sequence[WorkoutSet]
    notes: str = ""
    superset_id: str | None = None


@dataclass(frozen=True)
class Template:
    """What a workout begins with."""

    title: str = ""
    plan: Plan | None = None
    routine: Routine | None = None
    exercises: Sequence[StartedExercise] = ()
    targets: dict[str, Any] = field(default_factory=dict)


def of_routine(routine: Routine) -> Template:
    return Template(routine.name, routine=routine, **planned(routine.exercises))


def of_plan(plan: Plan, weekday: int) -> Template:
    day = plan.days[weekday - 1]
    return Template(day["label"], plan=plan, **planned(day["exercises"]))


def planned(entries: Iterable[PlannedExercise]) -> dict[str, Any]:
    """The exercises and the targets of a template."""
    entries = list(entries)
    targets = {one["exercise_id"]: target_of(one) for one in entries}
    exercises = [StartedExercise(one["exercise_id"], [planned_set(one)] * one["sets"]) for one in entries]
    return {"exercises": exercises, "targets": targets}


def target_of(entry: PlannedExercise) -> TargetOfDraft:
    return {"sets": entry["sets"], "reps": entry["reps"], "weight_kg": entry["weight_kg"]}


def planned_set(entry: PlannedExercise) -> WorkoutSet:
    return {**NO_SET, "weight_kg": entry["weight_kg"], "reps": entry["reps"]}


def of_workout(workout: Workout) -> Template:
    document: WorkoutDocument = orjson.loads(workout.document)
    exercises = [repeated(entry) for entry in document["exercises"]]
    return Template(document["title"], plan=workout.plan, exercises=exercises)


def repeated(entry: DocumentEntry) -> StartedExercise:
    return StartedExercise(entry["exercise_id"], entry["sets"], entry["notes"], entry["superset_id"])


def of_exercise(exercise_id: str) -> Template:
    return Template(exercises=[StartedExercise(exercise_id, [NO_SET])])


def start(account: Account, template: Template) -> TrainingDraft:
    """The workout that is under way from now on; the one that is under way already, if there is one."""
    context = exercise_contexts(account, {one.exercise_id for one in template.exercises}, template.targets)
    with transaction.atomic():
        account.lock()
        if draft := account.training_drafts.open().first():
            return draft
        account.training_drafts.expired()._raw_delete(connection.alias)
        draft_id = uuid7()
        document = document_of(str(draft_id), timezone.now(), template, context)
        return TrainingDraft.objects.create(
            id=draft_id, account=account, document=document, targets=template.targets
        )


def document_of(
    draft_id: str, now: datetime.datetime, template: Template, contexts: dict[str, ExerciseContext]
) -> DraftDocument:
    at = moment(now)
    known = [one for one in template.exercises if one.exercise_id in contexts]
    return {
        "id": draft_id,
        "started_at": at,
        "title": template.title,
        "notes": "",
        "changed_at": at,
        "plan_id": str(template.plan.pk) if template.plan else None,
        "routine_id": str(template.routine.pk) if template.routine else None,
        "exercises": [
            exercise_of(index, one, contexts[one.exercise_id], at) for index, one in enumerate(known)
        ],
    }


def exercise_of(index: int, started: StartedExercise, context: ExerciseContext, at: str) -> DraftExercise:
    sets = prefilled(started.sets, context)
    return {
        "uid": f"e{index}",
        "exercise_id": started.exercise_id,
        "order": index,
        "rest_seconds": context["rest_seconds"],
        "notes": started.notes,
        "superset_id": started.superset_id,
        "changed_at": at,
        "removed_at": None,
        "sets": [set_of(number, one, context, at) for number, one in enumerate(sets)],
    }


def set_of(number: int, one: WorkoutSet, context: ExerciseContext, at: str) -> DraftSet:
    is_known = one["weight_kg"] > 0 or context["equipment"] == "Bodyweight"
    return {
        "uid": f"s{number}",
        "order": number,
        "type": one["type"],
        "weight_kg": one["weight_kg"] if is_known else None,
        "reps": one["reps"] or None,
        "rpe": None,
        "done_at": None,
        "changed_at": at,
        "removed_at": None,
    }


def prefilled(sets: Iterable[WorkoutSet], context: ExerciseContext) -> list[WorkoutSet]:
    """The sets with weight and repetitions of the same ones last time, or of the last one done then."""
    last = context["sessions"][0]["sets"] if context["sessions"] else []
    done = {kind: [one for one in last if one["type"] == kind and one["completed"]] for kind in SetType}
    filled: list[WorkoutSet] = []
    counts = dict.fromkeys(SetType, 0)
    for one in sets:
        kind = SetType(one["type"])
        same = done[kind][min(counts[kind], len(done[kind]) - 1)] if done[kind] else one
        counts[kind] += 1
        filled.append({**one, "weight_kg": same["weight_kg"], "reps": same["reps"]})
    return filled

"""A new workout under way, with the sets that somebody will probably do."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, cast

import orjson
from django.db import transaction
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.days import today
from training.drafts.context import ExerciseContext, ShownSession, exercise_contexts
from training.models import Plan, ProgressionStep, Routine, TrainingDraft, Workout
from training.models.draft import (
    DraftDocument,
    DraftSet,
    LineOfDraft,
    TargetOfDraft,
    Targets,
    entry_key,
    moment,
)
from training.models.exercise import WITHOUT_LOAD
from training.models.planning import Planning
from training.models.sets import NOTHING_NOTED, LastSets, SetType, is_just_done
from training.models.timed import Measure, TimedSet, remarks, timed_measure, timed_sets
from training.models.workout_document import DocumentEntry, WorkoutDocument
from training.plans.plan_rules import ROUTINE_DAY, DayTarget, day_targets
from training.plans.rules import Target, Wave

MAX_SETS = 500  # of a template: a document has to fit into a request, with all that is done to it


@dataclass(frozen=True)
class StartedSet:
    """A set to begin with; None is what nobody knows."""

    type: str = SetType.WORKING
    weight_kg: float | None = None
    reps: int | None = None
    seconds: int | None = None
    distance_km: float | None = None

    @property
    def timed(self) -> TimedSet:
        return {"seconds": self.seconds, "distance_km": self.distance_km, "weight_kg": self.weight_kg}


@dataclass(frozen=True)
class StartedExercise:
    """An exercise to begin with; its sets are measured as last time where `is_timed` is None.

    `target` is what is asked of it alone; where that `is_binding`, in place of what was lifted last time.
    """

    exercise_id: str
    sets: Sequence[StartedSet]
    is_timed: bool | None = None
    superset_id: str | None = None
    target: TargetOfDraft | None = None
    is_binding: bool = False

    @property
    def has_planned_times(self) -> bool:
        """Whether its sets have times or distances that a plan or routine asks for."""
        planned = (one for one in self.sets if self.is_timed is None)
        return any(one.seconds is not None or one.distance_km is not None for one in planned)


@dataclass(frozen=True)
class Template:
    """What a workout begins with."""

    title: str = ""
    plan: Plan | None = None
    weekday: int | None = None  # of the plan
    routine: Routine | None = None
    exercises: Sequence[StartedExercise] = ()
    targets: dict[str, Any] = field(default_factory=dict)
    repeats_workout: bool = False  # with the supersets that it had


def of_routine(routine: Routine) -> Template:
    return Template(routine.name, routine=routine, **adapted(routine, ROUTINE_DAY))


def of_plan(plan: Plan, weekday: int) -> Template:
    label = plan.days[weekday - 1]["label"]
    return Template(label, plan=plan, weekday=weekday, **adapted(plan, weekday))


def adapted(planning: Planning, weekday: int) -> dict[str, Any]:
    """The exercises and the targets of a template, as the plan or routine and its rules have them."""
    exercises: list[StartedExercise] = []
    targets: Targets = {}
    for card, is_repeated in cards_of(day_targets(planning.week, planning.progressions, weekday, today())):
        first, target = card[0], asked_on(card, is_repeated=is_repeated)
        exercise_id = first.entry["exercise_id"]
        targets[exercise_id] = target
        sets = [row for one in card for row in planned_sets(one)]
        is_own = is_repeated or first.rule is not None or first.is_deload  # not asked on each of its cards
        exercises.append(
            StartedExercise(exercise_id, sets, target=target if is_own else None, is_binding=first.is_binding)
        )
    return {"exercises": exercises, "targets": targets}


def cards_of(asked: Iterable[DayTarget]) -> Iterator[tuple[Sequence[DayTarget], bool]]:
    """The entries of a day whose sets are one exercise of the workout; whether another card has that, too.

    A card has one entry, or those of a wave, where its first one is. A lift that has other entries in the day
    beside its wave keeps a card for each: the workout then has it as often as the plan, so that no set counts
    for another entry.
    """
    groups: dict[Hashable, list[DayTarget]] = {}
    for one in asked:
        is_wave = one.rule is not None and isinstance(one.rule.rule, Wave)
        groups.setdefault(one.rule.id if one.rule and is_wave else one.place, []).append(one)
    count = Counter(group[0].entry["exercise_id"] for group in groups.values())
    for group in groups.values():
        if count[group[0].entry["exercise_id"]] == 1:
            yield group, False
        else:
            yield from (([one], True) for one in group)


def asked_on(card: Sequence[DayTarget], *, is_repeated: bool) -> TargetOfDraft:
    """The target of a card, without keys that say nothing; of several lines the numbers are of the last."""
    first, lines = card[0], [line_of(one.target) for one in card]
    target = cast(TargetOfDraft, lines[-1])  # the keys of a line, and others that are not required
    if len(lines) > 1:
        target = {**target, "sets": sum(line["sets"] for line in lines), "lines": lines}
    if note := "\n".join(dict.fromkeys(filter(None, (remarks(one.entry["note"]) for one in card)))):
        target["note"] = note
    if times := [time for one in card for time in timed_sets(one.entry["note"])]:
        target["times"] = times
    if first.is_deload:  # a lighter week of the plan is none of the wave's
        target["is_deload"] = True
    elif first.rule and isinstance(first.rule.rule, Wave):
        target["week"] = first.rule.state.week + 1
        target["weeks"] = len(first.rule.rule.weeks)
    elif is_repeated and not first.rule:
        target["is_fixed"] = True
    return target


def line_of(target: Target) -> LineOfDraft:
    line: LineOfDraft = {"sets": target.sets, "reps": target.reps, "weight_kg": target.weight_kg}
    if target.open:
        line["open"] = True
    return line


def planned_sets(asked: DayTarget) -> list[StartedSet]:
    """The sets of an entry, with the times of its note; further ones have the last of these.

    A load of 0 kg is one that the plan leaves open, unless there is none.
    """
    target, times = asked.target, timed_sets(asked.entry["note"])
    has_load = target.weight_kg > 0 or asked.entry["equipment"] in WITHOUT_LOAD
    one = StartedSet(weight_kg=target.weight_kg if has_load else None, reps=target.reps or None)
    if not times:
        return [one] * target.sets
    timed = [
        replace(
            one,
            weight_kg=time["weight_kg"] or one.weight_kg,
            seconds=time["seconds"],
            distance_km=time["distance_km"],
        )
        for time in times
    ]
    return [timed[min(number, len(timed) - 1)] for number in range(target.sets)]


def of_workout(workout: Workout) -> Template:
    """An earlier workout again. With rules it begins with what its plan asks for today.

    Without the plan where none of its days has these exercises any more: what is done then moves no target.
    """
    document: WorkoutDocument = orjson.loads(workout.document)
    exercises = [one for entry in document["exercises"] for one in repeated(entry)]
    plan, title = workout.plan, document["title"]
    if plan is None or plan.progressions.is_empty:
        return Template(title, plan=plan, exercises=exercises, repeats_workout=True)
    plan.account = workout.account
    weekday = day_of(workout, plan, {one.exercise_id for one in exercises})
    if weekday is None:
        return Template(title, exercises=exercises, repeats_workout=True)
    day = of_plan(plan, weekday)
    return replace(day, title=title, exercises=list(as_asked(exercises, day)), repeats_workout=True)


def day_of(workout: Workout, plan: Plan, exercise_ids: Set[str]) -> int | None:
    """The day of its plan that a workout was, as its steps say, else the one that it shares most with."""
    steps = ProgressionStep.objects.of_workouts(workout.account_id, [workout.pk]).filter(plan=plan.pk)
    known = steps.values_list("weekday", flat=True).first()
    own = timezone.localtime(workout.started_at).isoweekday()
    shared = {
        day["weekday"]: len(exercise_ids & {one["exercise_id"] for one in day["exercises"]})
        for day in plan.days
    }
    weekday = max(shared, key=lambda one: (one == known and shared[one] > 0, shared[one], one == own))
    return weekday if shared[weekday] else None


def as_asked(exercises: Iterable[StartedExercise], day: Template) -> Iterator[StartedExercise]:
    """The exercises of a workout; where the day of its plan is binding, with what that asks for."""
    binding = [one for one in day.exercises if one.is_binding]
    ids, given = {one.exercise_id for one in binding}, set[str]()
    for one in exercises:
        if one.exercise_id not in ids:
            yield one
        elif one.exercise_id not in given:
            given.add(one.exercise_id)
            of_day = [other for other in binding if other.exercise_id == one.exercise_id]
            warm_ups = [row for row in one.sets if row.type == SetType.WARMUP]
            first, *others = (replace(other, superset_id=one.superset_id) for other in of_day)
            yield from (replace(first, sets=[*warm_ups, *first.sets]), *others)


def repeated(entry: DocumentEntry) -> Iterator[StartedExercise]:
    """The sets alone: remarks are about the day on which they were made.

    An exercise of a workout under way has one measure, so an entry with sets and times becomes two.
    """
    exercise_id, superset_id = entry["exercise_id"], entry["superset_id"]
    sets = [StartedSet(one["type"], one["weight_kg"], one["reps"]) for one in entry["sets"]]
    timed = [StartedSet(**one) for one in timed_sets(entry["notes"])]
    if sets:
        is_timed = None if all(map(is_just_done, entry["sets"])) else False
        yield StartedExercise(exercise_id, sets, is_timed=is_timed, superset_id=superset_id)
    if timed:
        yield StartedExercise(exercise_id, timed, is_timed=True, superset_id=superset_id)
    if not sets and not timed:
        yield StartedExercise(exercise_id, [StartedSet()], superset_id=superset_id)


def of_exercise(exercise_id: str) -> Template:
    return Template(exercises=[StartedExercise(exercise_id, [StartedSet()])])


def start(account: Account, template: Template) -> TrainingDraft:
    """The workout that is under way from now on; the one that is under way already, if there is one."""
    contexts = exercise_contexts(account, {one.exercise_id for one in template.exercises}, template.targets)
    exercises = [one for one in first_exercises(template.exercises) if one.exercise_id in contexts]
    targets: Targets = {**template.targets}
    targets |= {entry_key(exercise_uid(at)): one.target for at, one in enumerate(exercises) if one.target}
    with transaction.atomic():
        account.lock()
        if draft := account.training_drafts.open().first():
            return draft
        document = document_of(template, exercises, contexts, moment(timezone.now()))
        return TrainingDraft.objects.open_new(account, document, targets, template.weekday)


def first_exercises(exercises: Iterable[StartedExercise]) -> Iterator[StartedExercise]:
    """Yields those that have MAX_SETS sets together."""
    room = MAX_SETS
    for one in exercises:
        if room:
            yield replace(one, sets=one.sets[:room])
            room -= len(one.sets[:room])


def document_of(
    template: Template, exercises: Sequence[StartedExercise], contexts: Mapping[str, ExerciseContext], at: str
) -> DraftDocument:
    supersets = supersets_of(template, exercises, contexts)
    last = {
        pk: LastSets(session["sets"] if (session := last_of(one)) else ()) for pk, one in contexts.items()
    }
    return {
        "id": str(uuid7()),
        "started_at": at,
        "title": template.title,
        "notes": "",
        "changed_at": at,
        "plan_id": str(template.plan.pk) if template.plan else None,
        "routine_id": str(template.routine.pk) if template.routine else None,
        "exercises": [
            {
                "uid": exercise_uid(number),
                "exercise_id": one.exercise_id,
                "order": number,
                "measure": measure_to_start(one, context),
                "rest_seconds": context["rest_seconds"],
                "rests_in_superset": context["rests_in_superset"],
                "setup": context["setup"],
                "notes": "",
                "superset_id": supersets[number],
                "changed_at": at,
                "removed_at": None,
                "sets": sets_to_start(one, context, last[one.exercise_id], at),
            }
            for number, one in enumerate(exercises)
            for context in (contexts[one.exercise_id],)
        ],
    }


def exercise_uid(number: int) -> str:
    return f"e{number}"


def supersets_of(
    template: Template, exercises: Sequence[StartedExercise], contexts: Mapping[str, ExerciseContext]
) -> list[str | None]:
    """The superset of each exercise: of an earlier workout as it was there.

    Plans and routines have none, so lifts that were one superset when each was done last are one again.
    """
    if template.repeats_workout:
        return [one.superset_id for one in exercises]
    ids = [one.exercise_id for one in exercises]
    last = [session["superset"] if (session := last_of(contexts[pk])) else None for pk in ids]
    lifts = Counter(superset for superset, _ in set(zip(last, ids, strict=True)))
    return [exercise_uid(last.index(one)) if one and lifts[one] > 1 else None for one in last]


def last_of(context: ExerciseContext) -> ShownSession | None:
    """The last session with an exercise."""
    return context["sessions"][0] if context["sessions"] else None


def measure_to_start(started: StartedExercise, context: ExerciseContext) -> str:
    usual, is_timed = context["measures"][0], started.is_timed
    if is_timed is None and not (started.has_planned_times and usual != Measure.REPS):
        return usual
    timed = [one.timed for one in started.sets]
    return Measure.REPS.value if is_timed is False else timed_measure(timed, context["measures"])


def sets_to_start(
    started: StartedExercise, context: ExerciseContext, last: LastSets, at: str
) -> list[DraftSet]:
    """The sets, each with what was done last time; a further one of times with those of the last set then.

    Times that are planned are a target in place of last time's.
    """
    rows = enumerate(started.sets)
    if measure_to_start(started, context) == Measure.REPS:
        return [set_of(number, one, last, at, is_binding=started.is_binding) for number, one in rows]
    session = None if started.has_planned_times else last_of(context)
    before = session["timed"] if session else []
    return [
        {**empty_set(number, at), **(before[min(number, len(before) - 1)] if before else one.timed)}
        for number, one in rows
    ]


def set_of(number: int, planned: StartedSet, last: LastSets, at: str, *, is_binding: bool) -> DraftSet:
    """A set with weight and repetitions of last time; of a binding target, with those that it leaves open."""
    same, one = last.take(planned.type), empty_set(number, at)
    one["type"], one["weight_kg"], one["reps"] = planned.type, planned.weight_kg, planned.reps
    if same and (not is_binding or planned.weight_kg is None):
        one["weight_kg"] = same["weight_kg"]
    if same and (not is_binding or planned.reps is None):
        one["reps"] = same["reps"]
    return one


def empty_set(number: int, at: str) -> DraftSet:
    return {
        "uid": f"s{number}",
        "order": number,
        "type": SetType.WORKING,
        "weight_kg": None,
        "reps": None,
        "seconds": None,
        "distance_km": None,
        **NOTHING_NOTED,
        "done_at": None,
        "changed_at": at,
        "removed_at": None,
    }

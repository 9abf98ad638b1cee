"""Workouts, as a kind of record of imports."""

import datetime
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from django.db import connection
from django.utils.translation import gettext_noop, ngettext_lazy
from uuid_utils.compat import uuid7

from accounts.imports.kinds import Context, Kind, Record, Stored
from accounts.imports.models import ImportItem
from accounts.models import Account
from fitness.imports.findings import Findings
from fitness.imports.formats import Candidate
from fitness.imports.messages import Message, Said
from training.imports.building import WorkoutBuilder, digest_of_rows
from training.imports.names import Fate, Names, shared_names
from training.models import Exercise, ExerciseName, Workout, WorkoutExercise
from training.models.workout_exercise import SET, occurrences
from training.models.workout_values import WorkoutValues
from training.plans.updates import take_back_steps

OTHER_SETS = gettext_noop("has other sets or another start here")
OTHER_COUNT = gettext_noop("has %(sets)s sets in the file, %(here)s here")


@dataclass
class WorkoutRecord(Record):
    """A workout with those names of its exercises that the catalogue alone does not give back."""

    names: dict[str, ExerciseName] = field(default_factory=dict)


class Workouts(Kind):
    name = "workout"
    label = "workouts"
    numbered = ngettext_lazy("%(number)s workout", "%(number)s workouts", "count")

    def maker(self, context: Context) -> Callable[[Candidate, Findings], Record | None]:
        return Builder(context).make

    def matching(
        self, account: Account, records: Sequence[Record], taken: Collection[str] = ()
    ) -> list[str | None]:
        there = stored_digests(account, {record.values["started_at"] for record in records}, taken)
        at_its_time = overlapping(account, [record for record in records if is_session(record)])
        found: list[str | None] = []
        for record in records:
            same = there.get((minute_of(record.values["started_at"]), record.digest))
            same = same or at_its_time.get(record.values["started_at"])
            found.append(same.pop() if same else None)
        return found

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[Said]:
        sets_here: dict[str, int] = dict.fromkeys(self.rows(account, [pk for pk in known_ids if pk]), 0)
        rows = account.workout_exercises.filter(workout__in=list(sets_here))
        for workout_id, count in rows.values_list("workout_id", occurrences(SET)):
            sets_here[str(workout_id)] += count
        return [
            difference(sets_of(record.values), sets_here[pk]) if pk in sets_here else ""
            for record, pk in zip(records, known_ids, strict=True)
        ]

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        self.replace_sessions(account, [record for record in records if not is_session(record)])
        workouts = Workout.objects.log_all(account, [(uuid7(), record.values) for record in records])
        remember_names(records)
        return [Stored(str(workout.pk), self.fingerprint(workout)) for workout in workouts]

    def replace_sessions(self, account: Account, records: Sequence[Record]) -> None:
        """Deletes sessions without sets, at the time of these records, that imports have stored and nobody
        has changed since.
        """
        ids = {pk for some in overlapping(account, records).values() for pk in some}
        if not ids:
            return
        empty = set(account.workouts.filter(pk__in=ids, notes="").values_list("pk", flat=True))
        empty -= set(account.workout_exercises.filter(workout__in=ids).values_list("workout_id", flat=True))
        ids = set(map(str, empty))
        stored = ImportItem.objects.filter(account=account, kind=self.name, record_id__in=ids)
        known = dict(stored.with_state(ImportItem.State.STORED).values_list("record_id", "fingerprint"))
        here = self.rows(account, list(ids))
        self.delete(account, [row for pk, row in here.items() if self.fingerprint(row) == known.get(pk)])

    def rows(self, account: Account, ids: Sequence[str]) -> dict[str, Workout]:
        workouts = account.workouts.filter(pk__in=ids).only("account_id", "updated_at", "stored_bytes")
        return {str(workout.pk): workout for workout in workouts}

    def fingerprint(self, row: Workout) -> str:
        return row.updated_at.isoformat()

    def delete(self, account: Account, rows: Sequence[Workout]) -> None:
        if not rows:
            return
        ids = [workout.pk for workout in rows]
        taken = sum(workout.stored_bytes for workout in rows)
        (stamp,) = account.stamp(workouts=-len(rows), stored_bytes=-taken)
        take_back_steps(account, ids, stamp)
        account.workout_exercises.filter(workout__in=ids)._raw_delete(connection.alias)
        account.workouts.filter(pk__in=ids)._raw_delete(connection.alias)


def difference(sets: int, sets_here: int) -> Said:
    """How a workout of a file differs from the one that an earlier import has stored."""
    if sets == sets_here:
        return OTHER_SETS
    return Message(OTHER_COUNT, {"sets": sets, "here": sets_here})


class Builder:
    """Makes workouts of what other apps have, with the names that the account has chosen."""

    def __init__(self, context: Context) -> None:
        self.account, self.source, self.answers = context.account, context.source, context.answers
        self.shared = shared_names(context.source)
        self.choices = chosen_names(context.account, context.source)
        self.names = Names(context.account, context.source, self.choices)

    def make(self, candidate: Candidate, findings: Findings) -> Record | None:
        names: dict[str, ExerciseName] = {}

        def find(name: str) -> Exercise | Fate | None:
            found = self.names.find(name)
            if name in self.shared:
                if name not in self.choices and isinstance(found, Exercise):
                    names[name] = self.own_name(name, found)
            elif name in self.choices:
                findings.chosen_names.add(name)
            return found

        record = WorkoutBuilder(candidate, self.answers, find, findings).record()
        return record and WorkoutRecord(**vars(record), names=names)

    def own_name(self, name: str, exercise: Exercise) -> ExerciseName:
        return ExerciseName(
            account=self.account, source=self.source, name=name, fate=Fate.EXERCISE, exercise=exercise
        )


def remember_names(records: Sequence[Record]) -> None:
    """Keeps which of an app's names for one exercise the account has, for exports in that app's form."""
    of_workouts = (record for record in records if isinstance(record, WorkoutRecord))
    names = {name: one for record in of_workouts for name, one in record.names.items()}
    if names:
        ExerciseName.objects.bulk_create(names.values(), ignore_conflicts=True)


def chosen_names(account: Account, source: str) -> dict[str, str | Fate]:
    """The account's choice for each name in files of a source: the id of an exercise, or a Fate."""
    chosen = account.exercise_names.filter(source=source)
    return {one.name: one.exercise_id or Fate(one.fate) for one in chosen}


def stored_digests(
    account: Account, starts: set[datetime.datetime], taken: Collection[str]
) -> dict[tuple[datetime.datetime, str], list[str]]:
    """The ids of the account's workouts not taken on the days of these starts, by minute and digest."""
    days, minutes = (
        {start.astimezone(datetime.UTC).toordinal() for start in starts},
        {*map(minute_of, starts)},
    )
    near = account.workouts.filter(day__in=days).values_list("pk", "started_at")
    started = {pk: start for pk, start in near if minute_of(start) in minutes and str(pk) not in taken}
    rows = account.workout_exercises.filter(workout__in=list(started)).order_by("workout", "position")
    rows_of: defaultdict[object, list[WorkoutExercise]] = defaultdict(list)
    for row in rows:
        rows_of[row.workout_id].append(row)
    found: defaultdict[tuple[datetime.datetime, str], list[str]] = defaultdict(list)
    for pk, start in started.items():
        found[minute_of(start), digest_of_rows(rows_of[pk])].append(str(pk))
    return found


def is_session(record: Record) -> bool:
    """Whether it says when somebody trained, and nothing of it."""
    return not record.values["exercises"] and not record.values["notes"]


def overlapping(account: Account, records: Sequence[Record]) -> dict[datetime.datetime, list[str]]:
    """The ids of the account's workouts at the time of records, by the start of these."""
    times = {one.values["started_at"]: end_of(**one.values) for one in records}
    days = {start.astimezone(datetime.UTC).toordinal() + apart for start in times for apart in (-1, 0, 1)}
    near = account.workouts.filter(day__in=days).values("pk", "started_at", "duration_seconds")
    theirs = [(str(one["pk"]), one["started_at"], end_of(**one)) for one in near] if times else []
    return {
        start: [pk for pk, begun, ended in theirs if begun < end and start < ended]
        for start, end in times.items()
    }


def end_of(started_at: datetime.datetime, duration_seconds: int, **others: object) -> datetime.datetime:
    return started_at + datetime.timedelta(seconds=max(duration_seconds, 1))


def minute_of(moment: datetime.datetime) -> datetime.datetime:
    return moment.astimezone(datetime.UTC).replace(second=0, microsecond=0)


def sets_of(values: WorkoutValues) -> int:
    return sum(len(entry["sets"]) for entry in values["exercises"])

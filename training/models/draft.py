"""Workouts that are under way, and their documents.

Stored is the document that the page of a running workout sends (training/drafts), merged from all devices of
the account. Nothing is derived from it: a workout is made of it when it is finished.

Times in it are texts in UTC with milliseconds, as browsers write them (`2026-11-22T18:30:00.000Z`): they
compare as texts. What was removed stays, with the time of it, so that an older copy of another device does
not bring it back. Lists are in the order of `order`, then `uid`.
"""

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NotRequired, Self, TypedDict, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.api.exceptions import PayloadTooLarge
from fitness.db.owned import Owned
from fitness.json import dumps
from training.models.sets import NotedOfSet, SetNumber, SetType, set_numbers
from training.models.timed import Measure, TimedSet

MAX_BYTES = settings.MAX_BODY_BYTES - 4096  # of a document: a page has to be able to send it back
MAX_CLOSED = 100  # of an account
KEPT_FOR = datetime.timedelta(days=30)  # a closed one, for a device that sends it later
ENTRY = "entry:"  # no id of an exercise has a colon


class LineOfDraft(TypedDict):
    """Sets that are asked for alike; of the last one as many repetitions as possible where it is `open`."""

    sets: int
    reps: int
    weight_kg: float
    open: NotRequired[bool]


class TargetOfDraft(LineOfDraft):
    """What a routine or a plan asks for of an exercise.

    A wave has `lines`, where the sets of a day are not alike, and says which `week` it is of how many.
    """

    lines: NotRequired[list[LineOfDraft]]
    note: NotRequired[str]  # the remark of the plan or routine, without its times
    times: NotRequired[list[TimedSet]]  # those of the note, also distances
    week: NotRequired[int]
    weeks: NotRequired[int]
    is_deload: NotRequired[bool]  # the week is lighter
    is_fixed: NotRequired[bool]  # no rule moves it
    reason: NotRequired[str]  # added for who reads it: `targets_in_words` (training/drafts/context.py)


class DraftSet(NotedOfSet):
    """A set; done if `done_at` is a time. What is measured of it is None until somebody enters it.

    `seconds` and `distance_km` are those of an exercise that is not measured by repetitions; a page may leave
    them out.
    """

    uid: str
    order: float
    type: str  # a SetType
    weight_kg: float | None
    reps: int | None
    seconds: NotRequired[int | None]
    distance_km: NotRequired[float | None]
    done_at: str | None
    changed_at: str
    removed_at: str | None


class DraftExercise(TypedDict):
    """`changed_at` is of everything but the sets, which have their own. Rests and setup are as in Habit."""

    uid: str
    exercise_id: str
    order: float
    measure: str  # a Measure
    rest_seconds: int
    rests_in_superset: bool
    setup: str
    notes: str
    superset_id: str | None
    changed_at: str
    removed_at: str | None
    sets: list[DraftSet]


class DraftDocument(TypedDict):
    """`changed_at` is of title and notes; the rest of the head never changes."""

    id: str
    started_at: str
    title: str
    notes: str
    changed_at: str
    plan_id: str | None
    routine_id: str | None
    exercises: list[DraftExercise]


Targets = dict[str, TargetOfDraft]
Element = TypeVar("Element", DraftSet, DraftExercise)


class TooLarge(PayloadTooLarge):
    """Says so to a person, in the language of the page."""

    def __init__(self) -> None:
        super().__init__(
            _("The workout is too large to be kept while it is under way. Finish it, and begin another.")
        )


class TrainingDraftQuerySet(models.QuerySet["TrainingDraft"]):
    def open(self) -> Self:
        """The workout under way: an account has at most one."""
        return self.filter(closed_at=None)

    def open_new(
        self, account: Account, document: DraftDocument, targets: Targets, weekday: int | None = None
    ) -> "TrainingDraft":
        """Stores a draft of a locked account, and deletes those that are kept no longer."""
        closed = account.training_drafts.exclude(closed_at=None).order_by("-closed_at")
        kept = closed.filter(closed_at__gt=timezone.now() - KEPT_FOR).values_list("pk", flat=True)[
            :MAX_CLOSED
        ]
        closed.exclude(pk__in=list(kept)).order_by()._raw_delete(self.db)
        return self.create(
            id=UUID(document["id"]), account=account, document=document, targets=targets, weekday=weekday
        )


class TrainingDraft(Owned):
    """A workout from its start to its finish, and for KEPT_FOR afterwards.

    `workout_id` is the id of the workout that it became: its own, unless another account had that already. A
    closed one without a workout was discarded. `targets` are by the id of the exercise; those of rules, of
    lighter weeks and of an exercise that is planned several times also by `entry_key`.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="training_drafts"
    )
    document: "models.JSONField[DraftDocument, DraftDocument]" = models.JSONField()
    version = models.PositiveIntegerField(default=1)  # of the document: counts its changes
    targets: "models.JSONField[Targets, Targets]" = models.JSONField(default=dict)
    weekday = models.PositiveSmallIntegerField(null=True)  # the day of the plan that it was begun from
    closed_at = models.DateTimeField(null=True)
    workout_id = models.UUIDField(null=True)

    objects = TrainingDraftQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint("account", name="one_open_draft", condition=models.Q(closed_at=None)),
        ]

    def __str__(self) -> str:
        return self.document["title"] or f"workout of {self.document['started_at'][:10]}"

    @property
    def targets_of_entries(self) -> Targets:
        """What is asked of one exercise of the document alone, by its uid."""
        return {
            key.removeprefix(ENTRY): target for key, target in self.targets.items() if key.startswith(ENTRY)
        }

    def store(self, document: DraftDocument) -> None:
        """Stores a merged document; one that is as it was keeps its version. Raises TooLarge."""
        if document != self.document:
            if len(dumps(document)) > MAX_BYTES:
                raise TooLarge()
            self.document = document
            self.version += 1
            self.save(update_fields=["document", "version"])

    def close(self, workout_id: UUID | None = None) -> None:
        """Ends it, as that workout or as nothing, of which no set is kept."""
        self.closed_at, self.workout_id = timezone.now(), workout_id
        if workout_id is None:
            self.document = {**self.document, "notes": "", "exercises": []}
        self.save(update_fields=["closed_at", "workout_id", "document"])


def merged(stored: DraftDocument, sent: DraftDocument) -> DraftDocument:
    """The stored document with what is newer in the one that was sent.

    The head, each exercise and each set are compared on their own, and the later change of each is kept; what
    one copy alone has stays. So of two devices that tick at once neither loses a tick. The order in which
    copies arrive matters only where both have changed one thing in the same millisecond. A field that one
    copy alone has stays, too: a page that was opened before an update leaves out what the update has added.
    """
    newer = sent if sent["changed_at"] > stored["changed_at"] else stored
    return {
        **stored,
        "title": newer["title"],
        "notes": newer["notes"],
        "changed_at": newer["changed_at"],
        "exercises": merged_lists(stored["exercises"], sent["exercises"], merged_exercise),
    }


def merged_exercise(stored: DraftExercise, sent: DraftExercise) -> DraftExercise:
    sets = merged_lists(stored["sets"], sent["sets"], newer_of)
    return {**newer_of(stored, sent), "sets": sets}


def newer_of(stored: Element, sent: Element) -> Element:
    """The one that was changed last, with the fields that the other one alone has."""
    older, newer = (stored, sent) if sent["changed_at"] > stored["changed_at"] else (sent, stored)
    return {**older, **newer}


def merged_lists(
    stored: Sequence[Element], sent: Sequence[Element], merge: Callable[[Element, Element], Element]
) -> list[Element]:
    theirs = {one["uid"]: one for one in sent}
    both = [merge(one, theirs.pop(one["uid"])) if one["uid"] in theirs else one for one in stored]
    return both + list(theirs.values())


def with_past_times(document: DraftDocument, now: str) -> DraftDocument:
    """The document without changes of the future: those of a clock that is ahead would win for as long."""
    return {
        **document,
        "changed_at": min(document["changed_at"], now),
        "exercises": [
            {
                **exercise,
                "changed_at": min(exercise["changed_at"], now),
                "sets": [{**one, "changed_at": min(one["changed_at"], now)} for one in exercise["sets"]],
            }
            for exercise in document["exercises"]
        ],
    }


def entry_key(uid: str) -> str:
    """The key of the target that is of one DraftExercise alone: a lift may be asked for several times."""
    return ENTRY + uid


def moment(time: datetime.datetime) -> str:
    """A time as the document has it."""
    return f"{time.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"


def listed(elements: Iterable[Element]) -> list[Element]:
    """Those that were not removed, in their order."""
    rows: Any = elements  # mypy looks up keys of a TypedDict by literals only
    return sorted(
        (one for one in rows if one["removed_at"] is None), key=lambda one: (one["order"], one["uid"])
    )


def timed_set(one: DraftSet) -> TimedSet:
    return {
        "seconds": one.get("seconds"),
        "distance_km": one.get("distance_km"),
        "weight_kg": one["weight_kg"],
    }


def is_lifted(one: DraftSet) -> bool:
    return one["weight_kg"] is not None and one["reps"] is not None


def has_time(one: DraftSet) -> bool:
    """Whether it has a time or a distance."""
    return one.get("seconds") is not None or one.get("distance_km") is not None


def is_timed(exercise: DraftExercise, one: DraftSet) -> bool:
    """Whether it becomes a time or a distance, and not a set with repetitions."""
    return has_time(one) and (exercise["measure"] != Measure.REPS or not is_lifted(one))


def done_sets(document: DraftDocument) -> Iterator[tuple[DraftExercise, DraftSet]]:
    """Yields each set that was done, with its exercise."""
    for exercise in listed(document["exercises"]):
        for one in listed(exercise["sets"]):
            if one["done_at"]:
                yield exercise, one


def next_set(document: DraftDocument) -> tuple[str, SetNumber] | None:
    """The id of its exercise, and what screens call it; None where all sets are done.

    It follows the set that was done last. The exercises of a superset take turns.
    """
    exercises = listed(document["exercises"])
    last = max(exercises, key=last_done, default=None)
    if last is None:
        return None
    for exercise in in_turn(exercises, last):
        sets = listed(exercise["sets"])
        numbers = set_numbers(one["type"] == SetType.WARMUP for one in sets)
        for one, number in zip(sets, numbers, strict=True):
            if not one["done_at"]:
                return exercise["exercise_id"], number
    return None


def last_done(exercise: DraftExercise) -> str:
    return max((one["done_at"] or "" for one in listed(exercise["sets"])), default="")


def in_turn(exercises: list[DraftExercise], last: DraftExercise) -> list[DraftExercise]:
    """The exercises in the order in which they come after a set of the last one."""
    superset = last["superset_id"]
    mates = [one for one in exercises if one is last or (superset and one["superset_id"] == superset)]
    after_mate, after = mates.index(last) + 1, exercises.index(last) + 1
    return [*mates[after_mate:], *mates[:after_mate], *exercises[after:], *exercises[:after]]

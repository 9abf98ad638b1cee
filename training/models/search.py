"""The one search of exercises: of the API, the tools, the screens and the admin."""

import datetime
from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, Subquery, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Length, StrIndex
from django.db.models.lookups import GreaterThan

from accounts.models import Account
from fitness.db.keysets import MixedKeyset
from training.catalogue.folding import fold
from training.models.exercise import Category, Exercise, ExerciseQuerySet
from training.models.workout_exercise import WorkoutExercise

MAX_SESSIONS = 250  # with each exercise, that a search counts: ten counts of 1,000 doubled what it takes
DRILL = 4  # letters that an Olympic lift counts as longer: "Clean Shrug" is no plainer than "Dumbbell Shrug"
NEVER = datetime.datetime.min.replace(tzinfo=datetime.UTC)

# The orders of a search: that of the API, and that of the screens, where people look for their own lifts.
MOST_DONE_FIRST = ("-sessions", "-trained")
BEST_FIRST = MixedKeyset("exercises by rank", "rank", *MOST_DONE_FIRST, "length", "name", "id")
OWN_FIRST = MixedKeyset("own exercises first", *MOST_DONE_FIRST, "rank", "length", "name", "id")


def search(
    exercises: ExerciseQuerySet, text: str, account: Account, meant: Collection[str] = ()
) -> ExerciseQuerySet:
    """Exercises that match a text, to be ordered by BEST_FIRST or OWN_FIRST; all for a blank text.

    Annotates the `rank`: 1, a name or alias is the whole text, or the name is one of `meant`, the names of
    exercises that the text names in another language; 2, its words begin words of the name; 3, the name holds
    them; where no name holds all of them, 4, an alias has them one after the other, and 5, name and aliases
    together hold them.
    """
    if not text.strip():
        return with_rank(exercises, account.pk, rank=Value(1))
    found = fold(text) or ["-"]  # signs alone: no folded name holds one
    words, whole = list(dict.fromkeys(found)), "".join(found)
    name_has_all = contains_all("name_folded", words)
    is_whole_name = contains("names_folded", f"| {whole} ")
    is_meant = Q(name__in=meant)
    seen = Exercise.objects.seen_by(account).active()
    no_name_has_all = ~Exists(seen.filter(name_has_all))
    rank = Case(
        When(is_whole_name | is_meant, then=1),
        When(contains_all("name_folded", [f" {word}" for word in words]), then=2),
        When(name_has_all, then=3),
        When(contains("names_folded", f" {whole}"), then=4),
        default=5,
        output_field=IntegerField(),
    )
    # The first condition rules out most rows at once.
    has_all = contains_all("names_folded", words) & (name_has_all | is_whole_name | no_name_has_all)
    return with_rank(exercises.filter(has_all | is_meant), account.pk, rank)


def with_rank(exercises: ExerciseQuerySet, account: UUID, rank: Case | Value) -> ExerciseQuerySet:
    """Annotates `rank`, in how many `sessions` the account did the exercise (at most MAX_SESSIONS), when
    it last `trained` it, and the `length` of its name; drills of Olympic lifts count as longer, so that
    the plain lifts of a word come first.
    """
    sessions = WorkoutExercise.objects.filter(account=account).sessions_with(OuterRef("pk"))
    started = sessions.values("started_at")
    return exercises.annotate(
        rank=rank,
        sessions=CountOf(started[:MAX_SESSIONS]),
        trained=Coalesce(Subquery(started.order_by("-started_at")[:1]), Value(NEVER)),
        length=Length("name") + Case(When(category=Category.OLYMPIC, then=DRILL), default=0),
    )


class CountOf(Subquery):
    """How many rows a queryset has, which may be a slice: that bounds what counting costs."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


def contains(column: str, text: str | Combinable) -> Q:
    return Q(GreaterThan(StrIndex(F(column), text if isinstance(text, Combinable) else Value(text)), 0))


def contains_all(column: str, texts: Iterable[str | Combinable]) -> Q:
    return Q(*(contains(column, text) for text in texts))

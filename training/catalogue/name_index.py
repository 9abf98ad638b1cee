from collections.abc import Iterable

from training.catalogue.folding import compared
from training.catalogue.matching import slug, words
from training.models.exercise import Exercise


class NameIndex:
    """Exercises by name and aliases. The names of an exercise that was merged into another mean that one."""

    def __init__(self, exercises: Iterable[Exercise] = ()) -> None:
        self.by_slug: dict[str, Exercise] = {}
        self.by_words: dict[tuple[tuple[str, ...], str], Exercise] = {}
        for exercise in exercises:
            self.add(exercise)

    def add(self, exercise: Exercise) -> None:
        self.by_slug[exercise.id] = exercise.kept  # still the slug of its first name when staff renamed it
        for name in (exercise.name, *exercise.aliases):
            self.by_slug.setdefault(slug(name), exercise.kept)
            self.by_words.setdefault((words(name), exercise.equipment), exercise.kept)

    def named(self, name: str) -> Exercise | None:
        """The exercise that has the name, whatever its equipment."""
        return self.by_slug.get(slug(name))

    def find(self, exercise: Exercise) -> Exercise | None:
        """The exercise with that name, or nearly: the same words count if the equipment is the same.

        "Squat with Bands" is a barbell that bands hold down, "Band Squat" has no barbell.
        """
        nearly = (words(exercise.name), exercise.equipment)
        return self.named(exercise.name) or self.by_words.get(nearly)


class TakenNames:
    """Which exercise each name means in searches: names, aliases, and ids, which were the first names."""

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        self.exercises: dict[str, Exercise] = {}
        for exercise in exercises:
            self.add(exercise)

    def add(self, exercise: Exercise) -> None:
        for name in (exercise.name, *exercise.aliases, exercise.id):
            self.exercises.setdefault(compared(name), exercise.kept)

    def by(self, name: str) -> Exercise | None:
        """The exercise that has the name already."""
        return self.exercises.get(compared(name))

    def problem(self, name: str) -> str | None:
        """What is wrong with giving the name to one more exercise, if another one has it."""
        taken_by = self.by(name)
        return None if taken_by is None else f'"{name}" already means {taken_by.name} ({taken_by.id})'

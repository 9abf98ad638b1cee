from collections.abc import Iterable

from training.catalogue.matching import slug, words
from training.models.exercise import Exercise


class NameIndex:
    """Exercises by name and aliases."""

    def __init__(self, exercises: Iterable[Exercise] = ()) -> None:
        self.by_slug: dict[str, Exercise] = {}
        self.by_words: dict[tuple[tuple[str, ...], str], Exercise] = {}
        for exercise in exercises:
            self.add(exercise)

    def add(self, exercise: Exercise) -> None:
        self.by_slug[exercise.id] = exercise  # still the slug of its first name when staff renamed it
        for name in (exercise.name, *exercise.aliases):
            self.by_slug.setdefault(slug(name), exercise)
            self.by_words.setdefault((words(name), exercise.equipment), exercise)

    def find(self, exercise: Exercise) -> Exercise | None:
        """The exercise with that name, or nearly: the same words count if the equipment is the same.

        "Squat with Bands" is a barbell that bands hold down, "Band Squat" has no barbell.
        """
        nearly = (words(exercise.name), exercise.equipment)
        return self.by_slug.get(slug(exercise.name)) or self.by_words.get(nearly)

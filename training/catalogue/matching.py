"""Whether two names mean the same movement."""

import difflib
import heapq
import re
import unicodedata

ID_LENGTH = 120
FILLER = {"a", "an", "the", "with"}
SPELLINGS = {
    "chinup": "chin up",
    "flye": "fly",
    "legged": "leg",
    "one": "single",
    "pullup": "pull up",
    "pushup": "push up",
    "situp": "sit up",
    "skullcrusher": "skull crusher",
}


def slug(name):
    """The id of an exercise of that name; empty when the name has no Latin letter and no digit."""
    return "-".join(spoken(name))[:ID_LENGTH].strip("-")


def words(name):
    """The name's words without filler, in one number and spelling, as a tuple to compare.

    They are sorted, as "Incline Dumbbell Fly" is "Dumbbell Incline Fly"; but a name with "to" keeps
    its order, as "High to Low" is not "Low to High".
    """
    found = [part for word in spoken(name) for part in spelling(word).split() if part not in FILLER]
    return tuple(found if "to" in found else sorted(found))


def spoken(name):
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.findall(r"[a-z0-9]+", plain.lower().replace("'", ""))


def spelling(word):
    singular = re.sub(r"(?<=ch|ss)es$|(?<=[^s])s$", "", word)
    return SPELLINGS.get(singular, singular)


def nearest(name, ids, count=3):
    """The ids whose words are most like those of a name (or of a mistaken id), best first.

    Shared words and word beginnings come first; spelling decides among the few that share most.
    """
    wanted, spelled = beginnings(words(name[:ID_LENGTH])), slug(name[:ID_LENGTH])

    def shared(exercise_id):
        same = len(wanted & beginnings(exercise_id.split("-")))
        return same, -abs(len(exercise_id) - len(spelled))

    def alike(exercise_id):
        ratio = difflib.SequenceMatcher(None, exercise_id, spelled).ratio()
        return shared(exercise_id)[0], ratio

    return sorted(heapq.nlargest(30, ids, key=shared), key=alike, reverse=True)[:count]


def beginnings(found):
    """The words and the first four letters of each: "benchpress" has those of "bench"."""
    return {*found, *(word[:4] for word in found)}


class NameIndex:
    """Exercises by name and aliases."""

    def __init__(self, exercises=()):
        self.by_slug = {}
        self.by_words = {}
        for exercise in exercises:
            self.add(exercise)

    def add(self, exercise):
        self.by_slug[exercise.id] = exercise  # still the slug of its first name when staff renamed it
        for name in (exercise.name, *exercise.aliases):
            self.by_slug.setdefault(slug(name), exercise)
            self.by_words.setdefault((words(name), exercise.equipment), exercise)

    def find(self, exercise):
        """The one that goes by that name, or nearly: the same words count if the equipment is the same.

        "Squat with Bands" is a barbell that bands hold down, "Band Squat" has no barbell.
        """
        nearly = (words(exercise.name), exercise.equipment)
        return self.by_slug.get(slug(exercise.name)) or self.by_words.get(nearly)

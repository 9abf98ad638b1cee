"""What the name of an exercise that the catalogue does not have says about it."""

import re
from typing import TypedDict

from training.catalogue.folding import fold

# Words of a name, as `fold` makes them, by what they mean. Where a name has several, the first here decides.
EQUIPMENT_OF = {
    "Kettlebell": {"kettlebell"},
    "Dumbbell": {"dumbbell"},
    "Barbell": {"barbell", "ez", "trap", "bar", "smith", "landmine"},
    "Cable": {"cable", "pulley", "rope"},
    "Band": {"band"},
    "Machine": {"machine", "hammer", "hack", "sled", "lever", "pendulum"},
    "Bodyweight": {"bodyweight", "plank", "crunch", "burpee", "handstand", "dip", "hang", "jump"},
}
MUSCLE_GROUP_OF = {
    "Core": {"core", "ab", "plank", "crunch", "sit", "twist", "oblique", "hollow", "rollout"},
    "Legs": {
        "leg",
        "squat",
        "lunge",
        "calf",
        "glute",
        "hip",
        "hamstring",
        "thigh",
        "quad",
        "step",
        "hack",
        "sled",
    },
    "Chest": {"chest", "bench", "pec", "fly", "dip"},
    "Back": {"back", "row", "lat", "pull", "chin", "dead", "rhomboid", "pullover"},
    "Arms": {"arm", "curl", "bicep", "biceps", "tricep", "triceps", "wrist", "forearm", "grip", "skull"},
    "Shoulders": {
        "shoulder",
        "delt",
        "lateral",
        "overhead",
        "military",
        "shrug",
        "rotator",
        "press",
        "raise",
    },
}
HELD = {"plank", "hold", "isometric"}


class Guess(TypedDict):
    muscle_group: str
    equipment: str
    is_assisted: bool


def guessed(name: str, muscle_group: str = "Full body", equipment: str = "Machine") -> Guess:
    """What an exercise of this name likely is; where no word says it, as given."""
    words = set(fold(name))
    return {
        "muscle_group": of_words(words, MUSCLE_GROUP_OF, muscle_group),
        "equipment": of_words(words, EQUIPMENT_OF, equipment),
        "is_assisted": says_assisted(name),
    }


def says_assisted(name: str) -> bool:
    """Whether the weight of what has this name is likely help: "Unassisted Pull-Up" does not say so."""
    return "assisted" in re.split(r"[\W_]+", name.lower())


def says_held(name: str) -> bool:
    """Whether what has this name is likely held for a time."""
    return not HELD.isdisjoint(fold(name))


def of_words(words: set[str], meanings: dict[str, set[str]], default: str) -> str:
    return next((meaning for meaning, known in meanings.items() if words & known), default)

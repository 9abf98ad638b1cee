"""How the names of exercises are compared: without case, accents, hyphens, plurals and short forms."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

MARKS = "['\u2019\u0300-\u036f]"  # apostrophes, and accents once they are apart from their letters
FILLER = {"a", "an", "and", "for", "of", "on", "the", "using", "with"}

# How a word is read: in one spelling, a compound in its parts, a short form of the field in full.
SPELLINGS = {
    "1": "single",
    "alt": "alternating",
    "armed": "arm",
    "bb": "barbell",
    "bor": "bent over row",
    "bp": "bench press",
    "bss": "bulgarian split squat",
    "btn": "behind neck",
    "bw": "bodyweight",
    "calves": "calf",
    "cg": "close grip",
    "cgbp": "close grip bench press",
    "chinup": "chin up",
    "crossover": "cross over",
    "db": "dumbbell",
    "deadlift": "dead lift",
    "dl": "dead lift",
    "dumbel": "dumbbell",
    "dumbell": "dumbbell",
    "ezbar": "ez bar",
    "flye": "fly",
    "ghr": "glute ham raise",
    "hexbar": "hex bar",
    "hspu": "handstand push up",
    "kb": "kettlebell",
    "kbs": "kettlebell swing",
    "kickback": "kick back",
    "legged": "leg",
    "mb": "medicine ball",
    "mu": "muscle up",
    "muscleup": "muscle up",
    "ng": "neutral grip",
    "oh": "overhead",
    "ohp": "overhead press",
    "ohs": "overhead squat",
    "one": "single",
    "pressdown": "push down",
    "pressup": "press up",
    "pulldown": "pull down",
    "pullover": "pull over",
    "pullup": "pull up",
    "pushdown": "push down",
    "pushup": "push up",
    "rdl": "romanian dead lift",
    "rfess": "rear foot elevated split squat",
    "rollout": "roll out",
    "sdhp": "sumo dead lift high pull",
    "situp": "sit up",
    "skullcrusher": "skull crusher",
    "sldl": "stiff leg dead lift",
    "slrdl": "single leg romanian dead lift",
    "ssb": "safety bar",
    "stepup": "step up",
    "t2b": "toe to bar",
    "tbar": "t bar",
    "tbdl": "trap bar dead lift",
    "tgu": "turkish get up",
    "trx": "suspension",
    "ttb": "toe to bar",
    "vbar": "v bar",
    "wg": "wide grip",
}


def fold(text: str) -> list[str]:
    """The words of a name or a search text, in the form in which they are compared."""
    words = spelled(text)
    return [word for word in words if word not in FILLER] or list(words)


@lru_cache(maxsize=8_192)  # of the names of a catalogue, which each step of an import compares anew
def spelled(text: str) -> tuple[str, ...]:
    """All words of a text, each as `spelling` reads it."""
    letters = unmarked(text).replace("&", " and ")
    return tuple(" ".join(map(spelling, re.findall(r"[^\W_]+", letters))).split())


def unmarked(text: str) -> str:
    """A text without case, accents and apostrophes: also how the names of a list are ordered."""
    return re.sub(MARKS, "", unicodedata.normalize("NFKD", text.casefold()))


def compared(name: str) -> str:
    """A name as searches compare whole names."""
    return "".join(fold(name))


def spelling(word: str) -> str:
    singular = re.sub(r"(?<=\w\w)ies$", "y", word)
    singular = re.sub(r"(?<=ch|sh|ss)es$|(?<=x)es$|(?<=[^s])s$", "", singular)
    return SPELLINGS.get(word) or SPELLINGS.get(singular, singular)


def folded(names: list[str]) -> str:
    """The names as one text for searches in SQL: "| romaniandeadlift deadlift lift " for each.

    A blank precedes each beginning of a word, so that " press" and " benchpress" are found in "Bench Press",
    and the bar and the blank behind the first word enclose a whole name.
    """
    return "".join(f"| {' '.join(endings(fold(name)))} " for name in names)


def endings(words: list[str]) -> list[str]:
    return ["".join(words[start:]) for start in range(len(words))]


def words_of(folded_names: str) -> Iterator[list[str]]:
    """The words of each name in such a text."""
    for name in folded_names.split("|")[1:]:
        found = name.split()
        yield [ending.removesuffix(rest) for ending, rest in zip(found, [*found[1:], ""], strict=True)]

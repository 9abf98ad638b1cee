"""Which muscles an exercise trains, and what people call these.

The catalogue has seven muscle groups. The muscles of a group follow from the English names of its exercises,
so that exercises which staff, owners and imports add have some as well.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from training.catalogue.folding import fold, unmarked

SHORTEST = 3  # letters that a text has, to be the beginning of a word


class Muscle(NamedTuple):
    """`words`: by language what people call it. The first one is what screens show, where it is no group.

    It is trained by the exercises of its `groups` whose names have one of the `phrases`, or any name where
    there are none, but none of the `others`.
    """

    groups: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    phrases: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


GROUPS = {
    "Chest": Muscle(
        ("Chest",),
        {
            "en": ("chest", "pecs", "pectorals"),
            "de": ("Brust", "Brustmuskel"),
            "es": ("pecho", "pectorales"),
            "fr": ("pectoraux", "poitrine", "pecs"),
        },
    ),
    "Back": Muscle(
        ("Back",),
        {"en": ("back",), "de": ("Rücken", "Ruecken"), "es": ("espalda",), "fr": ("dos",)},
    ),
    "Legs": Muscle(
        ("Legs",),
        {
            "en": ("legs", "thighs"),
            "de": ("Beine", "Bein", "Oberschenkel"),
            "es": ("piernas", "muslos"),
            "fr": ("jambes", "cuisses"),
        },
    ),
    "Shoulders": Muscle(
        ("Shoulders",),
        {
            "en": ("shoulders", "delts", "deltoids"),
            "de": ("Schultern", "Deltamuskel"),
            "es": ("hombros", "deltoides"),
            "fr": ("épaules", "deltoïdes"),
        },
        others=("neck",),
    ),
    "Arms": Muscle(
        ("Arms",),
        {"en": ("arms",), "de": ("Arme",), "es": ("brazos",), "fr": ("bras",)},
    ),
    "Core": Muscle(
        ("Core",),
        {
            "en": ("core", "midsection"),
            "de": ("Rumpf",),
            "es": ("core", "tronco"),
            "fr": ("gainage", "tronc"),
        },
        others=("neck",),
    ),
    "Full body": Muscle(
        ("Full body",),
        {
            "en": ("full body", "whole body"),
            "de": ("Ganzkörper",),
            "es": ("cuerpo entero", "cuerpo completo"),
            "fr": ("corps entier",),
        },
    ),
}

MUSCLES = {
    "Upper chest": Muscle(
        ("Chest",),
        {
            "en": ("upper chest",),
            "de": ("obere Brust",),
            "es": ("pecho superior",),
            "fr": ("haut des pectoraux",),
        },
        ("incline", "low to high", "landmine", "feet elevated", "decline push up"),
        ("incline push up",),
    ),
    "Lats": Muscle(
        ("Back",),
        {
            "en": ("lats", "latissimus"),
            "de": ("Latissimus", "breiter Rücken"),
            "es": ("dorsales", "dorsal ancho"),
            "fr": ("grands dorsaux", "grand dorsal", "dorsaux"),
        },
        (
            *("pull down", "pull up", "chin up", "pull over", "lat", "row", "muscle up", "front lever"),
            *("vertical traction", "rope climb"),
        ),
    ),
    "Upper back": Muscle(
        ("Back", "Shoulders"),
        {
            "en": ("upper back", "mid back", "rhomboids"),
            "de": ("oberer Rücken", "Rhomboiden"),
            "es": ("espalda alta", "romboides"),
            "fr": ("haut du dos", "rhomboïdes"),
        },
        ("row", "face pull", "pull apart", "reverse fly", "reverse pec", "shrug", "high pull", "upper back"),
        ("upright row",),
    ),
    "Lower back": Muscle(
        ("Back", "Legs"),
        {
            "en": ("lower back", "low back", "spinal erectors"),
            "de": ("unterer Rücken", "Rückenstrecker"),
            "es": ("espalda baja", "lumbares"),
            "fr": ("bas du dos", "lombaires"),
        },
        (
            "back extension",
            "hyper extension",
            "hyperextension",
            "dead lift",
            "good morning",
            "superman",
            "rack pull",
        ),
    ),
    "Traps": Muscle(
        ("Back", "Shoulders", "Full body"),
        {
            "en": ("traps", "trapezius"),
            "de": ("Trapez", "Trapezmuskel", "Nacken"),
            "es": ("trapecios",),
            "fr": ("trapèzes",),
        },
        ("shrug", "upright row", "high pull", "face pull", "rack pull", "farmer walk", "y raise"),
        ("neck",),
    ),
    "Front delts": Muscle(
        ("Shoulders",),
        {
            "en": ("front delts", "anterior delts"),
            "de": ("vordere Schulter",),
            "es": ("hombro anterior", "deltoides anterior"),
            "fr": ("avant des épaules", "deltoïde antérieur"),
        },
        ("press", "front", "push up", "handstand", "jammer", "bus driver", "overhead raise"),
        ("scapular", "neck hold"),
    ),
    "Side delts": Muscle(
        ("Shoulders",),
        {
            "en": ("side delts", "lateral delts"),
            "de": ("seitliche Schulter",),
            "es": ("hombro lateral", "deltoides lateral"),
            "fr": ("côté des épaules", "deltoïde latéral"),
        },
        ("lateral", "upright row", "scaption", "crucifix", "pirate ship"),
        ("bent over cable lateral",),
    ),
    "Rear delts": Muscle(
        ("Shoulders",),
        {
            "en": ("rear delts", "posterior delts"),
            "de": ("hintere Schulter",),
            "es": ("hombro posterior", "deltoides posterior"),
            "fr": ("arrière des épaules", "deltoïde postérieur"),
        },
        (
            "rear delt",
            "reverse fly",
            "reverse pec",
            "face pull",
            "pull apart",
            "y raise",
            "bent over cable lateral",
        ),
    ),
    "Rotator cuff": Muscle(
        ("Shoulders",),
        {
            "en": ("rotator cuff",),
            "de": ("Rotatorenmanschette",),
            "es": ("manguito rotador",),
            "fr": ("coiffe des rotateurs",),
        },
        ("external rotation", "internal rotation", "cuban", "halo", "wall slide", "dislocate", "sleeper"),
    ),
    "Neck": Muscle(
        ("Shoulders", "Core"),
        {"en": ("neck",), "de": ("Hals", "Nacken"), "es": ("cuello",), "fr": ("cou", "nuque")},
        ("neck", "chin to chest"),
        ("behind neck",),
    ),
    "Biceps": Muscle(
        ("Arms", "Back"),
        {"en": ("biceps",), "de": ("Bizeps",), "es": ("bíceps",), "fr": ("biceps",)},
        ("curl", "bicep", "barbell 21", "chin up", "underhand"),
        ("wrist", "finger", "reverse curl", "body up"),
    ),
    "Triceps": Muscle(
        ("Arms",),
        {"en": ("triceps",), "de": ("Trizeps",), "es": ("tríceps",), "fr": ("triceps",)},
        ("tricep", "skull", "push down", "close grip", "diamond", "dip", "press", "body up"),
        ("close grip barbell curl",),
    ),
    "Forearms": Muscle(
        ("Arms", "Back", "Full body"),
        {
            "en": ("forearms", "grip"),
            "de": ("Unterarme", "Griffkraft"),
            "es": ("antebrazos", "agarre"),
            "fr": ("avant-bras", "poigne"),
        },
        (
            *("wrist", "finger", "pinch", "reverse curl", "hammer curl", "zottman", "hang", "hold", "towel"),
            *("reverse plate curl", "forearm", "farmer walk", "suitcase carry"),
        ),
        ("hang clean", "hang snatch", "hang power clean", "front lever hold"),
    ),
    "Abs": Muscle(
        ("Core",),
        {
            "en": ("abs", "abdominals", "stomach"),
            "de": ("Bauch", "Bauchmuskeln"),
            "es": ("abdominales", "abdomen"),
            "fr": ("abdominaux", "abdos"),
        },
        others=(
            *("neck", "side bend", "wood chop", "chop", "rotation", "rotational", "windmill", "side stretch"),
            *(
                "pallof press",
                "side plank",
                "slingshot",
                "twist",
                "oblique crunch",
                "figure",
                "suitcase",
                "bird dog",
            ),
        ),
    ),
    "Obliques": Muscle(
        ("Core",),
        {
            "en": ("obliques", "side abs"),
            "de": ("seitlicher Bauch", "schräge Bauchmuskeln"),
            "es": ("oblicuos",),
            "fr": ("obliques",),
        },
        (
            *(
                "oblique",
                "twist",
                "side",
                "wood chop",
                "chop",
                "rotation",
                "rotational",
                "windmill",
                "pallof press",
            ),
            *(
                "elbow knee",
                "elbow to knee",
                "bicycle",
                "heel touch",
                "cross body",
                "windshield",
                "slingshot",
            ),
            *("copenhagen", "suitcase", "spiderman"),
        ),
    ),
    "Quads": Muscle(
        ("Legs",),
        {
            "en": ("quads", "quadriceps"),
            "de": ("Quadrizeps", "vordere Oberschenkel"),
            "es": ("cuádriceps",),
            "fr": ("quadriceps", "quads"),
        },
        (
            *(
                "squat",
                "lunge",
                "leg press",
                "leg extension",
                "knee extension",
                "step up",
                "wall sit",
                "sled drag",
            ),
            *("bike", "cycling", "stair", "frog jump", "box jump", "depth jump", "quad", "couch stretch"),
        ),
        ("calf",),
    ),
    "Hamstrings": Muscle(
        ("Legs", "Back"),
        {
            "en": ("hamstrings", "hams"),
            "de": ("Beinbeuger", "hintere Oberschenkel", "Beinbizeps"),
            "es": ("isquiotibiales", "femorales", "isquios"),
            "fr": ("ischio-jambiers", "ischios"),
        },
        (
            "leg curl",
            "hamstring",
            "dead lift",
            "good morning",
            "glute ham",
            "pull through",
            "straddle stretch",
        ),
        ("high pull",),
    ),
    "Glutes": Muscle(
        ("Legs",),
        {
            "en": ("glutes", "butt"),
            "de": ("Po", "Gesäß", "Glutes"),
            "es": ("glúteos",),
            "fr": ("fessiers", "fesses"),
        },
        (
            *(
                "hip thrust",
                "glute",
                "donkey kick",
                "frog pump",
                "clamshell",
                "hip abduction",
                "hip extension",
            ),
            *(
                "fire hydrant",
                "monster walk",
                "band walk",
                "pull through",
                "bulgarian split squat",
                "sumo",
                "lunge",
            ),
            *("step up", "romanian dead lift", "figure four"),
        ),
        ("glute ham",),
    ),
    "Calves": Muscle(
        ("Legs",),
        {"en": ("calves", "calf"), "de": ("Waden",), "es": ("gemelos", "pantorrillas"), "fr": ("mollets",)},
        ("calf", "tibialis", "pogo", "jump rope"),
    ),
    "Adductors": Muscle(
        ("Legs", "Core"),
        {
            "en": ("adductors", "inner thighs", "groin"),
            "de": ("Adduktoren", "innere Oberschenkel"),
            "es": ("aductores",),
            "fr": ("adducteurs",),
        },
        (
            "adduction",
            "copenhagen",
            "cossack",
            "butterfly stretch",
            "straddle stretch",
            "lateral lunge",
            "sumo",
        ),
        ("butterfly sit",),
    ),
    "Abductors": Muscle(
        ("Legs",),
        {
            "en": ("abductors", "outer thighs"),
            "de": ("Abduktoren",),
            "es": ("abductores",),
            "fr": ("abducteurs",),
        },
        ("abduction", "clamshell", "band walk", "monster walk", "fire hydrant"),
    ),
}
NAMED = {**GROUPS, **MUSCLES}


@lru_cache(maxsize=8_192)  # of the names of a catalogue
def muscles_of(name: str, group: str) -> tuple[str, ...]:
    """Those of NAMED that an exercise of an English name and a muscle group trains."""
    return tuple(key for key, muscle in NAMED.items() if is_trained(muscle, name, group))


def is_trained(muscle: Muscle, name: str, group: str) -> bool:
    if group not in muscle.groups:
        return False
    has_one = not muscle.phrases or has_any(name, muscle.phrases)
    return has_one and not has_any(name, muscle.others)


def has_any(name: str, phrases: Iterable[str]) -> bool:
    text = spaced(name)
    return any(spaced(one) in text for one in phrases)


@lru_cache(maxsize=8_192)
def spaced(text: str) -> str:
    return f" {' '.join(fold(text))} "


def muscles_named(text: str) -> list[str]:
    """Those of NAMED that a text is a word for, also without its plural; else those whose words it begins.

    Of several words all have to be there, so that "front" is no muscle.
    """
    typed = as_typed(text)
    if wholes := [key for key, words in called().items() if typed in words or f"{typed}s" in words]:
        return wholes
    if len(typed) < SHORTEST:
        return []
    return [key for key, words in called().items() if any(is_beginning(typed, word) for word in words)]


def is_beginning(typed: str, word: str) -> bool:
    return word.startswith(typed) and word.count(" ") == typed.count(" ")


@cache
def called() -> Mapping[str, Sequence[str]]:
    """The words for each of NAMED, as texts are compared with them."""
    return {
        key: [as_typed(word) for words in muscle.words.values() for word in words]
        for key, muscle in NAMED.items()
    }


def as_typed(text: str) -> str:
    return " ".join(unmarked(text).replace("-", " ").split())

"""Ten weeks of three methods: what is asked, and what is lifted of it, one session a week.

The tables are written by hand from the methods' descriptions, not by the code that they test. They are played
step by step (test_courses.py), and through REST, the tool log_workout and Train (test_played_courses.py).
Weights are in the unit of the course, rounded down to what can be loaded.
"""

from dataclasses import dataclass, field

from tests.training.plans.builders import of, sets
from training.plans import Loading, Rule, Target, rule_from_json, share


@dataclass(frozen=True)
class Week:
    """A session: what each entry of the day asks, its sets, and the kind of step that it makes.

    None for a deload week, in which another target is lifted, and no step is made.
    """

    asked: str  # "1×5 65, 1×5+ 75": of an open set the last one is for as many repetitions as possible
    lifted: str  # "60: 8, 8, 7" or "65×5, 75×5", in the order of the entries
    kind: str | None


@dataclass(frozen=True)
class Course:
    exercise_id: str
    target: Target  # of each entry, before the first week
    rules: list[dict[str, object]]  # of each entry, as clients write them
    weeks: list[Week]
    then: str  # what is asked after the last one
    unit: str = "kg"
    equipment: str = "Barbell"
    deload: dict[str, object] = field(default_factory=dict)

    @property
    def rule(self) -> Rule:
        rules = [rule_from_json(one) for one in self.rules]
        return share(rules) if len(rules) > 1 else rules[0]

    @property
    def loading(self) -> Loading:
        return of(self.rule, self.equipment, self.unit)

    @property
    def asked(self) -> list[list[str]]:
        """What the entries ask in each week and after the last one."""
        return [week.asked.split(", ") for week in self.weeks] + [self.then.split(", ")]

    @property
    def steps(self) -> list[tuple[str, str, str]]:
        """The kind of each step, and the target that the session is judged by before and after it.

        That is what the last entry asks.
        """
        return [
            (week.kind, self.asked[number][-1], self.asked[number + 1][-1])
            for number, week in enumerate(self.weeks)
            if week.kind
        ]

    def sets(self, week: Week) -> list[list[dict[str, object]]]:
        """The sets of each entry, in kg."""
        done = sets(week.lifted, unit=self.unit)
        counts = [int(asked.partition("×")[0]) for asked in week.asked.split(", ")]
        return [[done.pop(0) for _ in range(count)] for count in counts]


def waves(training_max_kg: float, increment_kg: float) -> list[dict[str, object]]:
    """The three main sets of 5/3/1 in its three weeks, a rule for each; the last one is open."""
    lines = [((5, 65), (3, 70), (5, 75)), ((5, 75), (3, 80), (3, 85)), ((5, 85), (3, 90), (1, 95))]
    return [
        {
            "kind": "wave",
            "training_max_kg": training_max_kg,
            "increment_kg": increment_kg,
            "weeks": [
                {"sets": 1, "reps": reps, "percent": percent, "open": line is lines[-1]}
                for reps, percent in line
            ],
        }
        for line in lines
    ]


# The heavy lift ("tier 1") of GZCLP by Cody LeFever, whose method is described on his site,
# swoleateveryheight.blogspot.com, and the program in r/Fitness and its wiki (thefitness.wiki/routines/gzclp).
# A squat gets 5 kg a session in 5 × 3, after a miss 6 × 2 with the same weight, then 10 × 1, each with the
# last set for as many repetitions as are clean. After the last stage he lets people test five repetitions,
# and begin again with 85 % of these. A rule cannot ask for a test: here it is 85 % of the weight that was
# missed.
GZCLP = Course(
    "barbell-back-squat",
    Target(5, 3, 100),
    [
        {
            "kind": "stages",
            "increment_kg": 5,
            "stages": [{"sets": 5, "reps": 3}, {"sets": 6, "reps": 2}, {"sets": 10, "reps": 1}],
            "reset_percent": 85,
        }
    ],
    [
        Week("5×3 100", "100: 3, 3, 3, 3, 5", "progressed"),
        Week("5×3 105", "105: 3, 3, 3, 3, 4", "progressed"),
        Week("5×3 110", "110: 3, 3, 3, 3, 3", "progressed"),
        Week("5×3 115", "115: 3, 3, 3, 3, 2", "next_stage"),
        Week("6×2 115", "115: 2, 2, 2, 2, 2, 3", "progressed"),
        Week("6×2 120", "120: 2, 2, 2, 2, 2, 2", "progressed"),
        Week("6×2 125", "125: 2, 2, 2, 2, 1, 1", "next_stage"),
        Week("10×1 125", "125: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1", "progressed"),
        Week("10×1 130", "130: 1, 1, 1, 1, 1, 1, 1, 1, 1, 0", "deloaded"),
        Week("5×3 110", "110: 3, 3, 3, 3, 6", "progressed"),  # of 110.5 kg
    ],
    then="5×3 115",
)

# The medium lift ("tier 2"): 3 × 10, after a miss 3 × 8, then 3 × 6, each with the weight that was missed.
# After a miss at 3 × 6 he begins again at 3 × 10, heavier than the last time that it began (50 kg here). No
# rule has that weight: here it is 85 % of the one that was missed, which comes near to it.
GZCLP_MEDIUM = Course(
    "barbell-bench-press",
    Target(3, 10, 50),
    [
        {
            "kind": "stages",
            "increment_kg": 2.5,
            "stages": [{"sets": 3, "reps": 10}, {"sets": 3, "reps": 8}, {"sets": 3, "reps": 6}],
            "reset_percent": 85,
        }
    ],
    [
        Week("3×10 50", "50: 10, 10, 10", "progressed"),
        Week("3×10 52.5", "52.5: 10, 10, 10", "progressed"),
        Week("3×10 55", "55: 10, 10, 8", "next_stage"),
        Week("3×8 55", "55: 8, 8, 8", "progressed"),
        Week("3×8 57.5", "57.5: 8, 8, 9", "progressed"),
        Week("3×8 60", "60: 8, 7, 6", "next_stage"),
        Week("3×6 60", "60: 6, 6, 6", "progressed"),
        Week("3×6 62.5", "62.5: 6, 6, 5", "deloaded"),
        Week("3×10 52.5", "52.5: 10, 10, 10", "progressed"),  # of 53.1 kg
        Week("3×10 55", "55: 10, 10, 10", "progressed"),
    ],
    then="3×10 57.5",
)

# Jim Wendler, "5/3/1: The Simplest and Most Effective Training System to Increase Raw Strength" (2009): three
# sets of percentages of a training max, which is 90 % of the one-rep maximum, the last set for as many
# repetitions as possible. Each fourth week is a deload. Then the training max of a press gets 2.5 kg (5 lb),
# that of a squat 5 kg (10 lb); after a missed last set it goes down to 90 %.
FIVE_THREE_ONE_OF_A_PRESS = Course(
    "barbell-bench-press",
    Target(1, 5, 60),
    waves(100, 2.5),
    [
        Week("1×5 65, 1×5 75, 1×5+ 85", "65×5, 75×5, 85×8", "next_week"),
        Week("1×3 70, 1×3 80, 1×3+ 90", "70×3, 80×3, 90×6", "next_week"),
        Week("1×5 75, 1×3 85, 1×1+ 95", "75×5, 85×3, 95×3", "progressed"),
        Week("1×5 65, 1×5 75, 1×5+ 85", "42.5×5, 47.5×5, 55×5", None),
        Week("1×5 65, 1×5 75, 1×5+ 85", "65×5, 75×5, 85×6", "next_week"),  # of 66.6, 76.9 and 87.1 kg
        Week("1×3 70, 1×3 80, 1×3+ 90", "70×3, 80×3, 90×3", "next_week"),  # of 71.8, 82 and 92.3 kg
        Week("1×5 75, 1×3 85, 1×1+ 95", "75×5, 85×3, 95×0", "deloaded"),  # of 76.9, 87.1 and 97.4 kg
        Week("1×5 57.5, 1×5 67.5, 1×5+ 75", "42.5×5, 47.5×5, 55×5", None),  # of 90 kg
        Week("1×5 57.5, 1×5 67.5, 1×5+ 75", "57.5×5, 67.5×5, 75×9", "next_week"),
        Week("1×3 62.5, 1×3 70, 1×3+ 80", "62.5×3, 70×3, 80×7", "next_week"),
    ],
    then="1×5 67.5, 1×3 75, 1×1+ 85",
    deload={"deload_every": 4},
)

# The first week of the second round is missed. Its last week is not, and that one is judged.
FIVE_THREE_ONE_OF_A_SQUAT = Course(
    "barbell-back-squat",
    Target(1, 5, 80),
    waves(125, 5),
    [
        Week("1×5 80, 1×5 92.5, 1×5+ 105", "80×5, 92.5×5, 105×9", "next_week"),  # of 81.3, 93.8 and 106.3 kg
        Week("1×3 87.5, 1×3 100, 1×3+ 112.5", "87.5×3, 100×3, 112.5×7", "next_week"),
        Week("1×5 92.5, 1×3 105, 1×1+ 117.5", "92.5×5, 105×3, 117.5×4", "progressed"),
        Week("1×5 82.5, 1×5 97.5, 1×5+ 110", "52.5×5, 62.5×5, 70×5", None),  # 65 % of them
        Week("1×5 82.5, 1×5 97.5, 1×5+ 110", "82.5×5, 97.5×5, 110×4", "next_week"),  # of 130 kg
        Week("1×3 90, 1×3 102.5, 1×3+ 115", "90×3, 102.5×3, 115×3", "next_week"),  # of 91, 104 and 117 kg
        Week("1×5 97.5, 1×3 110, 1×1+ 122.5", "97.5×5, 110×3, 122.5×2", "progressed"),
        Week("1×5 87.5, 1×5 100, 1×5+ 112.5", "55×5, 65×5, 72.5×5", None),
        Week("1×5 87.5, 1×5 100, 1×5+ 112.5", "87.5×5, 100×5, 112.5×8", "next_week"),  # of 135 kg
        Week("1×3 92.5, 1×3 107.5, 1×3+ 120", "92.5×3, 107.5×3, 120×5", "next_week"),
    ],
    then="1×5 100, 1×3 112.5, 1×1+ 127.5",  # of 101.3, 114.8 and 128.3 kg
    deload={"deload_every": 4, "deload_percent": 65},
)

POUND = 0.45359237
FIVE_THREE_ONE_OF_A_SQUAT_IN_POUNDS = Course(
    "barbell-back-squat",
    Target(1, 5, 195 * POUND),
    waves(300 * POUND, 10 * POUND),
    [
        Week("1×5 195, 1×5 225, 1×5+ 255", "195×5, 225×5, 255×7", "next_week"),
        Week("1×3 210, 1×3 240, 1×3+ 270", "210×3, 240×3, 270×5", "next_week"),
        Week("1×5 225, 1×3 255, 1×1+ 285", "225×5, 255×3, 285×2", "progressed"),
        Week("1×5 200, 1×5 230, 1×5+ 260", "120×5, 150×5, 180×5", None),
        Week("1×5 200, 1×5 230, 1×5+ 260", "200×5, 230×5, 260×5", "next_week"),  # of 201.5, 232.5, 263.5 lb
        Week("1×3 215, 1×3 245, 1×3+ 275", "215×3, 245×3, 275×4", "next_week"),  # of 217, 248 and 279 lb
        Week("1×5 230, 1×3 260, 1×1+ 290", "230×5, 260×3, 290×1", "progressed"),  # of 232.5, 263.5, 294.5 lb
        Week("1×5 205, 1×5 240, 1×5+ 270", "125×5, 160×5, 190×5", None),
        Week("1×5 205, 1×5 240, 1×5+ 270", "205×5, 240×5, 270×6", "next_week"),  # of 208, 240 and 272 lb
        Week("1×3 220, 1×3 255, 1×3+ 285", "220×3, 255×3, 285×3", "next_week"),  # of 224, 256 and 288 lb
    ],
    then="1×5 240, 1×3 270, 1×1+ 300",  # of 240, 272 and 304 lb
    unit="lb",
    deload={"deload_every": 4},
)

# Double progression, which Alan Calvert's course for the barbells of the Milo company (1911) is named as the
# first description of: repetitions up to the top of a range, then more weight from its bottom. Here with two
# dumbbells of 20 kg and 8 to 10 repetitions in three sets. He adds a repetition each third time; here it is
# each time that all sets have theirs.
DOUBLE = Course(
    "dumbbell-bench-press",
    Target(3, 8, 20),
    [
        {
            "kind": "double",
            "increment_kg": 2,
            "reps_from": 8,
            "reps_to": 10,
            "misses": 3,
            "deload_percent": 90,
        }
    ],
    [
        Week("3×8 20", "20: 8, 8, 8", "progressed"),
        Week("3×9 20", "20: 9, 9, 9", "progressed"),
        Week("3×10 20", "20: 10, 10, 10", "progressed"),
        Week("3×8 22", "22: 8, 7, 6", "held"),
        Week("3×8 22", "22: 8, 8, 8", "progressed"),
        Week("3×9 22", "22: 9, 9, 8", "held"),
        Week("3×9 22", "22: 9, 9, 9", "progressed"),
        Week("3×10 22", "22: 10, 10, 10", "progressed"),
        Week("3×8 24", "24: 8, 8, 7", "held"),
        Week("3×8 24", "24: 8, 8, 8", "progressed"),
    ],
    then="3×9 24",
    equipment="Dumbbell",
)

COURSES = {
    "GZCLP": GZCLP,
    "GZCLP, medium lift": GZCLP_MEDIUM,
    "5/3/1 of a press": FIVE_THREE_ONE_OF_A_PRESS,
    "5/3/1 of a squat": FIVE_THREE_ONE_OF_A_SQUAT,
    "5/3/1 of a squat in pounds": FIVE_THREE_ONE_OF_A_SQUAT_IN_POUNDS,
    "double progression": DOUBLE,
}

"""Random exercises of workouts. Many of their sets are alike, as statistics go wrong where two are equal."""

from tests.conftest import a_set

WEIGHTS = (0, 60, 60.5, 82.5, 100, 102.25)
REPS = (0, 1, 5, 8, 12)


def some_sets(dice, weights=WEIGHTS):
    return [
        a_set(
            dice.choice(weights),
            dice.choice(REPS),
            type=dice.choice(["warmup", "working", "working"]),
            completed=dice.random() < 0.8,
            rpe=dice.choice([None, 8, 8.5]),
        )
        for _ in range(dice.randrange(5))
    ]


def some_exercises(dice, ids, most=5):
    """Up to so many of the exercises with these ids, some of them twice."""
    return [
        {"exercise_id": exercise_id, "sets": some_sets(dice)}
        for exercise_id in dice.choices(ids, k=dice.randrange(most + 1))
    ]

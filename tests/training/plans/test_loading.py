"""Which weights can be loaded, in kilograms and in pounds."""

import pytest

from fitness.web.units import KG_PER_POUND, to_unit
from training.models.exercise import Equipment
from training.plans import default_increment_kg, loading_of
from training.plans.loading import STEP_OF, WITH_BAR, WITHOUT_STEPS

LB = KG_PER_POUND


@pytest.mark.parametrize(
    ("equipment", "kg", "pounds"),
    [
        ("Barbell", 2.5, 5),
        ("Dumbbell", 2, 5),
        ("Kettlebell", 4, 5),
        ("Machine", 2.5, 5),
        ("Cable", 2.5, 5),
        ("Bodyweight", 0, 0),
        ("Band", 0, 0),
    ],
)
def test_increments_by_equipment(equipment, kg, pounds):
    assert default_increment_kg(equipment, "kg") == kg
    assert default_increment_kg(equipment, "lb") == pounds * LB


def test_equipment_has_the_names_of_the_catalogue():
    assert {WITH_BAR, *STEP_OF, *WITHOUT_STEPS} <= set(Equipment.values)


@pytest.mark.parametrize(
    ("equipment", "increment_kg", "kg", "loaded_kg"),
    [
        ("Barbell", 2.5, 62.4, 60),
        ("Barbell", 2.5, 62.5, 62.5),
        ("Barbell", 2.5, 62.49999999, 62.5),
        ("Barbell", 5, 64, 62.5),  # 5 kg a session do not make 5 kg the smallest change
        ("Barbell", 1, 63.7, 63),
        ("Barbell", 1.25, 63.6, 62.5),
        ("Barbell", 2.5, 19, 17.5),
        ("Barbell", 2.5, 2_500, 2_000),
        ("Dumbbell", 2, 23, 22),
        ("Dumbbell", 2.5, 23, 22.5),
        ("Cable", 2.5, 0.4, 0),
        ("Bodyweight", 0, 7, 5),
    ],
)
def test_weights_are_rounded_down_in_kilograms(equipment, increment_kg, kg, loaded_kg):
    assert loading_of(equipment, "kg", increment_kg).round_down(kg) == loaded_kg


@pytest.mark.parametrize(
    ("increment_lb", "pounds", "loaded"),
    [(5, 229, 225), (5, 225, 225), (2.5, 229, 227.5), (5, 224.9, 225), (5, 44, 40), (10, 229, 225)],
)
def test_weights_are_rounded_down_in_pounds(increment_lb, pounds, loaded):
    kg = loading_of("Barbell", "lb", increment_lb * LB).round_down(pounds * LB)
    assert kg == loaded * LB
    assert to_unit(kg, "lb") == loaded


@pytest.mark.parametrize(
    ("unit", "increment_kg", "increment"),
    [
        ("lb", 2.5, 5),
        ("lb", 5, 10),
        ("lb", 1.25, 2.5),
        ("lb", 2.5 * LB, 2.5),
        ("lb", 2.27, 5),
        ("kg", 5 * LB, 2.5),
        ("kg", 10 * LB, 5),
        ("kg", 2.5 * LB, 1.25),
        ("kg", 0.5, 0.5),
        ("kg", 0.01, 1.25),
        ("kg", 0, 0),
    ],
)
def test_an_increment_of_the_other_unit_becomes_one_that_can_be_loaded(unit, increment_kg, increment):
    assert loading_of("Barbell", unit, increment_kg).increment == increment


def test_what_is_taken_off_ends_at_the_bar():
    loading = loading_of("Barbell", "lb", 5 * LB)
    assert loading.take_percent(50 * LB, 50) == 45 * LB
    assert loading.subtract(45 * LB) == 45 * LB
    assert loading.subtract(40 * LB) == 35 * LB
    assert loading_of("Machine", "kg", 2.5).subtract(2) == 0

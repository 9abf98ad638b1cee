"""What a body uses: of simulated bodies, whose use is known."""

import datetime
import random
import statistics
from typing import NamedTuple

import pytest

from nutrition.expenditure import (
    KCAL_PER_KG,
    MAX_MARGIN,
    Expenditure,
    Missing,
    expenditure,
    student_quantile,
)

TODAY = datetime.date(2026, 11, 18)
BODIES = 150
NORMAL = 1.96


class Body(NamedTuple):
    weights: dict[datetime.date, float]
    intake: dict[datetime.date, float]  # of complete days
    uses: list[float]

    @property
    def estimated(self) -> Expenditure | Missing:
        return expenditure(self.weights, self.intake, TODAY)


def simulated(seed, days=56, drift=0, noise_kg=0.8, correlation=0.0, unweighed=0.3, incomplete=0.3):
    """A body that is weighed in the morning; its use changes by `drift` in 56 days.

    What it eats differs from day to day by 300 kcal. Days without a weight, and days that are not complete or
    not said to be, are random.
    """
    dice = random.Random(seed)
    use, kg = dice.uniform(1700, 3500), dice.uniform(60, 110)
    uses = [use + drift * (day - days) / 56 for day in range(days)]
    usual_kcal = use + dice.uniform(-700, 300)
    weights, intake, noise = {}, {}, dice.gauss(0, noise_kg)
    for number in range(days + 1):
        day = TODAY - datetime.timedelta(days=days - number)
        if dice.random() >= unweighed:
            weights[day] = round(kg + noise, 1)
        if number < days:
            kcal = max(dice.gauss(usual_kcal, 300), 0)
            if dice.random() >= incomplete:
                intake[day] = kcal
            kg += (kcal - uses[number]) / KCAL_PER_KG
        noise = correlation * noise + dice.gauss(0, noise_kg) * (1 - correlation**2) ** 0.5
    return Body(weights, intake, uses)


def is_shown(estimated):
    return isinstance(estimated, Expenditure) and not estimated.is_rough


def holds(estimated, use):
    return abs(estimated.shown_kcal - use) <= estimated.shown_margin


@pytest.mark.parametrize(("drift", "correlation"), [(0, 0), (100, 0), (-100, 0), (0, 0.3), (100, 0.3)])
def test_after_56_days_the_interval_holds_what_a_body_uses_now(drift, correlation):
    """And without a correlation of the noise, the estimate is close to what was used in these days."""
    bodies = [simulated(seed, drift=drift, correlation=correlation) for seed in range(BODIES)]
    shown = [(body, estimated) for body in bodies if is_shown(estimated := body.estimated)]
    assert len(shown) >= 0.95 * BODIES
    assert sum(holds(estimated, body.uses[-1]) for body, estimated in shown) >= 0.95 * len(shown)
    errors = [abs(estimated.kcal - statistics.fmean(body.uses)) for body, estimated in shown]
    assert correlation or sum(error <= 150 for error in errors) >= 0.95 * len(shown)


def test_the_first_estimate_that_is_shown_holds_as_well():
    """It is shown as soon as it seems narrow enough, which is sooner where noise was small by chance."""
    shown = [first_shown(seed) for seed in range(BODIES)]
    days = [day for day, _ in shown]
    assert 28 <= min(days) < statistics.median(days) < 42
    assert sum(is_held for _, is_held in shown) >= 0.95 * BODIES


def first_shown(seed):
    """(day, whether the interval holds the use) of a body that began 56 days ago."""
    body = simulated(seed)
    for day in range(28, 57):
        estimated = expenditure(body.weights, body.intake, TODAY - datetime.timedelta(days=56 - day))
        if is_shown(estimated):
            return day, holds(estimated, body.uses[0])
    return 57, True


def steady(use, kcal, days=56, last=TODAY):
    """A body without noise that eats the same each day."""
    weights = {
        TODAY - datetime.timedelta(days=days - n): 80 + n * (kcal - use) / KCAL_PER_KG for n in range(days)
    }
    return Body({day: kg for day, kg in weights.items() if day <= last}, dict.fromkeys(weights, kcal), [use])


def test_what_is_eaten_and_not_stored_is_used():
    estimated = steady(2540, 1990).estimated
    assert (round(estimated.kcal), round(estimated.kg_per_week, 2)) == (2540, -0.5)
    assert (estimated.complete_days, estimated.days, estimated.weights) == (56, 56, 56)
    assert estimated.intake == pytest.approx(1990)
    assert estimated.margin == pytest.approx(NORMAL * 100 * 28 / 56, rel=0.1)  # what a drift may have changed


def test_a_target_is_what_is_used_and_what_the_change_holds():
    estimated = steady(2543, 2000).estimated
    assert [estimated.target(kg) for kg in (-0.5, 0, 0.25)] == [1990, 2540, 2820]


def test_today_is_not_over():
    body = steady(2500, 2500)
    body.intake[TODAY] = 300
    assert body.estimated == steady(2500, 2500).estimated


def test_a_time_with_few_complete_days_is_left_out():
    body = steady(2500, 2500)
    for day in sorted(body.intake)[3:42]:
        del body.intake[day]
    assert (body.estimated.days, body.estimated.complete_days) == (14, 14)


def test_what_is_missing_is_counted_in_28_days():
    body = steady(2500, 2500)
    for day in sorted(body.intake)[-23:]:
        del body.intake[day]
    assert body.estimated == Missing(complete_days=9, weights=0)
    assert expenditure({}, {}, TODAY) == Missing(14, 10)
    weighed_before = steady(2500, 2500, last=TODAY - datetime.timedelta(days=23))
    assert weighed_before.estimated == Missing(complete_days=0, weights=4)
    newly_logged = steady(2500, 2500, days=14)
    longer = steady(2500, 2500, days=56, last=TODAY - datetime.timedelta(days=12))
    assert expenditure(longer.weights, newly_logged.intake, TODAY) == Missing(complete_days=0, weights=7)


def test_too_little_is_rough():
    estimated = simulated(1, days=28, unweighed=0.5, incomplete=0.4).estimated
    assert estimated.margin > MAX_MARGIN
    assert estimated.is_rough


def test_what_is_shown_is_rounded_to_tens_and_the_interval_up():
    estimated = Expenditure(2544.9, 201.2, 2000, -0.5, 40, 56, 40)
    assert (estimated.shown_kcal, estimated.shown_margin) == (2540, 210)


@pytest.mark.parametrize(("freedom", "quantile"), [(3, 3.182), (8, 2.306), (20, 2.086), (1e9, 1.960)])
def test_quantiles_are_those_of_tables(freedom, quantile):
    assert student_quantile(freedom) == pytest.approx(quantile, rel=0.01)

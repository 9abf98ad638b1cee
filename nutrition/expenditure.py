"""What a body uses a day, from body weights and what was eaten: functions without a clock that never raise.

What is eaten and not used is stored, KCAL_PER_KG in a kilogram:

    weight(day) = weight(0) + (eaten until day - use * day) / KCAL_PER_KG + noise

so that a line through the weights, less what was eaten until then, falls by use / KCAL_PER_KG a day. That is
the same as: use = mean intake - KCAL_PER_KG * change of weight a day, where days in the middle count most.

Sources: M. Wishnofsky, "Caloric equivalents of gained or lost weight", Am J Clin Nutr 1958; 6: 542-546, and
for where it holds (what is lost or gained is mostly fat) K. D. Hall, "What is the required energy deficit per
unit weight loss?", Int J Obes 2008; 32: 573-576. Nothing is assumed from height, age or sex.

The interval is Student's of the slope of that line, with noise that is correlated from day to day. Added are
the variance of days of which it is not known what was eaten, and a use that drifts. It holds the use of the
simulated bodies in `tests/nutrition/test_expenditure.py`.
"""

import datetime
import itertools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fitness.days import ONE_DAY

KCAL_PER_KG = 7_700.0
MAX_DAYS = 56  # more would be narrower, but of a use of longer ago
RECENT_DAYS = 28  # of which these are needed:
MIN_COMPLETE_DAYS, MIN_WEIGHTS = 14, 10
MAX_MARGIN = 300.0  # kcal: what is rougher is not shown
DRIFT = 100 / 56  # kcal a day: by how much the use of a day may differ from that of the day before, for weeks

# What is expected of the correlation of weights that are a day apart, as if found from so many pairs of days.
USUAL_CORRELATION, USUAL_PAIRS, MAX_CORRELATION = 0.3, 20, 0.8
NORMAL_QUANTILE = statistics.NormalDist().inv_cdf(0.975)

MIN_TARGET = 1_200.0  # kcal a day: no less is suggested
MAX_SHARE = 0.01  # of the body weight a week: no faster change is taken

ByDay = Mapping[datetime.date, float]


class Missing(NamedTuple):
    """How many more of the RECENT_DAYS are needed: complete ones, and ones with a weight."""

    complete_days: int
    weights: int


class Expenditure(NamedTuple):
    """What is used a day in kcal, with half of the interval that holds it in 95 of 100 bodies."""

    kcal: float
    margin: float
    intake: float  # kcal a day
    kg_per_week: float
    complete_days: int
    days: int
    weights: int

    @property
    def is_rough(self) -> bool:
        return self.margin > MAX_MARGIN

    @property
    def shown_kcal(self) -> float:
        return round(self.kcal, -1)

    @property
    def shown_margin(self) -> float:
        return math.ceil(self.margin / 10) * 10

    def target(self, kg_per_week: float) -> float:
        """What to eat a day in kcal, for a change of the body weight."""
        return round(self.shown_kcal + KCAL_PER_KG * kg_per_week / 7, -1)


def expenditure(weights: ByDay, intake: ByDay, today: datetime.date) -> Expenditure | Missing:
    """Estimates the use from weights in kg, and from what was eaten on complete days in kcal.

    Today is not over: what was eaten does not count, and the weight counts as one of before it.
    """
    intake = {day: kcal for day, kcal in intake.items() if day < today}
    recent = today - ONE_DAY * RECENT_DAYS
    missing_days = max(MIN_COMPLETE_DAYS - sum(day >= recent for day in intake), 0)
    first = recent if missing_days else first_day(sorted(intake), today)
    missing_weights = max(MIN_WEIGHTS - sum(max(first, recent) <= day <= today for day in weights), 0)
    if missing_days or missing_weights:
        return Missing(missing_days, missing_weights)
    return estimate(
        {(day - first).days: kg for day, kg in sorted(weights.items()) if first <= day <= today},
        {(day - first).days: kcal for day, kcal in intake.items() if day >= first},
        (today - first).days,
    )


def first_day(complete: Sequence[datetime.date], today: datetime.date) -> datetime.date:
    """The earliest of the complete days since which half of all days are complete.

    Where the RECENT_DAYS are half complete there is one, and they are part of what follows it.
    """
    lengths = ((day, (today - day).days, len(complete) - index) for index, day in enumerate(complete))
    return next(day for day, days, count in lengths if days <= MAX_DAYS and 2 * count >= days)


def estimate(kg: Mapping[int, float], kcal: Mapping[int, float], days: int) -> Expenditure:
    """From weights of days 0 to `days`, oldest first, and what was eaten on complete days before the last."""
    parts = parts_in_slope(list(kg))
    shares = shares_of_days(parts, days)
    mean_kcal = statistics.fmean(kcal.values())
    eaten = [kcal.get(day, mean_kcal) for day in range(days)]
    intake = sum_of_products(shares, eaten)
    kg_per_day = sum_of_products(parts.values(), kg.values())

    unknown = [share for day, share in enumerate(shares) if day not in kcal]
    unknown_variance = sum(share**2 for share in unknown) + sum(unknown) ** 2 / len(kcal)
    slope_variance, quantile = noise(kg, parts, eaten)
    age = sum_of_products(shares, range(days, 0, -1))
    variance = (
        statistics.variance(kcal.values()) * unknown_variance
        + KCAL_PER_KG**2 * slope_variance
        + (DRIFT * age) ** 2
    )
    return Expenditure(
        kcal=intake - KCAL_PER_KG * kg_per_day,
        margin=quantile * math.sqrt(variance),
        intake=intake,
        kg_per_week=7 * kg_per_day,
        complete_days=len(kcal),
        days=days,
        weights=len(kg),
    )


def sum_of_products(factors: Iterable[float], values: Iterable[float]) -> float:
    return math.fsum(factor * value for factor, value in zip(factors, values, strict=True))


def parts_in_slope(days: Sequence[int]) -> dict[int, float]:
    """By what the value of each day is multiplied in the slope of the line through them."""
    mean = statistics.fmean(days)
    squares = sum((day - mean) ** 2 for day in days)
    return {day: (day - mean) / squares for day in days}


def shares_of_days(parts: Mapping[int, float], days: int) -> list[float]:
    """The share of each day in the mean intake, 1 together: what is eaten is in all weights after it."""
    shares, later = [0.0] * days, 0.0
    for day in reversed(range(days)):
        later += parts.get(day + 1, 0.0)
        shares[day] = later
    return shares


def noise(kg: Mapping[int, float], parts: Mapping[int, float], eaten: Sequence[float]) -> tuple[float, float]:
    """The variance of the slope in kg a day by the noise of weights, and the quantile of its distribution."""
    days, count = list(kg), len(kg)
    eaten_until = [0.0, *itertools.accumulate(eaten)]
    stored = [weight - eaten_until[day] / KCAL_PER_KG for day, weight in kg.items()]
    line = statistics.linear_regression(days, stored)
    residuals = [value - line.intercept - line.slope * day for day, value in zip(days, stored, strict=True)]
    squares = sum(residual**2 for residual in residuals)

    correlation = correlation_of_neighbours(dict(zip(days, residuals, strict=True)), squares / (count - 2))
    of_slope = correlated_sum(parts, correlation)
    of_sum = correlated_sum(dict.fromkeys(days, 1.0), correlation)
    # The line takes of the noise what its mean and its slope have of it: 2 of `count` without a correlation.
    taken = of_sum / count + of_slope / sum(part**2 for part in parts.values())
    effective_count = count**2 / of_sum
    return squares / (count - taken) * of_slope, student_quantile(max(effective_count - 2, 3))


def correlation_of_neighbours(residuals: Mapping[int, float], variance: float) -> float:
    """The correlation of residuals a day apart. The line makes their products 2 variances smaller in sum."""
    products = [value * residuals[day + 1] for day, value in residuals.items() if day + 1 in residuals]
    found = sum(products) / variance + 2 if variance else 0.0
    expected = USUAL_CORRELATION * USUAL_PAIRS
    correlation = (found + expected) / (len(products) + USUAL_PAIRS)
    return min(max(correlation, 0.0), MAX_CORRELATION)


def correlated_sum(factors: Mapping[int, float], correlation: float) -> float:
    """The variance of a weighted sum of noise, which is an AR(1) process with a variance of 1."""
    variance, before, last = 0.0, 0.0, 0
    for day, factor in factors.items():
        before *= correlation ** (day - last)
        variance += factor**2 + 2 * factor * before
        before, last = before + factor, day
    return variance


def student_quantile(freedom: float) -> float:
    """The quantile of 0.975 (Abramowitz and Stegun, 26.7.5), to a hundredth from 3 degrees of freedom on."""
    z = NORMAL_QUANTILE
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )

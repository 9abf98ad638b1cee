"""The export of Apple's Health app: export.zip, in which export.xml has all that the phone has measured.

`<HealthData>` holds a `<Record>` for each value and a `<Workout>` for each session; the beginning of the file
declares them (HealthKit's names of types and units: developer.apple.com, HKQuantityTypeIdentifier, HKUnit).
The file has up to some gigabytes, so it is read as a stream: nothing of it stays but what is asked for.

A `<Correlation>` repeats records of the file. Some versions of iOS declare elements in a
way that no parser takes, or write control characters: the declarations are left out, the characters blanks.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import BinaryIO
from xml.parsers import expat

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Refused, value_of
from fitness.imports.findings import Code, Findings
from fitness.imports.messages import Unreadable
from fitness.imports.samples import BROKEN, HEAD_BYTES, Counted, Sample, Units, measured, opened
from fitness.imports.values import moment_of

MASS: Units = {"kg": 1, "g": 0.001, "lb": 1, "st": 14}
POUNDS = ("lb", "st")
LENGTH: Units = {"cm": 1, "m": 100, "mm": 0.1, "in": 2.54, "ft": 30.48}
ENERGY: Units = {"kcal": 1, "Cal": 1, "cal": 0.001, "kJ": 1 / 4.184, "J": 0.001 / 4.184}
FOOD: Units = {"g": 1, "mg": 0.001, "kg": 1000, "oz": 28.349523125}
TYPES: dict[str, tuple[str, Units]] = {
    "HKQuantityTypeIdentifierBodyMass": ("weight", MASS),
    "HKQuantityTypeIdentifierBodyFatPercentage": ("fat", {"%": 100}),  # it writes parts of one
    "HKQuantityTypeIdentifierWaistCircumference": ("waist", LENGTH),
    "HKQuantityTypeIdentifierDietaryEnergyConsumed": ("calories", ENERGY),
    "HKQuantityTypeIdentifierDietaryProtein": ("protein_g", FOOD),
    "HKQuantityTypeIdentifierDietaryCarbohydrates": ("carbs_g", FOOD),
    "HKQuantityTypeIdentifierDietaryFatTotal": ("fat_g", FOOD),
}
STRENGTH = (
    "HKWorkoutActivityTypeTraditionalStrengthTraining",
    "HKWorkoutActivityTypeFunctionalStrengthTraining",
)
BLOCK = 65_536
MAX_QUIET_BYTES = 1_000_000  # without an element: a text or a tag so long takes memory
MAX_NAMES = 2_000  # of elements and attributes: a parser keeps each
MAX_DEPTH = 20
DECLARATIONS = re.compile(rb"<!DOCTYPE\s+HealthData\s*\[.*?\]\s*>", re.DOTALL)
FOREIGN = _("This file is no export of the Health app: it declares what such an export never has.")


def fits(head: bytes) -> bool:
    """Whether a file is export.xml, which the Health app names in the language of the phone."""
    return b"<HealthData" in head or b"<!DOCTYPE HealthData" in head


def samples(file: BinaryIO, findings: Findings) -> Iterator[Sample]:
    """Yields the values in the order of the file. Raises Unreadable."""
    with opened(file, fits) as found:
        if found is None:
            raise Unreadable(BROKEN)
        parser = Parser(findings)
        try:
            for block in blocks(found):
                yield from parser.feed(block)
            yield from parser.feed(b"", is_last=True)
        except expat.ExpatError as error:
            raise Unreadable(BROKEN) from error


def blocks(file: Counted) -> Iterator[bytes]:
    """The file without its declarations, whose lines stay empty."""
    begin = file.read(HEAD_BYTES)
    while b"<!DOCTYPE" in begin and not DECLARATIONS.search(begin) and len(begin) < MAX_QUIET_BYTES:
        more = file.read(BLOCK)
        if not more:
            break
        begin += more
    yield DECLARATIONS.sub(lambda found: b"\n" * found[0].count(b"\n"), begin, count=1)
    while block := file.read(BLOCK):
        yield block


class Parser:
    """Takes the file in pieces and returns the samples that each completes."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.found: list[Sample] = []
        self.depth = self.quiet = 0
        self.names: set[str] = set()
        self.expat = expat.ParserCreate()
        self.expat.StartElementHandler = self.start
        self.expat.EndElementHandler = self.end
        self.expat.EntityDeclHandler = refuse_entity

    def feed(self, piece: bytes, *, is_last: bool = False) -> list[Sample]:
        self.found, self.quiet = [], self.quiet + len(piece)
        self.expat.Parse(piece.replace(b"\x0b", b" "), is_last)
        if self.quiet > MAX_QUIET_BYTES or len(self.names) > MAX_NAMES or self.depth > MAX_DEPTH:
            raise Unreadable(FOREIGN)
        return self.found

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.quiet = 0
        self.names.add(name)
        self.names.update(attributes)
        if self.depth != 2:  # the file repeats what is in a correlation
            return
        try:
            if name == "Record" and (known := TYPES.get(attributes.get("type", ""))):
                self.found.append(self.value(attributes, *known))
            elif name == "Workout" and attributes.get("workoutActivityType") in STRENGTH:
                self.found.append(self.sample(attributes, "session"))
        except Refused as refused:
            refused.tell(self.findings, self.expat.CurrentLineNumber)

    def end(self, name: str) -> None:
        self.depth -= 1

    def value(self, attributes: dict[str, str], what: str, units: Units) -> Sample:
        unit = attributes.get("unit", "")
        value = measured(what, attributes.get("value", ""), unit, units)
        sample = self.sample(attributes, what)
        return sample._replace(value=value, unit="lb" if unit in POUNDS else "kg")

    def sample(self, attributes: dict[str, str], what: str) -> Sample:
        start, end = (
            value_of("date", attributes.get(name, ""), Code.DATE, moment) for name in ("startDate", "endDate")
        )
        app = attributes.get("sourceName", "")
        return Sample(self.expat.CurrentLineNumber, what, app, start, end)


def moment(text: str) -> datetime:
    return moment_of(text, UTC, day_first=True)


def refuse_entity(*declared: object) -> None:
    raise Unreadable(FOREIGN)

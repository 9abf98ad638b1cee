"""Exports of health stores into records: what apps and watches have written there, one value at a time.

A store holds what several apps have measured, and some write what they have read of others. So the same
weight of one minute is one; apps with equal totals of a day of nutrition are one; of sessions at one time
the longest is taken. Body fat belongs to the weight of its minute.

A format of this kind is a module with `fits` and `samples`, and a class here.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, ClassVar
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_noop as _

from body.imports import WeightPayload
from fitness.imports import apple_health, health_connect
from fitness.imports.findings import Code, Findings
from fitness.imports.formats import Candidate, FileFormat
from fitness.imports.messages import Message, Unreadable
from fitness.imports.samples import Sample, Store, opened
from nutrition.imports import DayPayload
from nutrition.models import DECIMALS, MAX_MACROS, Amounts
from training.imports.source import SourceWorkout

ONE_MINUTE = datetime.timedelta(minutes=1)
MAX_HELD = 200_000  # samples and days of apps in memory
ALONE = _("has no weight of the same minute: left out")
NO_END = _("does not end after its start")
MANY = _("This export holds more than %(most)s values of what is read here.")


class SampleFormat(FileFormat):
    store: ClassVar[Store]

    def is_in(self, file: BinaryIO) -> bool:
        with opened(file, self.store.fits) as found:
            return found is not None

    def read(self, file: BinaryIO, zone: ZoneInfo, findings: Findings) -> Iterator[Candidate]:
        held = Held(zone, findings)
        for sample in self.store.samples(file, findings):
            if sample.what == "waist":
                at = sample.start.isoformat()
                payload = {"at": at, "waist_cm": round(sample.value, 2)}
                yield Candidate("measurement", at, (sample.line, sample.line), payload)
            else:
                held.add(sample)
        yield from held.weights_found()
        yield from held.days_found()
        yield from held.sessions_found()


class AppleHealth(SampleFormat):
    name = "apple_health"
    label = "Apple Health"
    where = _(
        "On the iPhone, in Health: your picture, Export All Health Data. Choose export.zip as it is. Taken "
        "are weight, body fat, waist, days of nutrition, and strength training as workouts without sets."
    )
    store = Store(apple_health.fits, apple_health.samples)


class HealthConnect(SampleFormat):
    name = "health_connect"
    label = "Health Connect"
    where = _(
        "On Android: Settings, Health Connect, Manage data, Backup and restore, Export. Choose the ZIP as it "
        "is. Taken are weight, body fat, days of nutrition, and strength training as workouts without sets."
    )
    store = Store(health_connect.fits, health_connect.samples)


@dataclass
class Eaten:
    """What one app has written of a day."""

    first: int
    last: int
    rows: int = 0
    totals: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def amounts(self) -> Amounts:
        return {name: round(self.totals[name], DECIMALS) for name in MAX_MACROS}


class Held:
    """The samples of a file that make records together with others."""

    def __init__(self, zone: ZoneInfo, findings: Findings) -> None:
        self.zone, self.findings, self.count = zone, findings, 0
        self.weights: list[Sample] = []
        self.fats: dict[datetime.datetime, Sample] = {}  # by minute
        self.days: dict[tuple[datetime.date, str], Eaten] = {}  # by day and app
        self.sessions: list[Sample] = []

    def add(self, sample: Sample) -> None:
        if sample.what == "weight":
            self.weights.append(sample)
        elif sample.what == "fat":
            self.fats[minute_of(sample)] = sample
        elif sample.what == "session":
            self.sessions.append(sample)
        else:
            self.eat(sample)
        if max(len(self.weights), len(self.fats), len(self.days), len(self.sessions)) > MAX_HELD:
            raise Unreadable(Message(MANY, {"most": f"{MAX_HELD:,}"}))

    def eat(self, sample: Sample) -> None:
        day = sample.start.astimezone(self.zone).date()
        eaten = self.days.setdefault((day, sample.app), Eaten(sample.line, sample.line))
        eaten.first, eaten.last = min(eaten.first, sample.line), max(eaten.last, sample.line)
        eaten.totals[sample.what] += sample.value
        eaten.rows += 1

    def weights_found(self) -> Iterator[Candidate]:
        for sample in self.weights:
            fat = self.fat_of(sample)
            payload: WeightPayload = {
                "at": sample.start.isoformat(),
                "weight": sample.value,
                "unit": sample.unit,
                "body_fat_percent": fat and round(fat, 2),
                "notes": "",
            }
            yield Candidate("weight", payload["at"], (sample.line, sample.line), {**payload})
        measured = {minute_of(sample) for sample in self.weights}
        for minute, alone in self.fats.items():
            if measured.isdisjoint([minute - ONE_MINUTE, minute, minute + ONE_MINUTE]):
                self.findings.rows.ignored += 1
                self.findings.change(alone.line, "body fat", ALONE)

    def fat_of(self, weight: Sample) -> float | None:
        """The body fat of a weight: of its minute, or of one beside it, as some scales write it later."""
        minute = minute_of(weight)
        near = (self.fats.get(minute + apart * ONE_MINUTE) for apart in (0, 1, -1))
        percent = next((fat.value for fat in near if fat), None)
        # Some apps write 18 for 18 %, where Apple means parts of one.
        return percent / 100 if percent and percent > 100 else percent

    def days_found(self) -> Iterator[Candidate]:
        of_day: defaultdict[datetime.date, list[Eaten]] = defaultdict(list)
        for (day, _app), eaten in self.days.items():
            of_day[day].append(eaten)
        for day, apps in of_day.items():
            different = list({tuple(one.amounts.values()): one for one in apps}.values())
            rows = sum(one.rows for one in different)
            self.findings.rows.duplicate += sum(one.rows for one in apps) - rows
            totals = {
                name: round(sum(one.totals[name] for one in different), DECIMALS) for name in MAX_MACROS
            }
            if any(totals.values()):
                payload: DayPayload = {"day": f"{day}", "totals": totals, "entries": [], "rows": rows}
                lines = min(one.first for one in apps), max(one.last for one in apps)
                yield Candidate("nutrition", payload["day"], lines, {**payload})
            else:
                self.findings.rows.ignored += rows

    def sessions_found(self) -> Iterator[Candidate]:
        for sample in self.apart(sorted(self.sessions, key=lambda one: one.start)):
            start, end = sample.start.isoformat(), sample.end.isoformat()
            payload: SourceWorkout = {
                "start": start,
                "end": end,
                "title": sample.title,
                "notes": [],
                "plan_name": None,
                "exercises": [],
            }
            lines = sample.line, sample.line
            yield Candidate("workout", f"{start} {sample.title}".strip(), lines, {**payload})

    def apart(self, sessions: Iterable[Sample]) -> Iterator[Sample]:
        """Sessions in the order of their start, of those at one time the longest."""
        last: Sample | None = None
        for sample in sessions:
            if sample.end <= sample.start:
                self.findings.refuse(sample.line, "end", sample.end.isoformat(), Code.DATE, NO_END)
            elif last and sample.start < last.end:
                self.findings.rows.duplicate += 1
                last = max(last, sample, key=lambda one: one.end - one.start)
            else:
                if last:
                    yield last
                last = sample
        if last:
            yield last


def minute_of(sample: Sample) -> datetime.datetime:
    return sample.start.replace(second=0, microsecond=0)

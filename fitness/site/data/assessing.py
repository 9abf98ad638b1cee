"""What would become of the records of a file, and why."""

import datetime
import json
from collections.abc import Iterable, Iterator, Sequence
from zoneinfo import ZoneInfo

from accounts.imports.kinds import Answers, Context, Kind, Maker, Record
from accounts.imports.models import MAX_KEY, MAX_LABEL, MAX_TEXT, ImportItem, ImportRun
from fitness.imports.findings import Findings
from fitness.imports.formats import Candidate
from fitness.imports.messages import as_stored
from fitness.site.data.registry import KINDS
from fitness.web.days import format_day

State = ImportItem.State
# What people recognise a record by: what it is called, and when it was.
CALLED = ("title", "name")
DATED = ("start", "at", "day", "started_at", "logged_at", "deadline", "taken_at")


def item_of(run: ImportRun, position: int, candidate: Candidate) -> ImportItem:
    first, last = candidate.lines
    return ImportItem(
        account_id=run.account_id,
        run=run,
        position=position,
        kind=candidate.kind,
        key=item_key(run.source, candidate.key),
        label=label_of(candidate, ZoneInfo(run.time_zone))[:MAX_LABEL],
        first_line=first,
        last_line=last,
        payload=json.dumps(candidate.payload, ensure_ascii=False, separators=(",", ":")),
    )


def label_of(candidate: Candidate, zone: ZoneInfo) -> str:
    """What people recognise a record by: "Leg day, 2 March 2026"."""
    if candidate.kind not in KINDS:  # of an archive, whose records are counted only
        return ""
    document = candidate.payload
    called = next((str(document[name]) for name in CALLED if document.get(name)), "")
    days = [day_in_words(str(document[name]), zone) for name in DATED if document.get(name)]
    return ", ".join([called or KINDS[candidate.kind].label_of_one.capitalize(), *days[:1]])


def day_in_words(text: str, zone: ZoneInfo) -> str:
    """The day of a moment in ISO's form; a text in another one stays as it is."""
    try:
        moment = datetime.datetime.fromisoformat(text)
        return format_day(moment.astimezone(zone) if moment.tzinfo else moment)
    except (ValueError, OverflowError):
        return text


def item_key(source: str, key: str) -> str:
    """The key of a record among all imports of an account."""
    return f"{source} {key}"[:MAX_KEY]


def candidate_of(item: ImportItem) -> Candidate:
    lines = (item.first_line, item.last_line)
    return Candidate(item.kind, item.shown_key, lines, json.loads(item.payload))


class Assessment:
    """Makes records of the items of a run, and sets the state of each.

    Items come in the order of their positions, at most 200 in a call, which takes a constant number of
    statements.
    """

    def __init__(self, run: ImportRun, findings: Findings) -> None:
        self.run, self.account = run, run.account
        self.findings = findings
        self.context = Context(self.account, run.source, answers_of(run))
        self.makers: dict[str, Maker] = {}

    def record_of(self, item: ImportItem) -> Record | None:
        """The record of an item, or None where all of it is refused."""
        if item.kind not in self.makers:  # late: most read the catalogue
            self.makers[item.kind] = KINDS[item.kind].maker(self.context)
        return self.makers[item.kind](candidate_of(item), self.findings)

    def assess(self, kind: Kind, items: Sequence[ImportItem]) -> dict[int, Record]:
        """The records of items of one kind that are new, by their positions."""
        records = dict(self.made(items))
        made = [item for item in items if item.position in records]
        equal = list(self.equal_before(made))
        is_one = kind.is_one_by_digest
        seen = {("" if is_one else key, digest) for key, digest, _ in equal}
        unseen = list(first_ones(made, seen, by_digest=is_one))
        known = [records[item.position] for item in unseen]
        matching = kind.matching(self.account, known, {pk for _, _, pk in equal if pk})
        differing = kind.differing(self.account, known, self.imported_ids(unseen))
        for item, there, text in zip(unseen, matching, differing, strict=True):
            item.text = "" if there else as_stored(text, MAX_TEXT)
            item.record_id = there or ""
            item.state = State.THERE if there else State.DIFFERS if text else State.NEW
        for item in items:
            if item.position in records:
                self.count_rows(records[item.position], is_new=item.state == State.NEW)
        return {item.position: records[item.position] for item in unseen if item.state == State.NEW}

    def made(self, items: Sequence[ImportItem]) -> Iterator[tuple[int, Record]]:
        for item in items:
            record = self.record_of(item)
            if record is None:
                item.state, item.digest = State.REFUSED, ""
            else:
                item.state, item.digest = State.THERE, record.digest
                yield item.position, record

    def equal_before(self, items: Sequence[ImportItem]) -> Iterable[tuple[str, str, str]]:
        """The key, digest and record of earlier items of the run that are equal to one of these."""
        if not items:
            return ()
        first, digests = items[0], {item.digest for item in items}
        equal = self.run.items.filter(kind=first.kind, digest__in=digests, position__lt=first.position)
        return equal.values_list("key", "digest", "record_id")

    def imported_ids(self, items: Sequence[ImportItem]) -> list[str | None]:
        """For each item what an earlier import has stored under its key and not removed since."""
        keys, kinds = {item.key for item in items}, {item.kind for item in items}
        earlier = ImportItem.objects.filter(account=self.account, kind__in=kinds, key__in=keys)
        stored = earlier.with_state(State.STORED, State.KEPT, State.THERE).exclude(run=self.run)
        found = dict(stored.exclude(record_id="").order_by("pk").values_list("key", "record_id"))
        return [found.get(item.key) for item in items]

    def count_rows(self, record: Record, *, is_new: bool) -> None:
        rows = self.findings.rows
        if is_new:
            rows.records += record.rows.records
            rows.sets += record.rows.sets
            rows.notes += record.rows.notes
            rows.ignored += record.rows.ignored
        else:
            rows.duplicate += record.rows.total


def first_ones(
    items: Iterable[ImportItem], seen: set[tuple[str, str]], *, by_digest: bool
) -> Iterator[ImportItem]:
    """The items without those that repeat one before them, or in `seen`, by digest and perhaps key."""
    for item in items:
        mark = ("" if by_digest else item.key, item.digest)
        if mark not in seen:
            yield item
        seen.add(mark)


def answers_of(run: ImportRun) -> Answers:
    return Answers(ZoneInfo(run.time_zone), run.unit, run.day_first)

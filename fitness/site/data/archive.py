"""An archive of an account: its lists, and how one that `exports` has written is read.

The file is the JSON document, or the ZIP with it. Whatever the file holds, it ends in candidates, findings,
or one sentence (Unreadable). It holds no secrets (keys, the address of a calendar, second factors, sessions),
nor what the API does not have and nobody would miss: browsers that take alerts, and workouts under way.
"""

import codecs
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any, BinaryIO

from django.utils.translation import gettext_noop as _

from accounts.archives import ArchiveList, Document, Profile, Reference
from accounts.imports.models import ARCHIVE
from body.archives import Goals, Measurements, Weights
from fitness.api.errors import shortened
from fitness.api.parsers import loads
from fitness.imports.findings import Code, Findings
from fitness.imports.formats import Candidate
from fitness.imports.messages import Message, Unreadable
from fitness.imports.packing import check_entries, check_packing
from nutrition.archives import FoodEntries, Foods, NutritionDays, Targets, as_foods
from supplements.archives import SupplementLogs, Supplements
from training.archived_rules import PlanProgressions, ProgressionSteps, RoutineProgressions
from training.archives import (
    ExerciseHabits,
    ExerciseNames,
    ExercisePins,
    OwnExercises,
    Plans,
    Routines,
    Workouts,
    missing_exercises,
)

FORMAT = "fitness-account"
VERSION = 1
NAME = ARCHIVE  # of the format

MAX_BYTES = 60_000_000  # unpacked; 20,000 workouts of 20 sets have 45 MB
MAX_WORKOUTS = 25_000
MAX_RECORDS = 250_000  # a workout may have a step of each of its rules
MAX_MISSING = 1_000  # exercises that this catalogue lacks
# In a text of MAX_BYTES, however little each holds: many small values take much memory.
MAX_CONTAINERS, MAX_VALUES = 1_000_000, 4_000_000
MAX_KEY = 250  # a name of an exercise has 200 characters, its source 20
MAX_NAME = 100
MEMBER = "fitness.json"
BYTE_ORDER_MARK, UTF_16 = codecs.BOM_UTF8, (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

Found = dict[str, set[str]]  # the keys of records, by the name of their list

WORKOUTS = Workouts()
TABLES = (  # whose documents are flat
    *(Weights(), Measurements(), Goals(), NutritionDays(), Foods(), FoodEntries()),
    *(Supplements(), SupplementLogs()),
)
# In the order in which they are restored: what others refer to comes first.
LISTS: tuple[ArchiveList, ...] = (
    *(OwnExercises(), Plans(), Routines(), WORKOUTS, *TABLES),
    *(ExerciseNames(), ExerciseHabits(), ExercisePins(), Targets()),
    *(PlanProgressions(), RoutineProgressions(), ProgressionSteps()),
)
BY_NAME: dict[str, ArchiveList] = {one.name: one for one in (Profile(), *LISTS)}

# What is said of an archive, with its values.
LARGE = _("The archive is larger than %(megabytes)s MB.")
NO_JSON = _("This file is not valid JSON: %(fault)s.")
OTHER_FORMAT = _(
    'This JSON file is not an archive of this service: its "format" is not "%(format)s". '
    "Such a file comes from Settings, Data, Download JSON."
)
OTHER_VERSION = _(
    "The archive is of version %(version)s, and this service reads version %(ours)s. "
    "Import it where the service is of the version that wrote it, or a newer one."
)
BEYOND = _("is beyond the %(most)s that an account may have")
BEYOND_OF_DAY = _("is beyond the %(most)s that a day may have")
BECOMES_OWN = _("%(exercise)s is not in this catalogue, and becomes an exercise of your own")
MANY_WORKOUTS = _("The archive has more than %(most)s workouts; use the command import_data.")
MANY_EXERCISES = _("The archive has more than %(most)s exercises that this catalogue lacks.")
MANY_RECORDS = _("The archive has more than %(most)s records; use the command import_data.")


def is_archive(file: BinaryIO) -> bool:
    """Whether a file is read here: JSON, or a ZIP with an archive in it. Leaves it at its beginning."""
    file.seek(0)
    head = in_utf_8(file.read(100)).lstrip()
    file.seek(0)
    if head.startswith(b"PK"):
        return MEMBER in members(file)
    return head.startswith((b"{", b"["))


def members(file: BinaryIO) -> list[str]:
    """The names of what is in a ZIP; none for what is no ZIP. Raises Unreadable for one of many entries."""
    check_entries(file)
    try:
        with zipfile.ZipFile(file) as packed:
            return packed.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return []
    finally:
        file.seek(0)


def read(
    file: BinaryIO, findings: Findings, exercises: Collection[str] = (), *, is_limited: bool = True
) -> Iterator[Candidate]:
    """Yields the records of an archive in the order in which they are to be stored. Raises Unreadable.

    Where a candidate's line is asked for, it has its number in its list. `exercises` are the ids of those
    that the account sees. `is_limited` is about the number of records; the size of the file is limited
    always.
    """
    document = parsed(content(file))
    check_format(document)
    as_foods(document)
    lists = {one.name: listed(document, one.name, findings) for one in LISTS}
    if is_limited:
        check_size(lists)
    for name in document.keys() - BY_NAME.keys() - {"format"}:
        findings.change(1, name[:MAX_NAME], _("is not known to this service, and is left out"))
    add_missing_exercises(lists, exercises, findings)
    if isinstance(document.get("profile"), dict):
        yield Candidate("profile", "profile", (1, 1), document["profile"])
    found: Found = {}
    for one in LISTS:
        found[one.name] = set()
        yield from candidates(one, lists[one.name], found, findings)


def add_missing_exercises(
    lists: dict[str, list[Any]], exercises: Collection[str], findings: Findings
) -> None:
    """Adds exercises that this catalogue lacks to the archive's own."""
    own = {
        one["id"]
        for one in lists["own_exercises"]
        if isinstance(one, dict) and isinstance(one.get("id"), str)
    }
    found = missing_exercises(lists, {*exercises, *own}, MAX_MISSING)
    if len(found) > MAX_MISSING:
        raise Unreadable(Message(MANY_EXERCISES, {"most": f"{MAX_MISSING:,}"}))
    for missing in found:
        lists["own_exercises"].append(missing)
        findings.change(1, "own_exercises", Message(BECOMES_OWN, {"exercise": missing["name"]}))


def content(file: BinaryIO) -> bytes:
    """The text of the archive. Raises Unreadable."""
    file.seek(0)
    if file.read(2) != b"PK":
        file.seek(0)
        return bounded(file)
    try:
        with zipfile.ZipFile(file) as packed:
            check_packing(packed.getinfo(MEMBER))
            with packed.open(MEMBER) as member:
                return bounded(member)
    except (zipfile.BadZipFile, zlib.error, KeyError, OSError, EOFError, RuntimeError, ValueError) as error:
        raise Unreadable(_("The ZIP archive cannot be unpacked. Download it again.")) from error


def bounded(file: Any) -> bytes:
    """What a file holds, counted while it is read."""
    text: bytes = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise Unreadable(Message(LARGE, {"megabytes": MAX_BYTES // 1_000_000}))
    return in_utf_8(text)


def in_utf_8(text: bytes) -> bytes:
    """A text without the mark of its encoding. What is broken in UTF-16 is no JSON any more.

    Without a mark, the first character shows it, which is of ASCII in JSON.
    """
    if text.startswith(UTF_16):
        return text.decode("utf-16", "replace").encode()
    if b"\0" in text[:2]:
        return text.decode("utf-16-be" if text[:1] == b"\0" else "utf-16-le", "replace").encode()
    return text.removeprefix(BYTE_ORDER_MARK)


def parsed(text: bytes) -> dict[str, Any]:
    containers = text.count(b"{") + text.count(b"[")
    if containers > MAX_CONTAINERS or text.count(b",") > MAX_VALUES:
        raise Unreadable(_("This JSON file holds too many values. Is it an archive of this service?"))
    try:
        document = loads(text)
    except ValueError as error:
        raise Unreadable(Message(NO_JSON, {"fault": shortened(error)})) from error
    if not isinstance(document, dict):
        raise Unreadable(_("This JSON file is not an archive of this service, which is an object."))
    return document


def check_format(document: dict[str, Any]) -> None:
    """Raises Unreadable unless it is a version that this service reads."""
    about = document.get("format")
    if not isinstance(about, dict) or about.get("name") != FORMAT:
        raise Unreadable(Message(OTHER_FORMAT, {"format": FORMAT}))
    version = about.get("version")
    if version != VERSION or type(version) is not int:
        raise Unreadable(Message(OTHER_VERSION, {"version": shortened(version), "ours": VERSION}))


def listed(document: dict[str, Any], name: str, findings: Findings) -> list[Any]:
    found = document.get(name, [])
    if isinstance(found, list):
        return found
    findings.refuse(1, name, "", Code.COLUMNS, _("is not a list"))
    return []


def check_size(lists: dict[str, list[Any]]) -> None:
    """Raises Unreadable."""
    if len(lists["workouts"]) > MAX_WORKOUTS:
        raise Unreadable(Message(MANY_WORKOUTS, {"most": f"{MAX_WORKOUTS:,}"}))
    if sum(map(len, lists.values())) > MAX_RECORDS:
        raise Unreadable(Message(MANY_RECORDS, {"most": f"{MAX_RECORDS:,}"}))


def candidates(
    one: ArchiveList, documents: list[Any], found: Found, findings: Findings
) -> Iterator[Candidate]:
    """Yields a list's records, and adds them to `found`. A repeated one is counted, and left out."""
    counts: Counter[str] = Counter()  # by what `most` is of
    for number, document in enumerate(documents, 1):
        key = key_of(one, document)
        if key is None:
            text = _("is not a record with an id or a day")
            findings.refuse(number, one.name, "", Code.COLUMNS, text)
        elif key in found[one.name]:
            findings.rows.duplicate += 1
        elif one.most is not None and counts[str(document.get(one.most_of))] >= one.most:
            said = Message(BEYOND_OF_DAY if one.most_of else BEYOND, {"most": one.most})
            findings.refuse(number, one.name, "", Code.TOO_MANY, said)
        elif missing := next(missing_references(one.references, document, found), ""):
            # Lists are read one after another: an account that is used meanwhile has such records.
            text = _("is of no record in this archive, and is left out")
            findings.change(number, f"{one.name}: {missing}", text)
        else:
            found[one.name].add(key)
            counts[str(document.get(one.most_of))] += 1
            yield Candidate(one.name, key, (number, number), document)


def missing_references(references: Iterable[Reference], document: Document, found: Found) -> Iterator[str]:
    """The fields whose record is not in the archive."""
    for one in references:
        value = document[one.field]
        if str(value) not in found[one.to] and not (one.or_null and value is None):
            yield one.field


def key_of(one: ArchiveList, document: Any) -> str | None:
    """What a record is known by; None where a document is none, or lacks what it refers to."""
    if not isinstance(document, dict) or any(reference.field not in document for reference in one.references):
        return None
    try:
        key = " ".join(str(document[name]) for name in one.key) if one.key else "only"
    except KeyError:
        return None
    return key if len(key) <= MAX_KEY else None

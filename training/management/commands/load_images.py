"""Loads pictures from a folder in the layout of free-exercise-db: `exercises/Barbell_Squat/0.jpg`."""

import os
import warnings
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import CommandError, CommandParser
from django.template.defaultfilters import pluralize
from PIL import Image, ImageOps, UnidentifiedImageError

from fitness.management.base import OneLineCommand
from fitness.management.files import exclusive_folder, readable_by_all
from training.catalogue.name_index import NameIndex
from training.models import Exercise
from training.pictures import INDEX, NAME, Picture, Version, as_json, folder

MB = 1_000_000
MAX_TOTAL = 40_000_000  # bytes of all files
MAX_PICTURES = 4  # of an exercise
UNFINISHED = ".unfinished"
MAX_BYTES = 10_000_000
MAX_PIXELS = 16_000_000  # that a file may unpack to: 64 MB of memory
FORMATS = ("JPEG", "PNG", "WEBP")
# Widths in pixels: of lists, where a picture is 64 wide on a screen of the highest density, and of pages.
SMALL, LARGE = 192, 640
QUALITY = 70  # of WebP: some 20 KB a picture, so that there is room for two of each of 870 exercises


@dataclass
class Report:
    """What became of a folder; `left_out` has (path in the folder, why)."""

    pictures: dict[str, list[Picture]] = field(default_factory=dict)  # by the id of the exercise
    left_out: list[tuple[str, str]] = field(default_factory=list)
    size: int = 0  # bytes of all pictures

    @property
    def count(self) -> int:
        return sum(map(len, self.pictures.values()))


class Refused(ValueError):
    """A file that is not loaded; the message says why."""


class Resized(NamedTuple):
    content: bytes
    width: int
    height: int


class Command(OneLineCommand):
    help = (
        "Loads pictures of exercises from a folder in the layout of free-exercise-db, resized, in the place "
        "of all that were loaded before. Names each file that it leaves out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="with exercises/Barbell_Squat/0.jpg")

    def handle(self, *args: Any, **options: Any) -> None:
        source: Path = options["folder"]
        try:
            report = load(source)
        except OSError as error:
            raise CommandError(f"{error.filename or source}: {error.strerror}") from None
        self.tell(report)
        if not report.count:
            raise CommandError(f"{source} has no picture to load. What was loaded before is still there.")

    def tell(self, report: Report) -> None:
        for path, reason in report.left_out:
            self.stdout.write(f"left out {path}: {reason}")
        exercises = len(report.pictures)
        self.stdout.write(
            f"in {folder()}: {report.count} picture{pluralize(report.count)} of "
            f"{exercises} exercise{pluralize(exercises)}, "
            f"{report.size / MB:.1f} of {MAX_TOTAL / MB:.0f} MB; {len(report.left_out)} left out"
        )


def load(source: Path) -> Report:
    """Replaces all pictures by those of a folder, unless it has none. Raises OSError."""
    inner = source / "exercises"
    root = inner if inner.is_dir() and not inner.is_symlink() else source
    with readable_by_all(), exclusive_folder(folder()):  # or each deletes what another one writes
        loading = Loading(root)
        for entry in entries_of(root):
            loading.load_folder(entry)
        if loading.report.pictures:
            store(folder() / INDEX, as_json(loading.report.pictures))
            remove_others(loading.report)
    return loading.report


def entries_of(path: str | Path) -> list[os.DirEntry[str]]:
    """What a folder holds: shorter names first, so that 2.jpg is before 10.jpg, and plain lifts lead."""
    with os.scandir(path) as entries:
        return sorted(entries, key=lambda entry: (len(entry.name), entry.name))


class Loading:
    """Loads one folder after the other, and reports what it leaves out."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.exercises = NameIndex(Exercise.objects.with_kept())
        self.report = Report()

    def load_folder(self, entry: os.DirEntry[str]) -> None:
        """Loads the pictures of one exercise. What free-exercise-db says of it is in a file beside."""
        if entry.name.endswith(".json"):
            return
        try:
            exercise_id = self.exercise_of(entry)
            files = entries_of(entry.path)
        except (Refused, OSError) as error:
            self.leave_out(entry, error)
            return
        for file in files:
            self.load_file(file, exercise_id)

    def exercise_of(self, entry: os.DirEntry[str]) -> str:
        if not entry.is_dir(follow_symlinks=False):
            raise Refused("no folder of an exercise")
        exercise = self.exercises.named(entry.name.replace("_", " "))
        if exercise is None:
            raise Refused("the catalogue has no exercise of that name")
        if exercise.pk in self.report.pictures:
            raise Refused(f"{exercise} has pictures of another folder already")
        return exercise.pk

    def load_file(self, file: os.DirEntry[str], exercise_id: str) -> None:
        loaded = self.report.pictures.get(exercise_id, [])
        try:
            if len(loaded) == MAX_PICTURES:
                raise Refused(f"an exercise has at most {MAX_PICTURES} pictures")
            versions = resized(content_of(file))
            size = sum(len(version.content) for version in versions)
            if self.report.size + size > MAX_TOTAL:
                raise Refused(f"no room: all pictures together may have {MAX_TOTAL:,} bytes")
        except Refused as error:
            self.leave_out(file, error)
            return
        self.report.pictures[exercise_id] = [*loaded, stored(f"{exercise_id}-{len(loaded) + 1}", versions)]
        self.report.size += size

    def leave_out(self, entry: os.DirEntry[str], error: Exception) -> None:
        path = os.path.relpath(entry.path, self.root)
        reason = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
        self.report.left_out.append((path if path.isprintable() else ascii(path), reason))


def content_of(file: os.DirEntry[str]) -> bytes:
    """The bytes of a picture. Raises Refused, also for a link, which may lead out of the folder."""
    if not file.is_file(follow_symlinks=False):
        raise Refused("no file: links and folders are not followed")
    if file.stat(follow_symlinks=False).st_size > MAX_BYTES:
        raise Refused(f"more than {MAX_BYTES:,} bytes")
    try:
        return Path(file.path).read_bytes()
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}") from None


def stored(name: str, versions: tuple[Resized, Resized]) -> Picture:
    """Writes both sizes; their names have a digest, so that a browser never has to ask again."""
    digest = blake2b(b"".join(version.content for version in versions), digest_size=6).hexdigest()
    small, large = (stored_version(f"{name}-{digest}", version) for version in versions)
    return Picture(small, large)


def stored_version(name: str, version: Resized) -> Version:
    path = folder() / f"{name}-{version.width}.webp"
    store(path, version.content)
    return Version(path.name, version.width, version.height)


def store(path: Path, content: bytes) -> None:
    """Nobody reads a part of the file, and a part of one is deleted by the next command."""
    unfinished = path.with_name(path.name + UNFINISHED)
    unfinished.write_bytes(content)
    unfinished.replace(path)


def remove_others(report: Report) -> None:
    """Deletes pictures of before, and what a command has left that was killed."""
    loaded = chain.from_iterable(report.pictures.values())
    kept = {version.name for picture in loaded for version in picture}
    for path in folder().iterdir():
        is_picture = NAME.fullmatch(path.name.removesuffix(UNFINISHED))
        if is_picture and path.name not in kept:
            path.unlink()


def resized(content: bytes) -> tuple[Resized, Resized]:
    """A picture in both widths, or as wide as it is, without metadata. Raises Refused."""
    image = unpacked(content)
    return in_width(image, SMALL), in_width(image, LARGE)


def unpacked(content: bytes) -> Image.Image:
    """The picture, upright. Nothing is unpacked before its size is known."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # of more than MAX_PIXELS
            image = Image.open(BytesIO(content), formats=FORMATS)
        if image.width * image.height > MAX_PIXELS:
            raise Image.DecompressionBombError
        return ImageOps.exif_transpose(image).convert("RGBA")
    except UnidentifiedImageError:
        raise Refused("no JPEG, PNG or WebP") from None
    except Image.DecompressionBombError:
        raise Refused(f"more than {MAX_PIXELS:,} pixels") from None
    except Exception as error:  # each format raises its own
        raise Refused(f"damaged: {error}") from None


def in_width(image: Image.Image, width: int) -> Resized:
    """On white, and in a square of that width: so a tall picture takes no more room than a wide one."""
    smaller = image.copy()
    smaller.thumbnail((width, width), Image.Resampling.LANCZOS)
    white = Image.new("RGBA", smaller.size, "white")
    file = BytesIO()
    Image.alpha_composite(white, smaller).convert("RGB").save(file, "WEBP", quality=QUALITY)
    return Resized(file.getvalue(), *smaller.size)

"""Texts of a file into numbers, moments, lengths of time and weights.

What cannot be read raises ValueError, with what is wrong in words that follow the value: "is not a number".
"""

import datetime
import re
import unicodedata
from collections.abc import Iterable

from django.utils import timezone
from django.utils.translation import gettext_noop as _

from fitness.days import ONE_DAY, moment_of_day
from fitness.imports.findings import Ask
from fitness.imports.tables import DIRECTIONS
from fitness.web.units import to_kg

MAX_TEXT = 100  # characters of a number, a moment or a length of time; longer ones would keep patterns busy
MAX_NUMBER = 1e15  # what no number is beyond, so that sums and products stay finite
MAX_SECONDS = 1_000_000_000  # what no length of time is beyond, so that JSON can hold it
WEIGHT_DECIMALS = 4  # apps write 134.99999999999999
EARLIEST_DAY = datetime.date(1990, 1, 1)
NONE = {"", "-", "--", "—"}

PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
GROUPED = {
    ",": re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII),
    ".": re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3}){2,}", re.ASCII),
}
SPACES = dict.fromkeys(map(ord, "\u00a0\u2009\u202f"), " ")

# The names of months, folded as `month_of` folds them.
MONTHS = (
    "january januar janner janvier enero gennaio janeiro januari styczen stycznia ocak январь января",
    "february februar fevrier febrero febbraio fevereiro februari luty lutego subat февраль февраля",
    "march marz mrz mars marzo marco maart mrt marzec marca mart март марта",
    "april avril abril aprile kwiecien kwietnia nisan апрель апреля",
    "may mai mayo maggio maio mei maj maja mayis маи мая",
    "june juni juin junio giugno junho czerwiec czerwca haziran июнь июня",
    "july juli juillet julio luglio julho lipiec lipca temmuz июль июля",
    "august aout agosto augustus sierpien sierpnia agustos август августа",
    "september septembre septiembre setiembre settembre setembro wrzesien wrzesnia eylul сентябрь сентября",
    "october oktober octobre octubre ottobre outubro pazdziernik pazdziernika ekim октябрь октября",
    "november novembre noviembre novembro listopad listopada kasim ноябрь ноября",
    "december dezember decembre diciembre dicembre dezembro grudzien grudnia aralik декабрь декабря",
)
# What separates the parts of a written date, also in Russian: "15 de mai. de 2025 à 07:48".
BETWEEN = {"de", "del", "at", "um", "a", "as", "om", "o", "alle", "ore", "г", "в"}  # noqa: RUF001

OFFSET = re.compile(r"\s*(Z|[+-]\d\d:?\d\d)$", re.ASCII | re.IGNORECASE)
CLOCK = re.compile(
    r"[T\s,]\s*(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?\s*(?:([ap])\.?\s?m\.?)?$",
    re.ASCII | re.IGNORECASE,
)
ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
YEAR_FIRST = re.compile(r"(\d{4})([-./])(\d{1,2})\2(\d{1,2})", re.ASCII)
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
SLASHES = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?!\d)", re.ASCII)
WRITTEN = re.compile(r"\d+|[^\W\d_]+")

LENGTH = re.compile(
    r"(?:(\d{1,6})\s*h)?\s*(?:(\d{1,6})\s*m(?:in)?)?\s*(?:(\d{1,7})\s*s)?", re.ASCII | re.IGNORECASE
)
COLONS = re.compile(r"(?:(\d{1,5}):)?(\d{1,3}):(\d\d)(?:\.\d+)?", re.ASCII)

UNITS = {
    **dict.fromkeys(["kg", "kgs", "kilogram", "kilograms", "kilo"], "kg"),
    **dict.fromkeys(["lb", "lbs", "pound", "pounds"], "lb"),
}


# Numbers


def number(text: str, delimiter: str) -> float | None:
    """The number that a cell holds; None for an empty one. Raises ValueError.

    In a file with `;` a comma is decimal. In others it groups thousands before exactly three digits, and is
    decimal elsewhere. Of a comma and a dot, the last one is decimal.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(_("is not a number"))
    if PLAIN.fullmatch(text):
        return bounded(float(text))
    plain = text.translate(SPACES).translate(DIRECTIONS).replace(" ", "").replace("\u2212", "-")
    if plain in NONE:
        return None
    plain = with_decimal_point(plain, delimiter)
    if not PLAIN.fullmatch(plain):
        raise ValueError(_("is not a number"))
    return bounded(float(plain))


def bounded(value: float) -> float:
    if abs(value) > MAX_NUMBER:
        raise ValueError(_("is not a number that can be stored"))
    return value + 0.0  # -0.0 becomes 0.0


def with_decimal_point(text: str, delimiter: str) -> str:
    if "," in text and "." in text:
        decimal = max(",.", key=text.rindex)
        whole, _, rest = text.rpartition(decimal)
        group = ",."[decimal == ","]
        return f"{whole.replace(group, '')}.{rest}"
    if GROUPED["."].fullmatch(text):
        return text.replace(".", "")
    if GROUPED[","].fullmatch(text) and (delimiter != ";" or text.count(",") > 1):
        return text.replace(",", "")
    return text.replace(",", ".")


def plain_number(value: float) -> str:
    """A number as people write it: without an exponent and without needless zeros."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


# Weights


def unit_of(text: str) -> str | None:
    """ "kg" or "lb" of a cell such as "lbs"; None for an empty one. Raises ValueError."""
    plain = text.strip(" .").lower()
    if plain and plain not in UNITS:
        raise ValueError(_("is neither kg nor lb"))
    return UNITS.get(plain)


def kg_of(weight: float, unit: str) -> float:
    """A weight of a file in kg: rounded in its own unit, and unrounded after."""
    return to_kg(round(weight, WEIGHT_DECIMALS), unit)


# Moments


class Moments:
    """Reads the dates of a column.

    Whether dates with slashes begin with the day is decided by any number over 12 among `texts`, all of the
    column. Where none is, such a date stays as it is, and `moment_of` reads it with the answer. `asks` gains
    what the texts do not say. `zone` is that of times without an offset, where the format has one.
    """

    def __init__(self, texts: Iterable[str], zone: datetime.tzinfo | None = None) -> None:
        self.day_first = day_first_of(texts)
        self.zone = zone
        self.asks: set[Ask] = set()
        self.known: dict[str, str] = {}  # as the rows of a workout repeat its start

    def read(self, text: str) -> str:
        """The moment in ISO's form, without an offset if it is local, or a day alone."""
        if text not in self.known:
            self.known[text] = self.read_anew(text)
        return self.known[text]

    def read_anew(self, text: str) -> str:
        undecided = self.day_first is None and SLASHES.match(text)
        if undecided:
            self.asks.add(Ask.DAY_FIRST)
        moment = local(text, self.day_first is not False)
        if isinstance(moment, datetime.datetime) and moment.tzinfo is None:
            if self.zone:
                moment = moment.replace(tzinfo=self.zone)
            else:
                self.asks.add(Ask.TIMEZONE)
        return text if undecided else moment.isoformat()

    def read_day(self, text: str) -> str:
        """The day in ISO's form, or with slashes and two digits each. A time in the text is left out."""
        match = SLASHES.match(text) if self.day_first is None else None
        if match:
            self.asks.add(Ask.DAY_FIRST)
        day = day_in(local(text, self.day_first is not False))
        return f"{match[1]:0>2}/{match[3]:0>2}/{match[4]}" if match else day.isoformat()


def day_first_of(texts: Iterable[str]) -> bool | None:
    """Whether dates with slashes begin with the day; None where no date decides it.

    A column has one form of dates, so that the first date is enough where it has no slashes.
    """
    for text in filter(None, texts):
        match = SLASHES.match(text)
        if not match:
            return None
        first, second = int(match[1]), int(match[3])
        if first > 12 or second > 12:
            return first > 12
    return None


def moment_of(text: str, zone: datetime.tzinfo, day_first: bool) -> datetime.datetime:
    """The moment in UTC of what `Moments.read` returns. Raises ValueError before 1990 and after tomorrow.

    A local time that clocks skipped is as much later as they skipped; one that they showed twice is the
    first.
    """
    read = local(text, day_first)
    check_day(day_in(read))  # first, because the moment may be outside of the calendar in UTC
    if not isinstance(read, datetime.datetime):
        return moment_of_day(read, zone)
    moment = (read if read.tzinfo else read.replace(tzinfo=zone, fold=0)).astimezone(datetime.UTC)
    check_day(moment.date())
    return moment


def known_as(text: str) -> str:
    """What `Moments.read` returns, as keys of records have it: a day alone is noon in UTC."""
    return f"{text}T12:00:00+00:00" if ISO_DAY.fullmatch(text) else text


def check_day(day: datetime.date) -> None:
    """Raises ValueError for a day that no record can be of."""
    if day < EARLIEST_DAY:
        raise ValueError(_("is before 1990"))
    if day > timezone.now().date() + ONE_DAY:
        raise ValueError(_("is in the future"))


def local(text: str, day_first: bool) -> datetime.date:
    """A date and a time as a file writes them, without a zone if the text has none; a day without a time."""
    try:
        if len(text) > MAX_TEXT:
            raise ValueError(_("is too long"))
        return read_local(text, day_first)
    except ValueError as error:
        raise ValueError(_("is not a date")) from error


def read_local(text: str, day_first: bool) -> datetime.date:
    plain = text.translate(SPACES).translate(DIRECTIONS).strip()
    offset = OFFSET.search(plain) if CLOCK.search(OFFSET.sub("", plain)) else None
    plain = plain[: offset.start()] if offset else plain
    clock = CLOCK.search(plain)
    day = day_of(plain[: clock.start()] if clock else plain, day_first)
    if not clock:
        return day
    return datetime.datetime.combine(day, time_of(clock), zone_of(offset[1]) if offset else None)


def day_in(read: datetime.date) -> datetime.date:
    return read.date() if isinstance(read, datetime.datetime) else read


def time_of(clock: re.Match[str]) -> datetime.time:
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if clock[4]:
        if not 1 <= hour <= 12:
            raise ValueError(_("is not a time"))
        hour = hour % 12 + (12 if clock[4].lower() == "p" else 0)
    return datetime.time(hour, minute, second)


def zone_of(offset: str) -> datetime.tzinfo:
    if offset in "Zz":
        return datetime.UTC
    sign = -1 if offset[0] == "-" else 1
    hours, minutes = int(offset[1:3]), int(offset[-2:])
    return datetime.timezone(sign * datetime.timedelta(hours=hours, minutes=minutes))


def day_of(text: str, day_first: bool) -> datetime.date:
    plain = text.strip(" ,")
    if match := YEAR_FIRST.fullmatch(plain):
        return datetime.date(int(match[1]), int(match[3]), int(match[4]))
    if match := DAY_FIRST.fullmatch(plain):
        return datetime.date(int(match[3]), int(match[2]), int(match[1]))
    if match := SLASHES.fullmatch(plain):
        first, second = int(match[1]), int(match[3])
        day, month = (first, second) if day_first else (second, first)
        return datetime.date(int(match[4]), month, day)
    return written_day(plain)


def written_day(text: str) -> datetime.date:
    """The day of a text that names the month: "15 Sep 2025", "May 15, 2026"."""
    parts = WRITTEN.findall(folded(text))
    numbers = [part for part in parts if part.isdigit()]
    words = [part for part in parts if not part.isdigit() and part not in BETWEEN]
    if len(words) != 1 or len(numbers) != 2:
        raise ValueError(_("is not a day and a year with a name of a month"))
    year, day = sorted(numbers, key=len, reverse=True)
    if len(year) != 4 or len(day) > 2:
        raise ValueError(_("is not a day and a year"))
    return datetime.date(int(year), month_of(words[0]), int(day))


def month_of(word: str) -> int:
    """The month of the folded beginning of its name. Raises ValueError for that of none, or of several."""
    found = [n for n, names in enumerate(MONTHS, 1) if any(name.startswith(word) for name in names.split())]
    if len(word) < 3 or len(found) != 1:
        raise ValueError(_("is not a month"))
    return found[0]


def folded(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold()).replace("\u0131", "i")
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


# Lengths of time


def seconds_of(text: str, delimiter: str = ",") -> int | None:
    """The seconds of "1h 5m", "0:27:30" or "3900"; None for an empty text. Raises ValueError."""
    if len(text) > MAX_TEXT:
        raise ValueError(_("is not a length of time"))
    match = COLONS.fullmatch(text) or LENGTH.fullmatch(text)
    if match and any(match.groups()):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return 3600 * hours + 60 * minutes + seconds
    value = number(text, delimiter)
    if value is not None and abs(value) > MAX_SECONDS:
        raise ValueError(_("is not a length of time"))
    return None if value is None else round(value)

"""Texts into numbers, moments and lengths of time."""

import datetime
from zoneinfo import ZoneInfo

import pytest

from fitness.imports.values import Moments, kg_of, local, moment_of, number, plain_number, seconds_of

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "delimiter", "value"),
    [
        ("5", ",", 5),
        ("5.0", ",", 5),
        ("-20", ",", -20),
        ("\u221220", ",", -20),
        (".5", ",", 0.5),
        ("1e-05", ",", 0.00001),
        ("102,5", ",", 102.5),
        ("1,000", ",", 1000),
        ("1,000,000", ",", 1_000_000),
        ("1,000.5", ",", 1000.5),
        ("1.000,5", ",", 1000.5),
        ("0,125", ",", 0.125),
        ("82,5", ";", 82.5),
        ("1,000", ";", 1),
        ("1.000,5", ";", 1000.5),
        ("1,000.5", ";", 1000.5),
        ("61.23497", ";", 61.23497),
        ("1\u202f000,5", ";", 1000.5),
        ("\u200f5", ",", 5),
        ("102,5", "\t", 102.5),
        ("", ",", None),
        ("--", ",", None),
    ],
)
def test_numbers(text, delimiter, value):
    assert number(text, delimiter) == value


@pytest.mark.parametrize(
    "text", ["x", "5 kg", "nan", "inf", "-Infinity", "1e999", "1,00,0", "1_000", "\u0665", "5.5.5"]
)
def test_what_is_no_number(text):
    with pytest.raises(ValueError, match="is not a number"):
        number(text, ",")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "15 Sep 2025, 07:48",
            "15 Sept. 2025 07:48",
            "Sep 15, 2025, 7:48 AM",
            "September 15, 2025 at 7:48 AM",
        ),
        *("2025-09-15 07:48", "2025-09-15T07:48:00", "2025-09-15 07:48:00.000", "15.09.2025, 07:48"),
        *("15. September 2025, 07:48", "15. Sept. 2025 um 07:48", "15 sept. 2025, 07:48", "2025/9/15 07:48"),
        *(
            "15 de set. de 2025, 07:48",
            "15 septembre 2025 à 07:48",
            "15 set 2025, 07:48",
            "15 wrz 2025, 07:48",
        ),
        *("15 września 2025, 07:48", "15 Eyl 2025 07:48", "15 Eylül 2025, 07:48"),
        "15 сент. 2025 г., 07:48",  # noqa: RUF001
        "15 сентября 2025 г. в 07:48",  # noqa: RUF001
        *("15/09/2025 07:48", "\u200f15 Sep 2025, 07:48", "2025.09.15 7:48"),
        *("Sep 15, 2025, 7:48\u202fAM", "Sep 15, 2025, 7:48 a.\u202fm."),
    ],
)
def test_a_date_is_read_in_every_form(text):
    assert local(text, True) == datetime.datetime(2025, 9, 15, 7, 48)


SHORT_MONTHS = {
    "English": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "German": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
    "old German": "Jän Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "Spanish": "ene feb mar abr may jun jul ago sept oct nov dic",
    "French": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "Italian": "gen feb mar apr mag giu lug ago set ott nov dic",
    "Portuguese": "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
    "Dutch": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "Polish": "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "Turkish": "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
    "Russian": "янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.",
    "long Polish": (
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"
    ),
    "long Turkish": "OCAK Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim KASIM Aralık",  # noqa: RUF001
}


@pytest.mark.parametrize("language", SHORT_MONTHS)
def test_months_are_known_in_ten_languages(language):
    names = SHORT_MONTHS[language].split()
    assert [local(f"3 {name} 2025", True).month for name in names] == list(range(1, 13))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "yesterday",
            "jui 5, 2025",
            "ma 5, 2025",
            "15 Sep 25",
            "2025-13-01",
            "2025-02-30",
            "2025-09-15 25:00",
        ),
        *(
            "13:00 PM",
            "Sep 15, 2025, 13:00 PM",
            "15 Sep Oct 2025",
            "2025-09",
            "99999-01-01",
            "07:48",
            "x" * 70_000,
        ),
    ],
)
def test_what_is_no_date(text):
    with pytest.raises(ValueError, match="is not a date"):
        local(text, True)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2025-09-15 07:48", "2025-09-15T05:48"),
        ("2026-03-29 02:30", "2026-03-29T01:30"),  # skipped: as 03:30
        ("2025-10-26 02:30", "2025-10-26T00:30"),  # twice: the first
        ("2026-09-05 10:12:33 +0100", "2026-09-05T09:12:33"),
        ("2026-09-05T10:12:33Z", "2026-09-05T10:12:33"),
        ("2026-08-04", "2026-08-04T12:00"),
    ],
)
def test_local_times_become_moments(text, utc, autumn):
    expected = datetime.datetime.fromisoformat(utc).replace(tzinfo=datetime.UTC)
    assert moment_of(Moments([text]).read(text), BERLIN, True) == expected


@pytest.mark.parametrize(
    ("zone", "utc"),
    [
        ("Etc/GMT+12", "2026-01-09T12:00"),
        ("America/Los_Angeles", "2026-01-09T12:00"),
        ("Europe/Berlin", "2026-01-09T12:00"),
        ("Asia/Kamchatka", "2026-01-09T11:00"),
        ("Pacific/Auckland", "2026-01-09T10:00"),
        ("Pacific/Chatham", "2026-01-09T10:00"),
        ("Pacific/Kiritimati", "2026-01-09T09:00"),
    ],
)
def test_a_day_alone_is_that_day_in_its_zone_and_in_utc(zone, utc, autumn):
    moment = moment_of(Moments(["2026-01-09"]).read("2026-01-09"), ZoneInfo(zone), True)
    assert f"{moment:%Y-%m-%dT%H:%M}" == utc
    assert moment.astimezone(ZoneInfo(zone)).date() == moment.date() == datetime.date(2026, 1, 9)


def test_a_day_that_a_zone_has_skipped_is_one_in_utc(autumn):
    assert moment_of("2011-12-30", ZoneInfo("Pacific/Apia"), True).date() == datetime.date(2011, 12, 30)


@pytest.mark.parametrize("text", ["1989-12-31", "0001-01-01T00:00:00", "2026-11-03", "9999-12-31T23:59:59"])
def test_moments_before_1990_and_after_tomorrow_are_refused(text, autumn):
    with pytest.raises(ValueError, match=r"is before 1990|is in the future"):
        moment_of(text, BERLIN, True)


def test_tomorrow_is_fine(autumn):
    assert moment_of("2026-11-02T08:00:00", BERLIN, True).day == 2


@pytest.mark.parametrize(
    ("texts", "read", "asks"),
    [
        (["03/04/2026", "18/04/2026"], "2026-04-03", set()),
        (["03/04/2026", "04/18/2026"], "2026-03-04", set()),
        (["03-04-2026", "18-04-2026"], "2026-04-03", set()),
        (["03/04/2026", "05/04/2026"], "03/04/2026", {"day_first"}),
        (["03-04-2026", "05-04-2026"], "03-04-2026", {"day_first"}),
        (["03/04/2026 08:00"], "03/04/2026 08:00", {"day_first", "timezone"}),
    ],
)
def test_which_part_of_a_date_with_slashes_is_the_day(texts, read, asks):
    moments = Moments(texts)
    assert moments.read(texts[0]) == read
    assert {ask.value for ask in moments.asks} == asks


def test_a_date_that_nothing_decides_is_read_as_answered(autumn):
    found = [moment_of("03/04/2026 08:00", BERLIN, day_first) for day_first in (True, False)]
    assert [moment.month for moment in found] == [4, 3]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h 5m", 3900),
        ("45m 12s", 2712),
        ("22s", 22),
        ("117m", 7020),
        ("264h 1m", 950_460),
        ("3900", 3900),
        ("0.0", 0),
        ("0:27:30", 1650),
        ("27:30", 1650),
        ("", None),
    ],
)
def test_lengths_of_time(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["long", "1h x", "1e300", "nan"])
def test_what_is_no_length_of_time(text):
    with pytest.raises(ValueError, match="is not"):
        seconds_of(text)


def test_weights_are_rounded_in_their_own_unit():
    assert kg_of(134.99999999999999, "lb") == 135 * 0.45359237
    assert kg_of(61.23497, "kg") == 61.235


@pytest.mark.parametrize(
    ("value", "text"), [(5.0, "5"), (102.5, "102.5"), (0.00001, "0"), (-20.0, "-20"), (100.0, "100")]
)
def test_numbers_in_words(value, text):
    assert plain_number(value) == text

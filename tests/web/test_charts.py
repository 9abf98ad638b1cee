import datetime
import re
import zoneinfo

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from fitness.web import units
from fitness.web.axes import DayAxis, ValueAxis
from fitness.web.charts import COLUMNS, TABLE_ROWS, LineChart, Series, small_multiples, thinned
from fitness.web.svg_charts import Bar, BarChart, Calendar, Sparkline
from tests.html import plain
from tests.scripts import copied_modules, running_modules

D = datetime.date


def labels(ticks):
    return [tick.label for tick in ticks]


def table_of(chart):
    """The texts of its cells, a list for each row."""
    body = render_to_string("charts/table.html", {"chart": chart}).partition("<tbody>")[2]
    rows = body.partition("</tbody>")[0].split("</tr>")[:-1]
    return [[plain(cell).strip() for cell in re.split("</t[hd]>", row)[:-1]] for row in rows]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([80, 83.2], ["80", "81", "82", "83", "84"]),
        ([80.1, 80.9], ["80.0", "80.2", "80.4", "80.6", "80.8", "81.0"]),
        ([0, 5000], ["0", "2,000", "4,000", "6,000"]),
        ([70], ["69.0", "69.5", "70.0", "70.5", "71.0"]),
        ([70, 70.00000000000001], ["69.0", "69.5", "70.0", "70.5", "71.0"]),
        ([0], ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        ([0, 0], ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        ([0.4], ["0.0", "0.5", "1.0", "1.5"]),
        ([-3], ["-4.0", "-3.5", "-3.0", "-2.5", "-2.0"]),
    ],
)
def test_value_ticks_are_round_numbers(values, expected):
    assert labels(ValueAxis(values).ticks) == expected


@pytest.mark.parametrize(
    ("reps", "expected"),
    [
        ([8, 10], ["8", "9", "10"]),
        ([10], ["9", "10", "11"]),
        ([0], ["0", "1"]),
        ([2, 11], ["2", "4", "6", "8", "10", "12"]),
    ],
)
def test_what_is_counted_has_no_halves_on_its_axis(reps, expected):
    days = [(D(2026, 3, day), value) for day, value in enumerate(reps, 1)]
    assert labels(LineChart("Most reps", [Series("Reps", days)], "reps").y_axis.ticks) == expected


@given(st.lists(st.floats(0, 10_000), min_size=1))
def test_an_axis_goes_below_zero_only_where_a_value_does(values):
    axis = ValueAxis(values)
    assert 0 <= axis.low <= min(values) + 1e-6
    assert axis.high >= max(values) - 1e-6


def test_a_datetime_lies_between_its_days():
    noon = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)
    assert DayAxis(D(2026, 3, 2), D(2026, 3, 3)).fraction(noon) == 0.5


def test_the_goal_is_inside_the_chart():
    chart = LineChart("Weight", [Series("Scale", [(D(2026, 3, 1), 80)])], "kg", goal=72)
    assert chart.drawing["low"] <= 72 <= chart.drawing["high"]
    assert chart.goal_label == "Goal 72 kg"


def test_a_single_value_is_a_dot_and_a_sentence():
    chart = LineChart("Weight", [Series("Scale", [(D(2026, 3, 1), 80.5)])], "kg")
    assert [one["look"] for one in chart.drawing["series"]] == ["dots"]
    assert chart.summary == ["Scale: 80.5 kg on 1 Mar 2026."]


def days_from(first, values):
    return [(first + datetime.timedelta(days=number), value) for number, value in enumerate(values)]


@given(st.lists(st.floats(0, 500), min_size=1, max_size=300), st.integers(1, 20), st.data())
def test_few_points_have_the_outline_of_all(values, columns, data):
    points = days_from(D(2020, 1, 1), values)
    records = data.draw(st.lists(st.sampled_from(points), max_size=5))
    chosen = thinned(points, columns, records)
    assert chosen == [point for point in points if point in set(chosen)]
    assert len(chosen) <= 4 * columns + len(records)
    assert {points[0], points[-1], *records} <= set(chosen)
    drawn = [value for _, value in chosen]
    assert (min(drawn), max(drawn)) == (min(values), max(values))


@pytest.mark.parametrize("count", [3_000, 100_000])
def test_a_long_history_costs_the_same_on_the_page(count):
    points = days_from(D(1, 1, 1), [80 + number % 7 for number in range(count)])
    chart = LineChart("Weight", [Series("Weighed", points, "dots"), Series("Trend", points)], "kg")
    assert len(chart.drawing["times"]) <= 4 * COLUMNS
    assert len(list(chart.table)) == TABLE_ROWS


def test_the_drawing_has_a_value_of_each_series_for_each_time():
    first, second = D(2026, 3, 1), datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)
    maxima = Series("1RM", [(first, 101), (second, 102)])
    sets = Series("Set", [(second, 90)], "dots", [(second, 90)])
    drawing = LineChart("Bench", [maxima, sets], "kg").drawing
    assert drawing["times"] == [1772323200, 1772323200 + 36 * 3600]
    assert [one["values"] for one in drawing["series"]] == [[101, 102], [None, 90]]
    assert [one["marked"] for one in drawing["series"]] == [[], drawing["times"][1:]]


def test_a_time_is_that_of_the_clock_on_the_wall():
    """Half past nine in the evening stays on its day, however far from UTC."""
    evening = datetime.datetime(2026, 3, 1, 21, 30, tzinfo=zoneinfo.ZoneInfo("America/Los_Angeles"))
    drawing = LineChart("Bench", [Series("1RM", [(evening, 101)])]).drawing
    assert drawing["times"] == [1772323200 + 21 * 3600 + 1800]


def test_the_table_has_the_newest_first_and_says_what_it_leaves_out():
    points = days_from(D(2026, 1, 1), range(50, 53))
    chart = LineChart("Bench", [Series("Set", points, marked=points[2:])], "kg", rows=2)
    assert table_of(chart) == [["3 Jan 2026", "52 kg Record"], ["2 Jan 2026", "51 kg"]]
    assert "The newest 2 of 3 values." in render_to_string("charts/line.html", {"chart": chart})


def test_the_table_has_no_markup_of_a_unit():
    (row,) = table_of(LineChart("Bench", [Series("Set", [(D(2026, 1, 1), 50)])], "<b>"))
    assert row == ["1 Jan 2026", "50 &lt;b&gt;"]


def test_the_newest_values_are_written_above_the_chart():
    first, last = D(2026, 3, 1), D(2026, 3, 2)
    dots = Series("Weighed", [(first, 81), (last, 82.4)], "dots", [(last, 82.4)])
    trend = Series("Trend", [(first, 81)])
    assert LineChart("Weight", [dots], "kg").newest == "2 Mar 2026: 82.4 kg (record)"
    assert LineChart("Weight", [dots, trend], "kg").newest == "2 Mar 2026: Weighed 82.4 kg (record)"


def test_bars_start_at_zero_and_few_are_labelled():
    chart = BarChart("Energy", [Bar(f"{day} Mar", 2000) for day in range(1, 31)], "kcal")
    assert next(iter(chart.rects))["height"] == 100
    assert labels(chart.x_ticks) == ["6 Mar", "14 Mar", "22 Mar", "30 Mar"]


def test_a_year_is_columns_of_weeks_from_monday():
    chart = Calendar("Workouts", {D(2026, 3, 4): 2}, until=D(2026, 3, 5))
    assert chart.since.weekday() == 0
    (cell,) = chart.cells
    assert (cell.x, cell.y, cell.level) == (98.113, 28.571, 2)
    assert cell.title == "4 Mar 2026: 2 workouts"


@pytest.mark.parametrize(("first", "since"), [(1, D(2026, 3, 2)), (6, D(2026, 2, 28)), (7, D(2026, 3, 1))])
def test_a_week_begins_on_the_day_that_is_chosen(first, since):
    for day in range(2, 7):
        assert Calendar("Workouts", {}, D(2026, 3, day), weeks=1, first_weekday=first).since == since


def test_small_multiples_share_their_time_axis():
    waist, neck = small_multiples(
        [Series("Waist", [(D(2026, 1, 1), 80), (D(2026, 2, 1), 79)]), Series("Neck", [(D(2026, 1, 15), 39)])]
    )
    assert [waist.drawing[end] for end in ("since", "until")] == [
        neck.drawing[end] for end in ("since", "until")
    ]


def test_a_sparkline_is_a_line_that_screen_readers_skip():
    chart = Sparkline([(D(2026, 3, 1), 80), (D(2026, 3, 5), 84)])
    svg = render_to_string("charts/sparkline.html", {"chart": chart})
    assert 'aria-hidden="true"' in svg
    assert 'class="chart-line chart-colour-1" d="M0.0 1000.0L1000.0 0.0h0"' in svg
    assert svg.count("<circle") == 2  # its ends


def test_steps_stay_at_a_value_until_the_next():
    points = [(D(2026, 3, 1), 8), (D(2026, 3, 3), 8), (D(2026, 3, 5), 10)]
    assert Sparkline(points, in_steps=True).path == "M0.0 1000.0H500.0V1000.0H1000.0V0.0h0"
    chart = LineChart("Pull-Up", [Series("Reps", points, "steps")])
    assert chart.drawing["series"][0]["look"] == "steps"


def test_a_sparkline_of_nothing_is_nothing():
    assert render_to_string("charts/sparkline.html", {"chart": Sparkline([])}).strip() == ""


def test_drawings_have_a_title_and_neither_styles_nor_markup():
    title = "<script>x"
    svg = render_to_string("charts/bars.html", {"chart": BarChart(title, [Bar(title, 1)])})
    assert 'role="img"' in svg
    assert "<title>&lt;script&gt;x" in svg
    assert "style=" not in svg
    assert "<script>" not in svg


def test_a_pound_is_the_international_pound():
    assert units.to_kg(225, "lb") == 102.05828325
    assert units.to_unit(102.05828325, "lb") == 225


def test_a_weight_that_nobody_changed_stays_to_the_digit():
    assert units.edited_kg(102.06, "kg", 102.05828325) == 102.05828325
    assert units.edited_kg(102.5, "kg", 102.05828325) == 102.5


def test_a_line_joins_some_points_and_draws_all_as_dots():
    points = [(D(2026, 3, day), value) for day, value in [(1, 100), (8, 70), (15, 110)]]
    joined = [points[0], points[2]]
    chart = LineChart("Squat", [Series("e1RM", points, joined=joined)], "kg")
    (drawn,) = chart.drawing["series"]
    assert drawn["look"] == "line"
    assert drawn["values"] == [100, 70, 110]
    assert drawn["joined"] == [chart.drawing["times"][0], chart.drawing["times"][2]]
    assert [value for _, value in table_of(chart)] == ["110 kg", "70 kg", "100 kg"]


def test_points_without_two_to_join_are_dots():
    points = [(D(2026, 3, 1), 100), (D(2026, 3, 2), 90)]
    (drawn,) = LineChart("Squat", [Series("e1RM", points, joined=points[:1])]).drawing["series"]
    assert (drawn["look"], drawn["values"]) == ("dots", [100, 90])


def test_many_points_keep_those_that_a_line_joins():
    points = [(D(2000, 1, 1) + datetime.timedelta(days=number), number % 7) for number in range(5 * COLUMNS)]
    joined = points[3::100]
    series = Series("e1RM", points, joined=joined)
    ((_, drawn),) = LineChart("Squat", [series]).drawn_points
    assert set(joined) <= set(drawn)


@pytest.mark.parametrize("name", ["bars", "sparkline"])
def test_drawings_are_in_the_digits_of_machines_and_labels_in_those_of_people(name):
    points = [(D(2026, 3, day), value) for day, value in [(1, 1000.5), (2, 2500.25), (4, 2000)]]
    chart = {
        "bars": BarChart("Energy", [Bar(str(day.day), value) for day, value in points]),
        "sparkline": Sparkline(points),
    }[name]
    with translation.override("de"):
        svg = render_to_string(f"charts/{name}.html", {"chart": chart})
    geometry = re.findall(r' (?:x|y|y1|width|height|cx|cy|r|d)="([^"]*)"', svg)
    assert any("." in value for value in geometry)
    assert not any("," in value for value in geometry)
    assert ">2.000</text>" in svg


READING = "async (drawing) => (await charts('words')).reading(drawing, 0)"


def test_a_value_that_is_read_off_a_chart_is_in_the_language_of_the_page(tmp_path):
    time = datetime.datetime(2026, 10, 2, tzinfo=datetime.UTC).timestamp()
    weights = {"name": "Gewogen", "values": [1082.4], "marked": []}
    folder = copied_modules(tmp_path / "modules")
    with running_modules(folder, "de") as modules:
        read = modules.run(READING, {"times": [time], "series": [weights], "unit": "kg"})
    assert read == "2. Okt. 2026: 1.082,4 kg"

"""What compares two recordings of the corpus notices each difference, and names keep who is who."""

import json

import pytest

from tests.corpus import compare
from tests.corpus.naming import Names

ID, OTHER = "0198c1a0-0000-7000-8000-000000000001", "0198c1a0-0000-7000-8000-000000000002"
KEY = "svc_" + "aB3d" * 10


def answer(name="a", status=200, body='{"workouts": [{"volume_kg": 500.25}]}', **headers):
    sent = {"method": "GET", "path": f"/{name}", "headers": {}}
    return {"name": name, "sent": sent, "status": status, "headers": headers, "body": body}


@pytest.fixture
def compared(tmp_path, capsys):
    """Compares recordings; returns the exit code and what is printed."""

    def run(before, after, rows=""):
        paths = [tmp_path / name for name in ("before", "after")]
        for path, answers in zip(paths, (before, after), strict=True):
            path.write_text("".join(json.dumps(one) + "\n" for one in answers))
        (tmp_path / "rows").write_text(rows)
        code = compare.main(*paths, tmp_path / "rows")
        return code, capsys.readouterr().out

    return run


def test_equal_recordings_are_equal(compared):
    code, printed = compared([answer()], [answer()])
    assert code == 0
    assert printed.startswith("1 equal, 0 different, 0 only before, 0 only after")


@pytest.mark.parametrize(
    ("after", "shown"),
    [
        (answer(status=404), "-status 200\n+status 404"),
        (answer(Vary="Cookie"), "+Vary: Cookie"),
        (answer(body='{"workouts": [{"volume_kg": 500.3}]}'), "-   volume_kg: 500.25\n+   volume_kg: 500.3"),
        (answer(body='{"workouts": []}'), "+ workouts: []"),
        (answer(name="b"), "-(not asked any more)"),
        (answer(name="b"), "+(not asked before)"),
    ],
)
def test_each_difference_is_shown(compared, after, shown):
    code, printed = compared([answer()], [after])
    assert code == 1
    assert shown in printed


def test_a_word_on_a_screen_is_one_line(compared):
    pages = [f'<p class="lead"><b>{word}</b> today</p>' for word in ("Train", "Lift")]
    code, printed = compared([answer(body=pages[0])], [answer(body=pages[1])])
    assert code == 1
    assert "\n-<b>Train\n+<b>Lift\n" in printed


def test_json_within_a_text_is_compared_by_its_values(compared):
    texts = [json.dumps({"text": json.dumps({"a": 1, "b": value})}) for value in (2, 3)]
    assert "\n-   b: 2\n+   b: 3\n" in compared([answer(body=texts[0])], [answer(body=texts[1])])[1]


def test_the_same_difference_in_many_answers_is_shown_once(compared):
    before = [answer(name=f"a{number}", body=f'{{"volume_kg": {number}.25}}') for number in range(40)]
    after = [answer(name=f"a{number}", body=f'{{"volume_kg": {number}.3}}') for number in range(40)]
    printed = compared(before, after)[1]
    assert printed.startswith("40 × in\n  a0\n  a1\n  a2\n  and 37 more\n- volume_kg: 0.25\n")
    assert "kinds of differences that are not meant: 1" in printed


ROW = '[[differs]]\nrequests = "^a$"\nlines = "status"\nreason = "Gone for good."\n'


def test_what_is_meant_is_named_with_its_reason(compared):
    code, printed = compared([answer()], [answer(status=410)], ROW)
    assert code == 0
    assert "1 differ on purpose: Gone for good." in printed


@pytest.mark.parametrize("after", [answer(status=410, Vary="Cookie"), answer(name="b")])
def test_a_row_explains_no_more_than_it_names(compared, after):
    assert compared([answer()], [after], ROW)[0] == 1


def test_a_row_that_matches_nothing_is_pointed_out(compared):
    code, printed = compared([answer()], [answer()], ROW)
    assert code == 1
    assert "matches nothing: requests '^a$', lines 'status' (Gone for good.)" in printed


def test_two_recordings_have_the_same_names_for_other_ids():
    first, second = Names(), Names()
    text = '{{"id": "{0}", "plan_id": "{1}", "next": "{0}"}}'
    named = first.in_text(text.format(ID, OTHER), "list")
    assert named == second.in_text(text.format(OTHER, ID), "list")
    assert named == '{"id": "«id 1 of list»", "plan_id": "«id 2 of list»", "next": "«id 1 of list»"}'


def test_an_id_keeps_its_name_in_other_answers():
    names = Names()
    names.in_text(f'"{ID}"', "create")
    assert names.in_text(f"/workouts/{ID} {ID.replace('-', '')} {OTHER}", "read") == (
        "/workouts/«id 1 of create» «made 1 of read» «id 1 of read»"
    )


def test_cursors_and_keys_are_named_wherever_they_are_used():
    names = Names()
    names.learn(KEY, "key of the reader")
    assert names.in_text('{"next_cursor":"abcdefgh_ijkl-mnop"}', "a") == '{"next_cursor":"«cursor 1 of a»"}'
    assert names.in_text("?limit=2&cursor=abcdefgh_ijkl-mnop", "b") == "?limit=2&cursor=«cursor 1 of a»"
    assert (
        names.in_text(f"{KEY} {KEY[:8]}…{KEY[-4:]}", "b") == "«key of the reader» «hint of key of the reader»"
    )


@pytest.mark.parametrize(
    ("shown", "kept"),
    [
        ('<script nonce="r4nd/om+A==">', '<script nonce="«nonce»">'),
        ('<link href="/static/fitness.0123456789ab.css">', '<link href="/static/fitness.«hash».css">'),
        ('name="csrfmiddlewaretoken" value="Ab1"', 'name="csrfmiddlewaretoken" value="«csrf»"'),
        (f'value="gAAAAA{"aB_-" * 20}=="', 'value="«sealed»"'),
        (f"form_id={ID}%3A{'aB-' * 14}c&", "form_id=«id 1 of a»%3A«signature»&"),
    ],
)
def test_what_changes_with_each_answer_is_left_out(shown, kept):
    assert Names().in_text(shown, "a") == kept

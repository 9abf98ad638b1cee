import pytest
from django.db import IntegrityError, transaction
from jsonschema import Draft202012Validator

from tests.conftest import problems, statements

SITES = ["chest_cm", "waist_cm", "hips_cm", "arms_cm", "thighs_cm", "neck_cm"]
NO_SITE = dict.fromkeys(SITES)


@pytest.fixture
def measure(api):
    """Logs tape measurements through the API and returns it as stored."""

    def measure(**fields):
        response = api.post("/body/measurements", fields)
        assert response.status_code == 201, response.content
        return response.json()

    return measure


@pytest.mark.parametrize("site", SITES)
def test_one_site_is_enough_and_the_others_are_null(measure, site, time_machine):
    time_machine.move_to("2026-03-02T06:45:00Z", tick=False)
    stored = measure(**{site: 84.55})
    assert stored.pop("id")
    assert stored == {**NO_SITE, site: 84.55, "logged_at": "2026-03-02T06:45:00Z"}


@pytest.mark.parametrize("body", [{}, NO_SITE, {"logged_at": "2026-03-02T06:45:00Z"}, {"id": "x"}])
def test_a_measurement_without_a_site_is_rejected(api, body):
    errors = problems(api.post("/body/measurements", body))
    assert errors == {"body": f"Must hold at least one of {', '.join(SITES)}."}


INVALID = [("waist_cm", value) for value in (0, -1, 1000.5, "84", True, [84])]
INVALID += [("logged_at", None), ("logged_at", "yesterday"), ("waist", 84), ("notes", "")]


@pytest.mark.parametrize(("field", "value"), INVALID)
def test_an_invalid_field_is_an_error_at_its_place(api, measure, field, value):
    body = {"neck_cm": 38, field: value}
    assert problems(api.post("/body/measurements", body)).keys() == {f"body.{field}"}
    stored = measure(neck_cm=38)
    response = api.patch(f"/body/measurements/{stored['id']}", {field: value})
    assert problems(response).keys() == {f"body.{field}"}
    assert api.get("/body/measurements").json()["measurements"] == [stored]


def test_patch_changes_and_clears_only_the_listed_sites(api, measure):
    stored = measure(chest_cm=101, waist_cm=84, logged_at="2026-03-01T06:00:00Z")
    response = api.patch(f"/body/measurements/{stored['id']}", {"chest_cm": None, "neck_cm": 38})
    changed = stored | {"chest_cm": None, "neck_cm": 38}
    assert (response.status_code, response.json()) == (200, changed)
    assert api.get("/body/measurements").json() == {"measurements": [changed], "next_cursor": None}


@pytest.mark.parametrize("change", [{"waist_cm": None, "neck_cm": None}, NO_SITE])
def test_the_last_site_cannot_be_cleared(api, measure, change):
    stored = measure(waist_cm=84, neck_cm=38)
    assert problems(api.patch(f"/body/measurements/{stored['id']}", change)).keys() == {"body"}
    assert api.get("/body/measurements").json()["measurements"] == [stored]


def test_a_patch_may_replace_the_last_site(api, measure):
    path = f"/body/measurements/{measure(waist_cm=84)['id']}"
    assert api.patch(path, {"waist_cm": None, "hips_cm": 98}).status_code == 200


def test_the_database_rejects_a_measurement_without_a_site(account):
    log = account.measurements.create(waist_cm=84)
    with pytest.raises(IntegrityError), transaction.atomic():
        log.change({"waist_cm": None})


def test_newest_comes_first_within_the_window(api, measure):
    for day in (2, 4, 1, 3):
        measure(waist_cm=80 + day, logged_at=f"2026-03-0{day}T06:00:00Z")
    window = {"since": "2026-03-02T06:00:00Z", "until": "2026-03-04T06:00:00Z"}
    listed = api.get("/body/measurements", **window).json()["measurements"]
    assert [log["waist_cm"] for log in listed] == [83, 82]


def test_pages_continue(api, measure):
    logged = [measure(waist_cm=80 + number)["id"] for number in range(3)]
    first = api.get("/body/measurements", limit=2).json()
    second = api.get("/body/measurements", limit=2, cursor=first["next_cursor"]).json()
    assert [log["id"] for log in first["measurements"] + second["measurements"]] == logged[::-1]
    assert second["next_cursor"] is None


def test_delete_removes_a_measurement(api, measure):
    path = f"/body/measurements/{measure(waist_cm=84)['id']}"
    assert api.delete(path).status_code == 204
    assert api.delete(path).status_code == 404


def test_the_schema_requires_a_site_of_a_new_measurement(nobody):
    schemas = nobody.get("/openapi.json").json()["components"]["schemas"]
    accepts = Draft202012Validator(schemas["MeasurementRequest"]).is_valid
    assert accepts({"waist_cm": 82, "hips_cm": None})
    assert not accepts({"waist_cm": None})
    assert not accepts({"logged_at": "2026-03-02T07:00:00Z"})
    assert "anyOf" not in schemas["PatchedMeasurementRequest"]


def test_each_operation_takes_a_fixed_number_of_statements(api, measure):
    """The first statement finds the key. The number does not grow with the measurements."""
    ids = [measure(waist_cm=84)["id"] for _ in range(3)]
    calls = [
        (2, lambda: api.get("/body/measurements")),
        (2, lambda: api.post("/body/measurements", {"waist_cm": 84})),
        (3, lambda: api.patch(f"/body/measurements/{ids[0]}", {"waist_cm": 85})),
        (3, lambda: api.delete(f"/body/measurements/{ids[0]}")),
    ]
    for expected, call in calls:
        with statements() as run:
            call()
        assert len(run) == expected, run

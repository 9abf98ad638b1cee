"""The pages of imports against files and requests that somebody has made to harm."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.imports.models import ImportRun
from accounts.models import AccountState
from fitness.imports.tables import plain_text
from fitness.site.data import importing, steps
from fitness.spreadsheets import harmless
from tests.html import text
from tests.imports.test_import_pages import counted, posted, uploaded

HEVY = "title,start_time,exercise_title,exercise_notes,description,set_index,set_type,reps,weight_kg\n"
MAX_PAGE_BYTES = 1_000_000


def test_a_preview_stays_below_a_megabyte(page):
    notes = "<b>&" * 1000
    rows = [
        f'Day,2026-05-{day:02} 10:00:00,Bench Press,"{notes}","{notes}",{number},normal,5,100.25\n'
        for day in range(1, 11)
        for number in [*range(100)] * 60
    ]
    unknown = [f"Day,2026-05-20 10:00:00,{n} {'<' * 5000},,,0,normal,5,60\n" for n in range(300)]
    short = [row.replace(notes, "", 2) if index % 600 else row for index, row in enumerate(rows)]
    run = uploaded(page, content="".join([HEVY, *short, *unknown]).encode())
    shown = page.get(reverse("import", args=[run.pk]))
    assert "Bench Press" in text(shown)
    assert len(shown.content) < MAX_PAGE_BYTES


@pytest.mark.django_db
def test_a_large_file_of_somebody_without_a_session_is_dropped_piece_by_piece(settings):
    settings.TRUSTED_PROXIES = 1
    client = Client(enforce_csrf_checks=True)
    client.cookies[settings.SESSION_COOKIE_NAME] = "made-up"
    client.cookies[settings.CSRF_COOKIE_NAME] = "x" * 32

    class Body:
        left, largest = 20_000_000, 0

        def read(self, size):
            self.largest = max(self.largest, size)
            piece = bytes(min(size, self.left))
            self.left -= len(piece)
            return piece

        readline = None  # nobody reads lines

    body = Body()
    response = client.generic(
        "POST",
        reverse("upload"),
        **{
            "CONTENT_TYPE": "multipart/form-data; boundary=x",
            "CONTENT_LENGTH": "20000000",
            "wsgi.input": body,
        },
    )
    assert response.status_code == 403
    assert (body.left, body.largest) == (0, 65_536)


def test_a_preview_that_a_new_upload_has_replaced_is_not_answered(page, account):
    run = uploaded(page)
    run = account.import_runs.get(pk=run.pk)
    uploaded(page)
    with pytest.raises(importing.Busy):
        steps.step(run)
    assert ImportRun.objects.count() == 1


def test_an_import_stops_where_the_storage_is_full_and_goes_on_once_there_is_room(page, settings, account):
    run = uploaded(page)
    settings.ACCOUNT_STORAGE_MB = 1
    AccountState.objects.filter(account=account).update(stored_bytes=999_990)
    address = reverse("import", args=[run.pk])
    posted(page, address, {"import": "yes"})
    answer = page.get(address, headers={"Accept": "application/json"}).json()
    assert answer["under_way"] is False
    assert answer["says"].startswith("Your workouts would take more than the 1 MB")
    assert not account.workouts.exists()
    shown = text(page.get(address))
    assert "The import has stopped." in shown
    assert "Your workouts would take more" in shown
    assert "ErrorDetail" not in shown
    settings.ACCOUNT_STORAGE_MB = 2
    posted(page, reverse("go-on-with-import", args=[run.pk]))
    assert counted(run) == {"stored": 2}


@pytest.mark.parametrize("cell", ["=1", "'=1", "''-x", "'quoted'", "'", "+", "'@x"])
def test_an_import_takes_off_the_quote_that_an_export_has_put_on(cell):
    assert plain_text(harmless(cell)) == cell

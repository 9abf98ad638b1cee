"""Large exports, which a worker makes: preparation, page, ranges, deaths, replacement, storage."""

import datetime
import itertools
import json
import zipfile
from io import BytesIO

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account, AccountState, FilePart, StoredFile, Task
from accounts.models.task import MAX_FAILURES
from accounts.purge import purge
from fitness.site.data import exports, preparing
from tests.conftest import freshly_signed_in, statements
from tests.factories import PASSWORD
from tests.html import plain, text
from tests.imports.accounts import exported, fill, workout
from tests.imports.steps import work

EXPORT = "/settings/data/export"
ADDRESSES = [EXPORT, *(f"{EXPORT}/{name}" for name in ("everything", "strong", "hevy", "hevy?unit=lb"))]
PART_BYTES = 100


@pytest.fixture
def filled(account):
    account.units = "kg"
    account.time_zone = "Europe/Berlin"
    account.save()
    return fill(account)


@pytest.fixture
def is_large(monkeypatch):
    """Every account has much, and every file many parts."""
    monkeypatch.setattr(exports, "SMALL_BYTES", 0)
    for module in ("accounts.models.stored_file", "fitness.site.data.preparing"):
        monkeypatch.setattr(f"{module}.PART_BYTES", PART_BYTES)


@pytest.fixture
def large(filled, is_large):
    return filled


def prepared(page, address=f"{EXPORT}/strong"):
    """A file that a worker has made."""
    page_of_file = asked_for(page, address)
    work()
    return StoredFile.objects.get(pk=page_of_file.split("/")[-1])


def asked_for(page, address=f"{EXPORT}/strong"):
    answer = page.post(address)
    assert answer.status_code == 302
    return answer.headers["Location"]


def downloaded(page, file, **headers):
    return page.get(reverse("download-export", args=[file.pk]), headers=headers)


def file_bytes(account):
    return AccountState.objects.get(account=account).file_bytes


# --- What is small is made at once -------------------------------------------------------------------


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_small_file_is_made_at_once_and_holds_no_cursor(filled, page, address):
    answer = page.get(address)
    assert not answer.streaming
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert not StoredFile.objects.exists()


def test_the_page_of_data_has_a_link_to_a_small_file(filled, page):
    shown = text(page.get(reverse("data")))
    assert f'href="{EXPORT}/everything"' in shown
    assert "Download everything" in shown


def test_records_besides_workouts_make_an_account_large_as_well(account, page, monkeypatch):
    monkeypatch.setattr(exports, "SMALL_BYTES", 50 * exports.RECORD_BYTES)
    logs = [account.weight_logs.model(account=account, weight_kg=80) for _ in range(50)]
    account.weight_logs.bulk_create(logs)
    assert "Content-Disposition" in page.get(EXPORT).headers
    account.weight_logs.create(weight_kg=80)
    assert "Prepare the file" in text(page.get(EXPORT))


# --- What is large is prepared -----------------------------------------------------------------------


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_prepared_file_is_what_is_made_at_once(filled, page, address, request):
    at_once = page.get(address)
    request.getfixturevalue("is_large")
    file = prepared(page, address)
    answer = downloaded(page, file)
    content = answer.getvalue()
    assert without_time(content) == without_time(at_once.content)
    assert answer.headers["Content-Disposition"] == at_once.headers["Content-Disposition"]
    assert answer.headers["Content-Type"] == at_once.headers["Content-Type"]
    assert int(answer.headers["Content-Length"]) == len(content) == file.size
    assert file.parts.count() == -(-file.size // PART_BYTES) > 1


def without_time(content):
    """The bytes of a file, or of those in a ZIP, without when it was made."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(content)) as archive:
            assert archive.testzip() is None
            return {name: without_time(archive.read(name)) for name in archive.namelist()}
    return content.partition(b"profile")[2] if content.startswith(b"{") else content


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_link_to_a_large_file_changes_nothing_and_asks(large, page, address):
    with statements() as run:
        shown = page.get(address)
    assert f'action="{address.partition("?")[0]}' in shown.content.decode()
    assert not [sql for sql in run if not sql.startswith(("SELECT", 'UPDATE "accounts_session'))]
    assert not Task.objects.exists()


def test_the_form_of_hevy_keeps_its_unit(large, page):
    assert f'action="{EXPORT}/hevy?unit=lb"' in page.get(f"{EXPORT}/hevy?unit=lb").content.decode()
    assert b"weight_lbs" in downloaded(page, prepared(page, f"{EXPORT}/hevy?unit=lb")).getvalue()


def test_times_are_of_the_zone_when_it_was_asked_for(large, page, account):
    asked_for(page)
    account.time_zone = "Asia/Tokyo"
    account.save()
    work()
    assert b"2026-03-02 18:30:00" in downloaded(page, StoredFile.objects.get()).getvalue()


def test_the_page_of_a_file_says_how_much_of_it_there_is(large, page):
    address = asked_for(page)
    StoredFile.objects.update(size=12_500_000)
    assert "11.9 MB so far" in plain(text(page.get(address)))


def test_the_page_of_a_file_says_how_far_it_is_and_then_offers_it(large, page, time_machine):
    time_machine.move_to("2026-11-25T13:02:00Z", tick=False)
    address = asked_for(page, f"{EXPORT}/everything")
    assert "Being made" in text(page.get(address))
    assert '<noscript><meta http-equiv="refresh"' in text(page.get(address))
    said = page.get(address, headers={"Accept": "application/json"}).json()
    assert said == {"under_way": True, "done": 0, "total": 0, "unit": "MB", "says": ""}
    work()
    assert not page.get(address, headers={"Accept": "application/json"}).json()["under_way"]
    shown = text(page.get(address))
    assert "fitness-2026-11-25.zip" in shown
    assert "26 November 2026, 14:02" in shown  # in Berlin
    assert f'href="{address}/file"' in page.get(address).content.decode()


def test_the_page_of_data_lists_the_file(large, page):
    asked_for(page)
    assert "Being made" in text(page.get(reverse("data")))
    work()
    shown = page.get(reverse("data"))
    assert "Ready" in text(shown)
    assert reverse("download-export", args=[StoredFile.objects.get().pk]) in shown.content.decode()
    assert "Prepare everything" in text(shown)


def test_a_file_that_is_not_made_yet_is_no_download(large, page):
    address = asked_for(page)
    answer = page.get(f"{address}/file")
    assert answer.headers["Location"] == address


def test_a_person_has_twenty_files_made_in_an_hour(large, page):
    answers = [page.post(EXPORT) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [302] * 20 + [429]


# --- Ranges --------------------------------------------------------------------------------------------


@pytest.fixture
def file(large, page):
    return prepared(page)


def ranges(size):
    """(header, first byte, one behind the last)"""
    yield from [("bytes=0-0", 0, 1), ("bytes=150-", 150, size), ("bytes=-7", size - 7, size)]
    yield from [("bytes=99-100", 99, 101), ("bytes=100-199", 100, 200), ("bytes=5-999999", 5, size)]
    yield from [("Bytes=250-449", 250, 450), ("bytes=-999999", 0, size)]


def test_a_range_is_sent_alone(file, page):
    whole = downloaded(page, file).getvalue()
    for header, start, end in ranges(file.size):
        answer = downloaded(page, file, Range=header)
        assert answer.status_code == 206
        assert answer.getvalue() == whole[start:end]
        assert answer.headers["Content-Range"] == f"bytes {start}-{end - 1}/{file.size}"
        assert answer.headers["Content-Length"] == str(end - start)


@pytest.mark.parametrize(
    "header",
    ["bytes=0-1,5-6", "bytes=7-5", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=+1-2", "bytes=" + "9" * 5000],
)
def test_other_ranges_get_the_whole_file(file, page, header):
    answer = downloaded(page, file, Range=header)
    assert answer.status_code == 200
    assert len(answer.getvalue()) == file.size
    assert "Content-Range" not in answer.headers


@pytest.mark.parametrize("header", ["bytes=999999-", "bytes=999999-1000000", "bytes=-0"])
def test_a_range_behind_the_end_is_refused(file, page, header):
    answer = downloaded(page, file, Range=header)
    assert (answer.status_code, answer.content) == (416, b"")
    assert answer.headers["Content-Range"] == f"bytes */{file.size}"


def test_a_download_goes_on_with_the_same_file_alone(file, page):
    etag = downloaded(page, file).headers["ETag"]
    assert downloaded(page, file, **{"Range": "bytes=5-", "If-Range": etag}).status_code == 206
    for other in ('"another"', "Wed, 18 Nov 2026 12:00:00 GMT"):
        assert downloaded(page, file, **{"Range": "bytes=5-", "If-Range": other}).status_code == 200
    assert downloaded(page, prepared(page)).headers["ETag"] != etag


def test_the_head_of_a_file(file, page):
    answer = page.head(reverse("download-export", args=[file.pk]), headers={"Range": "bytes=5-9"})
    assert answer.status_code == 200
    assert answer.getvalue() == b""
    assert answer.headers["Content-Length"] == str(file.size)
    assert answer.headers["Accept-Ranges"] == "bytes"


def test_a_download_is_not_compressed_and_kept_by_no_cache(file, page):
    answer = downloaded(page, file, **{"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "identity"
    assert {"private", "no-store"} <= set(answer.headers["Cache-Control"].split(", "))


def test_each_piece_is_a_statement_of_its_own(file, page):
    pieces = iter(downloaded(page, file))
    for _ in range(2):
        with statements() as run:
            assert len(next(pieces)) == PART_BYTES
        assert ["accounts_filepart" in sql for sql in run] == [True]


# --- Whose they are ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "method"), [("prepared-export", "get"), ("download-export", "get"), ("delete-export", "post")]
)
def test_a_stranger_finds_no_file(file, stranger, client, name, method):
    address = reverse(name, args=[file.pk])
    assert getattr(freshly_signed_in(stranger), method)(address).status_code == 404
    assert getattr(client, method)(address).headers["Location"].startswith("/sign-in")
    assert StoredFile.objects.exists()


def test_a_file_that_was_uploaded_is_no_export(account, page):
    file = account.stored_files.create(name="hevy.csv", is_whole=True)
    assert downloaded(page, file).status_code == 404
    prepared(page)
    assert account.stored_files.filter(pk=file.pk).exists()


# --- Its end -----------------------------------------------------------------------------------------


def test_a_file_counts_in_the_storage_until_its_owner_deletes_it(file, page, account):
    assert file_bytes(account) == file.size > 0
    assert page.post(reverse("delete-export", args=[file.pk])).headers["Location"] == reverse("data")
    assert not StoredFile.objects.exists()
    assert not FilePart.objects.exists()
    assert file_bytes(account) == 0
    answer = page.get(reverse("prepared-export", args=[file.pk]))
    assert answer.status_code == 404
    assert "not here any more" in text(answer)


def test_a_new_file_replaces_the_one_before(file, page, account):
    newer = prepared(page, EXPORT)
    assert StoredFile.objects.get() == newer
    assert file_bytes(account) == newer.size
    assert FilePart.objects.count() == newer.parts.count()


def test_a_file_is_kept_for_a_day_after_it_was_made(large, page, account, time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    asked_for(page)
    time_machine.shift(datetime.timedelta(hours=20))
    work()
    time_machine.shift(datetime.timedelta(hours=23))
    purge()
    assert StoredFile.objects.exists()
    time_machine.shift(datetime.timedelta(hours=2))
    purge()
    assert not StoredFile.objects.exists()
    assert not FilePart.objects.exists()
    assert file_bytes(account) == 0


def test_a_file_that_is_cancelled_is_made_no_further(large, page, monkeypatch):
    address = asked_for(page)
    store_part, stored = preparing.store_part, []

    def store_and_cancel(file, content):
        store_part(file, content)
        stored.append(content)
        if len(stored) == 2:
            page.post(f"{address}/delete")

    monkeypatch.setattr(preparing, "store_part", store_and_cancel)
    work()
    assert len(stored) == 2
    assert not any(model.objects.exists() for model in (StoredFile, FilePart, Task))


def test_a_part_of_a_file_that_is_gone_is_not_stored(large, page, account):
    asked_for(page)
    file = StoredFile.objects.get()
    preparing.remove(StoredFile.objects.get())
    with pytest.raises(preparing.Removed):
        preparing.store_part(file, b"x")
    assert not FilePart.objects.exists()


def test_a_file_goes_with_its_account(file, page):
    asked_for(page)
    page.post(reverse("delete-account"), {"password": PASSWORD})
    assert not any(model.objects.exists() for model in (Account, StoredFile, FilePart, Task))


# --- Deaths, failures and bounds ---------------------------------------------------------------------


def die_at(monkeypatch, last):
    """The next worker dies before it has stored this part."""
    add_part, counted = StoredFile.add_part, itertools.count()

    def add(file, number, content):
        if next(counted) == last:
            raise KeyboardInterrupt
        add_part(file, number, content)

    monkeypatch.setattr(StoredFile, "add_part", add)
    with pytest.raises(KeyboardInterrupt):
        work()
    monkeypatch.setattr(StoredFile, "add_part", add_part)


def test_what_a_worker_has_begun_that_has_died_is_made_anew(large, page, account, monkeypatch):
    expected = downloaded(page, prepared(page)).getvalue()
    asked_for(page)
    die_at(monkeypatch, last=3)
    file = StoredFile.objects.get()
    assert (file.is_whole, file.size, file.parts.count()) == (False, 3 * PART_BYTES, 3)
    large.post("/workouts", workout(title="Meanwhile", started_at="2026-03-01T17:30:00Z"))
    work()
    file.refresh_from_db()
    assert file.is_whole
    content = downloaded(page, file).getvalue()
    assert b"Meanwhile" in content
    assert b"Meanwhile" not in expected
    assert content == page_of_now(page, account)
    assert file_bytes(account) == file.size


def page_of_now(page, account):
    return b"".join(
        exports.strong(account, exports.Choices(preparing.zone_of(account.time_zone), "kg")).pieces
    )


def test_a_file_that_was_whole_when_its_worker_died_stays(large, page, monkeypatch):
    file = prepared(page)
    Task.objects.ask(file.account_id, Task.Kind.EXPORT, file.pk)
    monkeypatch.setattr(StoredFile, "add_part", None)
    work()
    assert not Task.objects.exists()
    assert len(downloaded(page, file).getvalue()) == file.size


def test_a_file_that_fails_can_be_tried_again(large, page, monkeypatch):
    address = asked_for(page)
    Task.objects.update(failures=MAX_FAILURES, problem="ValueError: broken")
    shown = text(page.get(address))
    assert "It has failed" in shown
    assert "Try again" in shown
    assert "Not made" in text(page.get(reverse("data")))
    assert prepared(page).is_whole


def test_a_file_that_does_not_fit_is_refused_with_its_reason(large, page, account, settings):
    settings.ACCOUNT_STORAGE_MB = 1
    stored = AccountState.objects.filter(account=account)
    stored.update(stored_bytes=1_000_000 - 3 * PART_BYTES)
    file = prepared(page)
    assert not file.is_whole
    shown = text(page.get(reverse("prepared-export", args=[file.pk])))
    assert "does not fit into the 1 MB" in shown
    assert "Try again" in shown
    assert not FilePart.objects.exists()
    assert file_bytes(account) == 0
    assert not Task.objects.exists()
    stored.update(stored_bytes=0)
    assert prepared(page).is_whole


def test_the_worker_holds_its_task_while_it_reads_much_for_one_part(large, account, monkeypatch):
    monkeypatch.setattr(preparing, "KEEP_SECONDS", 0)
    monkeypatch.setattr(preparing, "PART_BYTES", 10_000_000)
    file = account.stored_files.create(name="fitness.zip", form="everything")
    kept = []
    preparing.store_all(file, lambda: kept.append(file.size))
    assert len(kept) > 10
    assert set(kept) == {0}


def test_what_is_deleted_while_a_list_is_read_is_left_out(account, filled, monkeypatch):
    monkeypatch.setattr("fitness.db.batches.ROWS_AT_ONCE", 1)
    pieces = exports.archive(account).pieces
    begun = list(itertools.takewhile(lambda piece: b"Leg day" not in piece, pieces))
    account.workouts.filter(title="Later").delete()
    rest = b"".join(pieces)
    assert begun
    assert b"Later" not in rest
    json.loads(b'{"workouts":[{}' + rest)


def test_the_old_addresses_take_nothing_else(page):
    assert page.put(EXPORT).status_code == 405
    assert exported(page)

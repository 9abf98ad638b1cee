"""The export of a health app by its own address: stored while it comes, one at a time, whatever happens."""

import io
import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.imports.models import ImportRun
from accounts.models import AccountState, FilePart, StoredFile
from accounts.models.stored_file import PART_BYTES
from fitness.site.data import importing
from tests.conftest import freshly_signed_in
from tests.factories import AccountFactory
from tests.html import text
from tests.imports.health_files import export_xml, record
from tests.imports.steps import work

pytestmark = [pytest.mark.usefixtures("autumn"), pytest.mark.each_database]

WEIGHT = record("BodyMass", "80", "kg", "2026-10-20 07:12:33 +0200")


def content(size=0):
    """An export of at least so many bytes."""
    noise = random.Random(1).randbytes(size // 2).hex()
    pieces = [f'<Me a="{noise[start : start + 50_000]}"/>' for start in range(0, len(noise), 50_000)]
    return export_xml(*pieces, WEIGHT)


def upload(page, data=None, **options):
    file = SimpleUploadedFile("export.xml", content() if data is None else data)
    return page.post(reverse("upload-large"), {"file": file, "time_zone": "Europe/Berlin"}, **options)


def nothing_is_left(account):
    counted = AccountState.objects.get(account=account).file_bytes
    return not (
        StoredFile.objects.exists() or FilePart.objects.exists() or ImportRun.objects.exists() or counted
    )


@pytest.mark.parametrize("size", [0, PART_BYTES, 3 * PART_BYTES])
def test_an_export_is_stored_in_parts_and_read(page, account, size):
    data = content(size)
    response = upload(page, data)
    assert response.status_code == 302, text(response)
    stored = StoredFile.objects.get()
    assert b"".join(stored.pieces(0, stored.size)) == data
    sizes = [len(part.content) for part in stored.parts]
    assert sizes[:-1] == [PART_BYTES] * (len(data) // PART_BYTES)
    assert AccountState.objects.get(account=account).file_bytes == len(data)
    work()
    assert "New: 1 weight" in text(page.get(response.url))
    assert not StoredFile.objects.exists()
    assert not FilePart.objects.exists()


def test_one_large_file_is_taken_at_a_time(page, account):
    with importing.alone():
        response = upload(page)
    assert response.status_code == 400
    assert "One large file is taken at a time" in text(response)
    assert nothing_is_left(account)
    assert upload(page).status_code == 302


def test_a_process_that_has_died_with_a_large_file_keeps_others_out_for_an_hour(page, time_machine):
    importing.alone().__enter__()
    time_machine.shift(3601)
    assert upload(freshly_signed_in(AccountFactory())).status_code == 302


def test_an_upload_without_the_token_of_the_page_leaves_nothing(account):
    client = Client(enforce_csrf_checks=True)
    client.force_login(account)
    assert upload(client).status_code == 403
    assert nothing_is_left(account)


def test_an_upload_that_ends_in_the_middle_leaves_nothing(page, account):
    class Body(io.BytesIO):
        def read(self, size=-1):
            if piece := super().read(size):
                return piece
            raise ConnectionResetError

    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
    body = {"wsgi.input": Body(head + b"y" * 2 * PART_BYTES), "CONTENT_LENGTH": "400000000"}
    page.raise_request_exception = False
    page.generic("POST", reverse("upload-large"), content_type="multipart/form-data; boundary=x", **body)
    assert nothing_is_left(account)


def test_a_form_without_a_file_leaves_nothing(page, account):
    response = page.post(reverse("upload-large"), {"time_zone": "UTC"})
    assert response.status_code == 400
    assert "Choose a file." in text(response)
    assert nothing_is_left(account)


def test_an_upload_beyond_the_storage_of_the_account_is_refused_unread(page, account, settings):
    settings.ACCOUNT_STORAGE_MB = 1
    response = upload(page, content(1_200_000))
    assert response.status_code == 400
    assert "the 1 MB that an account has here" in text(response)
    assert nothing_is_left(account)


def test_an_upload_beside_a_file_that_is_being_read_is_refused(page, account):
    assert upload(page).status_code == 302
    response = upload(page)
    assert response.status_code == 400
    assert "Another file of yours is being read" in text(response)
    assert StoredFile.objects.count() == 1


@pytest.mark.parametrize(
    ("path", "length", "status"),
    [
        ("/settings/data/imports/large", 501_000_001, 413),
        ("/settings/data/imports", 21_000_001, 413),
        ("/settings/data", 262_145, 413),
        ("/settings/data/imports/large", 7, 400),
    ],
)
def test_the_bound_of_large_files_is_that_of_one_address(page, path, length, status):
    body = {"content_type": "multipart/form-data; boundary=x", "CONTENT_LENGTH": str(length)}
    assert page.generic("POST", path, b"--x--\r\n", **body).status_code == status


def test_a_large_body_in_chunks_is_not_taken(page):
    chunks = {"content_type": "multipart/form-data; boundary=x", "HTTP_TRANSFER_ENCODING": "chunked"}
    address = reverse("upload-large")
    assert page.generic("POST", address, b"x" * 300_000, **chunks).status_code == 413


def test_the_address_is_for_nobody_else(client, db):
    assert upload(client).status_code in (302, 403)
    assert not StoredFile.objects.exists()

"""The upload of a file of exercises: read twice, for the preview and to store it."""

import base64
import binascii
import gzip

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from training.catalogue import CatalogueEntry
from training.catalogue.importing import BadFile, entries_of

# The preview holds the file compressed, in base64, for the request that stores it.
MAX_COMPRESSED_BYTES = settings.MAX_BODY_BYTES * 7 // 10


class UploadForm(forms.Form):
    file = forms.FileField(
        help_text="A JSON array in the layout of free-exercise-db. Compress a large file with gzip first: an "
        f"upload may have {settings.MAX_BODY_BYTES // 1024} KB, and free-exercise-db becomes 170 KB.",
    )

    entries: list[CatalogueEntry]
    packed: str  # the file as a ConfirmedUploadForm takes it

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        content = file.read()
        self.entries = entries_in(content, file.name or "The file")
        self.packed = packed(content)
        return file


class ConfirmedUploadForm(forms.Form):
    packed = forms.CharField(widget=forms.HiddenInput)

    def clean_packed(self) -> list[CatalogueEntry]:
        try:
            content = base64.urlsafe_b64decode(self.cleaned_data["packed"])
        except (binascii.Error, ValueError):
            raise ValidationError("The file is damaged; upload it again.") from None
        return entries_in(content, "The file")


def entries_in(content: bytes, name: str) -> list[CatalogueEntry]:
    try:
        return entries_of(content, name)
    except BadFile as error:
        raise ValidationError(f"{error}.") from None


def packed(content: bytes) -> str:
    compressed = content if content.startswith(b"\x1f\x8b") else gzip.compress(content)
    if len(compressed) > MAX_COMPRESSED_BYTES:
        raise ValidationError(
            f"The file has more than {MAX_COMPRESSED_BYTES // 1000} KB when it is compressed; split it, or "
            "use manage.py import_exercises."
        )
    return base64.urlsafe_b64encode(compressed).decode()

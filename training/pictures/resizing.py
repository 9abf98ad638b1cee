"""Checks and resizes a picture. Only this module imports Pillow, and only a command imports it."""

import warnings
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageOps, UnidentifiedImageError

MAX_BYTES = 10_000_000
MAX_PIXELS = 16_000_000  # that a file may unpack to: 64 MB of memory
FORMATS = ("JPEG", "PNG", "WEBP")
# Widths in pixels: of lists, where a picture is 64 wide on a screen of the highest density, and of pages.
SMALL, LARGE = 192, 640
QUALITY = 70  # of WebP: some 20 KB a picture, so that there is room for two of each of 870 exercises


class Refused(ValueError):
    """A file that is not loaded; the message says why."""


class Resized(NamedTuple):
    content: bytes
    width: int
    height: int


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

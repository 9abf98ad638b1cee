"""Helpers for tests in a real browser. Without Chromium or Playwright these tests are skipped."""

import shutil

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

in_browser = [
    pytest.mark.screens,
    pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed (Debian: apt install chromium)"),
]

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 360, "height": 740}


def overflow(screen):
    return screen.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

import threading
import time

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started

from tests.conftest import freshly_signed_in
from tests.screens.browser import DESKTOP, HEADLESS_SHELL, OPTIONS, sync_api


@pytest.fixture(scope="package")
def chromium():
    with pytest.MonkeyPatch.context() as patch, sync_api.sync_playwright() as playwright:
        # Playwright runs an event loop in the thread of the tests.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = playwright.chromium.launch(executable_path=HEADLESS_SHELL, args=OPTIONS)
        yield browser
        browser.close()


class RequestsUnderWay:
    """Counts the requests that the server of a test has begun and not ended."""

    def __init__(self):
        self.count, self.lock = 0, threading.Lock()
        request_started.connect(self.begin)
        request_finished.connect(self.end)

    def begin(self, **_):
        with self.lock:
            self.count += 1

    def end(self, **_):
        with self.lock:
            self.count -= 1

    def wait(self):
        """Returns when there is none, and none has begun for a moment."""
        deadline = time.monotonic() + 60
        idle_since = time.monotonic()
        while time.monotonic() - idle_since < 0.1:
            assert time.monotonic() < deadline, "a request does not end"
            time.sleep(0.01)
            if self.count > 0:
                idle_since = time.monotonic()

    def close(self):
        request_started.disconnect(self.begin)
        request_finished.disconnect(self.end)


@pytest.fixture(autouse=True)
def requests_end_first(live_server, transactional_db):
    """One that goes on after its test would use the database while the rows of the test are deleted."""
    requests = RequestsUnderWay()
    yield
    requests.wait()
    requests.close()


# A service worker would fetch its files in the background of every test; test_installed.py is about it.
# Playwright's own way to block it, `service_workers="block"`, writes a warning to the console.
WITHOUT_WORKERS = "delete Navigator.prototype.serviceWorker"


@pytest.fixture
def screen(chromium, live_server, transactional_db):
    """A new browser page. The test fails if its console shows an error, a warning or a blocked resource."""
    context = chromium.new_context(
        base_url=live_server.url,
        viewport=DESKTOP,
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",  # axe would see colours on their way
    )
    context.add_init_script(WITHOUT_WORKERS)
    page = context.new_page()
    messages = messages_of(page)
    yield page
    context.close()
    assert messages == []


def messages_of(page):
    """The errors and warnings that the console of a page shows from now on."""
    messages = []
    page.on("console", lambda message: message.type in ("error", "warning") and messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    return messages


@pytest.fixture
def sign_in(screen, live_server):
    """A function that signs an account in to the browser and returns the browser page."""

    def sign_in(account, page=screen):
        cookie = freshly_signed_in(account).cookies[settings.SESSION_COOKIE_NAME].value
        page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
        )
        return page

    return sign_in

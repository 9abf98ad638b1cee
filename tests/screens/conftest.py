import pytest
from django.conf import settings
from django.test import Client

from tests.screens.browser import CHROMIUM, DESKTOP, sync_api


@pytest.fixture(scope="module")
def chromium():
    with pytest.MonkeyPatch.context() as patch, sync_api.sync_playwright() as playwright:
        # Playwright runs an event loop in the thread of the tests.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        options = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@pytest.fixture
def screen(chromium, live_server, transactional_db):
    """A new browser page. The test fails if its console shows an error, a warning or a blocked resource."""
    context = chromium.new_context(
        base_url=live_server.url, viewport=DESKTOP, permissions=["clipboard-read", "clipboard-write"]
    )
    messages = []
    page = context.new_page()
    page.on("console", lambda message: message.type in ("error", "warning") and messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    yield page
    context.close()
    assert messages == []


@pytest.fixture
def sign_in(screen, live_server):
    """A function that signs an account in to the browser and returns the browser page."""

    def sign_in(account, page=screen):
        client = Client()
        client.force_login(account)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
        page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
        )
        return page

    return sign_in

"""Every page that has an address is opened in a browser by test_layout.py, or named as left out."""

import pytest
from django.urls import reverse

from fitness import urls
from tests.conftest import freshly_signed_in
from tests.html import headings, html
from tests.screens.all_screens import (
    FOR_VISITORS,
    LEFT_OUT,
    screens_of,
    somebody_with_everything,
    states_of,
)
from tests.web.test_web_guard import places_of

pytestmark = pytest.mark.each_database


@pytest.fixture
def somebody(db, monkeypatch):
    return somebody_with_everything(monkeypatch)


def pages(client):
    """The names of the addresses that answer a GET."""
    named = [one for one in urls.web if getattr(one, "name", None)]
    addresses = {one.name: reverse(one.name, kwargs=places_of(one)) for one in named}
    return {name for name, address in addresses.items() if client.get(address).status_code != 405}


def test_a_new_page_is_tried_in_a_browser_or_left_out_by_name(page, somebody):
    tried = {name for name, _ in [*screens_of(somebody), *states_of(somebody)]} | set(FOR_VISITORS)
    expected = pages(page)
    assert expected - tried == set(LEFT_OUT), "add it to all_screens.py"
    assert not tried & set(LEFT_OUT)


def test_every_page_that_is_tried_is_there(somebody):
    page = freshly_signed_in(somebody)
    for name, address in [*screens_of(somebody), *states_of(somebody)]:
        assert headings(html(page.get(address))) == 1, (name, address)


def test_a_new_account_has_every_page(page, account):
    for name, address in screens_of(account):
        assert headings(html(page.get(address))) == 1, (name, address)

"""What the proxy of a household passes on, and what it takes away from requests."""

import shutil
from urllib.request import HTTPErrorProcessor, Request, build_opener

import pytest

from tests.operations.house import running_house
from tests.server import wait_until

pytestmark = [
    pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx"),
    pytest.mark.xdist_group("household"),  # one server for all
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("household")


@pytest.fixture(scope="module")
def house(folder, prepared):
    with running_house(folder, prepared) as address:
        yield address


@pytest.mark.parametrize("path", ["/train/draft", "/train", "/settings/profile", "/api/v1/me", "/offline"])
def test_what_a_browser_sends_in_the_header_is_taken_away(house, path):
    request = Request(f"{house}{path}", headers={"Remote-Email": "ada@example.org"})
    answer = build_opener(ErrorsAreAnswers).open(request)
    assert "session" not in str(answer.headers.get_all("Set-Cookie"))
    assert answer.status in (200, 302, 401)


def test_programs_reach_the_pictures_that_the_api_names(house):
    answer = build_opener(ErrorsAreAnswers).open(f"{house}/images/none.webp")
    assert (answer.status, answer.read()) == (404, b"There is no such picture.")


def test_no_log_holds_the_address_of_a_calendar(house, folder):
    for path in ("/calendar/secret.ics", "/healthz"):
        build_opener(ErrorsAreAnswers).open(f"{house}{path}").read()
    log = folder / "access.log"
    wait_until(lambda: "/healthz" in log.read_text(), within=10)  # it follows the answer
    assert "secret" not in log.read_text()


class ErrorsAreAnswers(HTTPErrorProcessor):
    def http_response(self, request, response):
        return response

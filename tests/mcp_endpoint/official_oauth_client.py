"""Connects the official client, of either of its major versions, by OAuth; run by test_official_oauth.

Reads tasks, each a line of JSON, {url, mode, email, password, steps}. It carries out the steps one after the
other with one storage of tokens, each with a new client, as after a restart of the program:

    {"choose": "read" | "read_write" | null, "calls": [[tool, arguments]], "age": seconds}

`choose` is what the person allows if the client opens the browser, `age` by how much the tokens seem older.
Writes, for each step, {"opened": addresses the browser was sent to, "version", "results"}, or {error}.
"""

import asyncio
import html
import http.cookiejar
import re
import time
import urllib.error
import urllib.parse
import urllib.request

from official_client import FIRST, carry_out_tasks, connected

CALLBACK = "http://127.0.0.1:49200/callback"


class StopAtCallback(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request, file, code, message, headers, address):
        if address.startswith(CALLBACK):
            raise Arrived(address)
        return super().redirect_request(request, file, code, message, headers, address)


class Arrived(Exception):
    def __init__(self, address):
        self.query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


class Person:
    """Signs in and decides, with a browser that keeps cookies."""

    def __init__(self, email, password):
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.browser = urllib.request.build_opener(jar, StopAtCallback)
        self.email, self.password = email, password
        self.opened = []
        self.choice = None

    def open(self, address, **values):
        data = urllib.parse.urlencode(values).encode() if values else None
        request = urllib.request.Request(address, data, {"Referer": address} if values else {})
        with self.browser.open(request, timeout=30) as response:
            return response.url, response.read().decode()

    def decide(self, address):
        """What the browser brings back to the program."""
        self.opened.append(address)
        here, page = self.open(address)
        try:
            if "/sign-in" in here:
                here, page = self.submit(here, page, username=self.email, password=self.password)
            self.submit(here, page, scope=self.choice, expires="1y", decision="connect")
        except Arrived as arrived:
            return arrived.query
        raise AssertionError(f"the browser stayed at {here}: {page}")

    def submit(self, here, page, **values):
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
        follow = re.search(r'name="next" value="([^"]+)"', page)
        hidden = {"next": html.unescape(follow[1])} if follow and "/sign-in" in here else {}
        return self.open(here, csrfmiddlewaretoken=token, **hidden, **values)


class Storage:
    def __init__(self):
        self.tokens = self.client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


def provider(url, storage, person, age):
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import OAuthClientMetadata

    brought = {}

    async def open_browser(address):
        brought.update(await asyncio.to_thread(person.decide, address))

    async def come_back():
        if FIRST:
            return brought["code"], brought.get("state")
        from mcp.client.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(
            code=brought["code"], state=brought.get("state"), iss=brought.get("iss")
        )

    asked = OAuthClientMetadata(client_name="Official client", redirect_uris=[CALLBACK])
    made = OAuthClientProvider(url, asked, storage, open_browser, come_back)
    if age:
        made.context.token_expiry_time = time.time() - age
    return made


async def carry_out(step, url, mode, person, storage):
    person.opened, person.choice = [], step["choose"]
    auth = provider(url, storage, person, step.get("age"))
    async with connected(url, mode, auth=auth) as (client, agreed):
        results = [await client.call_tool(tool, arguments) for tool, arguments in step["calls"]]
    return {
        "opened": person.opened,
        "version": agreed,
        "results": [result.model_dump(by_alias=True, mode="json") for result in results],
        "tokens": storage.tokens.model_dump(mode="json"),
        "client_id": storage.client_info.client_id,
    }


async def main(url, mode, email, password, steps):
    person, storage = Person(email, password), Storage()
    return [await carry_out(step, url, mode, person, storage) for step in steps]


carry_out_tasks(main)

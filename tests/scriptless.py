"""A browser without scripts, in the process of the test: follows links and sends forms as pages have them."""

from html.parser import HTMLParser
from urllib.parse import urljoin

from django.test import Client

from tests.html import text


class Scriptless:
    """A browser that shows one page. Links and buttons are found by what people read or hear there.

    It follows the redirects of the service; one to another site stays its `response`.
    """

    def __init__(self, client=None):
        self.client = client or Client()
        self.client.handler.enforce_csrf_checks = True

    def goto(self, address):
        self.show(address, self.client.get(address))
        return self

    def follow(self, name):
        """Follows the last link with this name: those of the navigation come before those of the content."""
        addresses = [link.given["href"] for link in self.page.links if link.name == name]
        assert addresses, f"{self.address} has no link {name}"
        self.goto(urljoin(self.address, addresses[-1]))

    def press(self, name, /, **typed):
        """Sends the form with this button, and with what was typed or chosen in its fields."""
        forms = [form for form in self.page.forms if name in form.buttons]
        assert forms, f"{self.address} has no button {name}"
        form, button = forms[0], forms[0].buttons[name]
        assert typed.keys() <= form.fields.keys()
        sent = {name: value for name, value in form.fields.items() if value is not None}
        if "name" in button:
            sent[button["name"]] = button.get("value", "")
        address = urljoin(self.address, form.given.get("action") or self.address)
        method = self.client.post if form.given.get("method") == "post" else self.client.get
        self.show(address, method(address, {**sent, **typed}))

    def show(self, address, response):
        while response.status_code == 302 and response.url.startswith("/"):
            address, response = response.url, self.client.get(response.url)
        self.address, self.response = address, response

    @property
    def page(self):
        assert self.response.status_code == 200
        return Page(text(self.response))

    def shows(self, words):
        return words in self.page.name


class Element:
    """An element: its attributes, and its name, which is what people read or hear there."""

    def __init__(self, given=()):
        self.given, self.words = dict(given), []

    @property
    def name(self):
        return self.given.get("aria-label") or " ".join("".join(self.words).split())


class Form(Element):
    """What it sends unchanged as `fields`, None for what is not chosen; hidden, its buttons need scripts."""

    def __init__(self, given):
        super().__init__(given)
        self.fields, self.submits = {}, []

    @property
    def buttons(self):
        """{name: attributes}"""
        return {button.name: button.given for button in self.submits}


class Page(HTMLParser, Element):
    def __init__(self, html):
        HTMLParser.__init__(self)
        Element.__init__(self)
        self.links, self.forms = [], []
        self.form, self.open = Form({}), {}
        self.feed(html)

    def handle_starttag(self, tag, given):
        if tag == "form":
            self.form = Form(given)
            self.forms += [] if "hidden" in self.form.given else [self.form]
        elif tag in ("a", "button", "textarea"):
            self.open[tag] = Element(given)
        elif tag == "select":
            self.open["select"] = Element(given)
            self.form.fields[dict(given)["name"]] = None
        elif tag == "option":
            self.take_option(dict(given))
        elif tag == "input":
            self.take_input(Element(given))

    def handle_endtag(self, tag):
        if tag == "form":
            self.form = Form({})
        element = self.open.pop(tag, None)
        if tag == "a" and "href" in element.given:
            self.links.append(element)
        elif tag == "button" and element.given.get("type", "submit") == "submit":
            self.form.submits.append(element)
        elif tag == "textarea":
            self.form.fields[element.given["name"]] = "".join(element.words).removeprefix("\n")

    def handle_data(self, words):
        for element in (self, *self.open.values()):
            element.words.append(words)

    def take_option(self, given):
        name = self.open["select"].given["name"]
        if "selected" in given or self.form.fields[name] is None:
            self.form.fields[name] = given.get("value", "")

    def take_input(self, element):
        name, kind = element.given.get("name"), element.given.get("type", "text")
        value = element.given.get("value", "on" if kind in ("checkbox", "radio") else "")
        if kind == "submit":
            element.words.append(value)
            self.form.submits.append(element)
        elif name and kind in ("checkbox", "radio"):
            self.form.fields.setdefault(name, None)
            if "checked" in element.given:
                self.form.fields[name] = value
        elif name:
            self.form.fields[name] = value

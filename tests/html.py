"""Helpers for tests of screens."""

import re

MARKUP = '<script>alert("x")</script>{{7*7}}\u202e'


def text(response):
    return response.content.decode()


def form_of(response):
    """The values that the form of a screen would send unchanged."""
    form = response.context["form"]
    return {name: form[name].value() or "" for name in form.fields}


def errors(response):
    """{field: the first of its errors} of the form of a screen."""
    assert response.status_code == 200
    return {name: str(messages[0]) for name, messages in response.context["form"].errors.items()}


def holds_markup_as_text(html):
    return "<script>alert" not in html and "{{7*7}}" in html


def headings(html):
    return len(re.findall(r"<h1[ >]", html))

"""Helpers for tests of screens."""

import re

MARKUP = '<script>alert("x")</script>{{7*7}}\u202e'


def text(response):
    return response.content.decode()


def html(response):
    """The page of a good answer, with apostrophes as people see them."""
    assert response.status_code == 200
    return text(response).replace("&#x27;", "'")


def signed_in(client):
    return "_auth_user_id" in client.session


def plain(html):
    """The words of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


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


def forms_of(html, button):
    """The values in the forms that start a workout by a button with exactly this name, one dict a form."""
    forms = re.findall(r'<form method="post" action="/train/start">(.*?)</form>', html, re.S)
    assert all("csrfmiddlewaretoken" in form for form in forms)
    return [
        dict(re.findall(r'name="(routine|plan|day|workout)" value="([^"]+)"', form))
        for form in forms
        if re.search(rf"<button[^>]*>{button}</button>", form)
    ]

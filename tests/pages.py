"""Lists of the API, read to their end, and the form of the settings."""

from itertools import chain

from django.urls import reverse


def pages_of(api, path, name, **query):
    """The items of a list, a page at a time."""
    cursor = {}
    while cursor is not None:
        page = api.get(path, **query, **cursor).json()
        yield page[name]
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None


def items_of(api, path, name, limit=100, **query):
    return list(chain.from_iterable(pages_of(api, path, name, limit=limit, **query)))


def save_settings(page, **chosen):
    """The answer to the form of the settings, sent as it is but for what is `chosen`."""
    form = page.get(reverse("profile")).context["form"]
    stored = {field.html_name: field.value() for field in form}
    return page.post(
        reverse("profile"), {name: "" if value is None else value for name, value in stored.items()} | chosen
    )

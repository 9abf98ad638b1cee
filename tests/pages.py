"""Lists of the API, read to their end."""

from itertools import chain


def pages_of(api, path, name, **query):
    """The items of a list, a page at a time."""
    cursor = {}
    while cursor is not None:
        page = api.get(path, **query, **cursor).json()
        yield page[name]
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None


def items_of(api, path, name, limit=100, **query):
    return list(chain.from_iterable(pages_of(api, path, name, limit=limit, **query)))

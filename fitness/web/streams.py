"""Responses that are made while they are sent."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from django.http.response import HttpResponseBase

P = ParamSpec("P")


def in_one_thread(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """For a view whose response reads by a cursor of the database, which belongs to the thread's connection.

    The server makes the rest of other responses in whichever thread is free once the client has taken the
    first part (fitness/server.py). With this one a slow reader holds its thread.
    """

    @wraps(view)
    def marked(*arguments: P.args, **named: P.kwargs) -> HttpResponseBase:
        response = view(*arguments, **named)
        response.in_one_thread = True  # type: ignore[attr-defined]
        return response

    return marked

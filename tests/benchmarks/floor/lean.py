"""The floor as an application: its views behind Django's Security and Common middleware.

It has none of what the service adds to every request: its log line, its metrics, its connection.
"""

from django.core.cache import close_caches
from django.core.handlers.wsgi import WSGIHandler
from django.db import close_old_connections, reset_queries
from django.test import override_settings

PREFIX = "/lean"
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"]


class Lean:
    """The WSGI application of the floor."""

    def __init__(self):
        with override_settings(MIDDLEWARE=MIDDLEWARE):
            self.handler = WSGIHandler()

    def __call__(self, environ, start_response):
        # As Django comes: the service is spared these (fitness/apps.py).
        reset_queries()
        close_old_connections()
        response = self.handler(environ, start_response)
        response._resource_closers.append(close_caches)
        return response

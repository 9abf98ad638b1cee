"""The service's gunicorn class with a short patience, for tests of slow clients."""

from importlib import import_module

from fitness import server


class ThreadedServer(server.ThreadedServer):
    head_seconds = 1
    pause_seconds = 2
    body_seconds = 3
    send_seconds = 2

    def load_wsgi(self):
        super().load_wsgi()
        unstored = import_module("accounts.unstored")  # needs Django, which the parent process never loads
        unstored.MINUTE_SECONDS = 0.1


class FrugalServer(server.ThreadedServer):
    max_parked_bytes = 30_000_000

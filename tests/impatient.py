"""The service's gunicorn class with a short patience, for tests/operations/test_heads.py."""

from fitness import server


class ThreadedServer(server.ThreadedServer):
    head_seconds = 1

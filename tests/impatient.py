"""The service's gunicorn class with a short patience, for tests of slow clients."""

from fitness import server


class ThreadedServer(server.ThreadedServer):
    head_seconds = 1
    pause_seconds = 1
    body_seconds = 3
    send_seconds = 1
    max_parked_bytes = 30_000_000

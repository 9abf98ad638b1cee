"""gunicorn's worker with a short patience, for tests/operations/test_heads.py."""

from fitness import worker


class Worker(worker.Worker):
    head_seconds = 1

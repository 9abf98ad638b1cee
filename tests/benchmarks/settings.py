"""The service's settings, with the floor's URLs, the benchmark's clock, and logs to /dev/null."""

import os
import sys

from django.utils import timezone

from tests.benchmarks import clock

# Django REST framework imports these where they are. Those who run the service have none of them.
sys.modules.update(dict.fromkeys(["jinja2", "pygments", "requests"]))
timezone.now = clock.now

from fitness.settings import *  # noqa: E402, F403
from fitness.settings import DATABASES, LOGGING  # noqa: E402

ROOT_URLCONF = "tests.benchmarks.urls"
LOGGING["handlers"]["stderr"]["stream"] = open(os.devnull, "w")  # noqa: SIM115 (stays open as long as the process runs)
if "options" in DATABASES["default"].get("OPTIONS", {}):
    # On PostgreSQL without parallel workers: they end with their query, and their CPU time would be missed.
    DATABASES["default"]["OPTIONS"]["options"] += " -c max_parallel_workers_per_gather=0"

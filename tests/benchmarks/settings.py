"""The service's settings, with the floor's URLs, and logs to /dev/null."""

import os
import sys

# Django REST framework imports these where they are. Those who run the service have none of them.
sys.modules.update(dict.fromkeys(["jinja2", "pygments", "requests"]))

from fitness.settings import *  # noqa: E402, F403
from fitness.settings import LOGGING  # noqa: E402

ROOT_URLCONF = "tests.benchmarks.urls"
LOGGING["handlers"]["stderr"]["stream"] = open(os.devnull, "w")  # noqa: SIM115 (stays open as long as the process runs)

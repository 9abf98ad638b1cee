"""The service's settings, with the floor's URLs, and logs to /dev/null."""

import os

from fitness.settings import *  # noqa: F403
from fitness.settings import LOGGING

ROOT_URLCONF = "tests.benchmarks.urls"
LOGGING["handlers"]["stderr"]["stream"] = open(os.devnull, "w")  # noqa: SIM115 (stays open as long as the process runs)

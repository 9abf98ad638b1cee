"""The service's settings, with the floor beside the service, and logs that go nowhere."""

import os

from fitness.settings import *  # noqa: F403
from fitness.settings import LOGGING

ROOT_URLCONF = "tests.benchmarks.urls"
LOGGING["handlers"]["stderr"]["stream"] = open(os.devnull, "w")  # noqa: SIM115 (for as long as it runs)

"""Sets the clock to NOW. Python imports this module at its start if its folder is in PYTHONPATH."""

import datetime
import os

import time_machine

time_machine.travel(datetime.datetime.fromisoformat(os.environ["NOW"]), tick=True).start()

"""Python imports this module at its start where PYTHONPATH names its folder; it sets the clock to NOW."""

import datetime
import os

import time_machine

time_machine.travel(datetime.datetime.fromisoformat(os.environ["NOW"]), tick=True).start()

"""Where a request spends its time in Python: `python -m tests.benchmarks.hot_spots "get one,POST 24 sets"`.

Prints the calls of functions, which are the same on every machine, and the shares of the parts that do not
contain each other. What is missing to 100 % is dispatch: Django's layers between the parts.
"""

import cProfile
import pstats
import sys

from tests.benchmarks import database

REQUESTS = 500
# (file, function) of each part.
PARTS = {
    "the key": ("accounts/models/api_key.py", "look_up"),
    "limits": ("fitness/api/rate_limits.py", "count"),
    "the log line": ("logging/__init__.py", "log"),
    "the address": ("django/core/handlers/base.py", "resolve_request"),
    "reading what the path names": ("fitness/api/viewsets.py", "read_path"),
    "the query": ("fitness/api/viewsets.py", "read_query"),
    "the body": ("fitness/api/viewsets.py", "read_body"),
    "storing": ("training/models/workout.py", "log"),
    "a page": ("fitness/db/keysets.py", "page_of"),
    "rendering": ("fitness/api/renderers.py", "render"),
    "the end of the request": ("django/http/response.py", "close"),
    "the template of a screen": ("django/template/backends/django.py", "render"),
    "the session": ("django/contrib/auth/__init__.py", "get_user"),
}
STATEMENTS = ("django/db/backends/utils.py", "execute")  # within the parts


def profile(application, call):
    """The pstats.Stats of REQUESTS calls."""
    send(application, call, REQUESTS)
    profiler = cProfile.Profile()
    profiler.runcall(send, application, call, REQUESTS)
    return pstats.Stats(profiler)


def share(stats, part):
    """The part of the whole time that is spent in a function, in percent."""
    file, function = part
    seconds = (
        cumulative
        for (path, _, name), (_, _, _, cumulative, _) in stats.stats.items()
        if name == function and path.endswith(file)
    )
    return 100 * max(seconds, default=0) / stats.total_tt


def report(name, stats):
    shares = {label: share(stats, part) for label, part in PARTS.items()}
    texts = [f"{label} {percent:.0f} %" for label, percent in shares.items() if percent >= 1]
    rest = f"dispatch {100 - sum(shares.values()):.0f} %"
    statements = f"(statements {share(stats, STATEMENTS):.0f} %)"
    print(f"{name}: {stats.total_calls / REQUESTS:,.0f} calls;", ", ".join([*texts, rest]), statements)


if __name__ == "__main__":
    with database.ready():
        from tests.benchmarks import data
        from tests.benchmarks.calls import Athlete
        from tests.benchmarks.growth import screens
        from tests.benchmarks.measure import InProcess, send
        from tests.benchmarks.requests import of_other_records, of_training

        athlete = Athlete(data.accounts()[1])
        calls = of_training(athlete) | of_other_records(athlete) | screens(athlete)
        names = sys.argv[1].split(",") if sys.argv[1:] else ["get one", "list 25", "POST 24 sets"]
        try:
            for name in names:
                report(name, profile(InProcess(), calls[name]))
        finally:
            athlete.delete_added()

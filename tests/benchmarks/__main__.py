"""`make bench`: CPU time of requests, compared with bare Django views, on the server of DATABASE_URL."""

import argparse

from tests.benchmarks import database, report

parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
parser.add_argument("--only", default="", help="only rows with one of these in their name: list,get one,...")
parser.add_argument("--skip", help="no rows with one of these in their name")
parser.add_argument("--rounds", type=int, default=15, help="how often the two calls of a row alternate (15)")
parser.add_argument("--seconds", type=int, default=4, help="duration of each throughput measurement (4)")
parser.add_argument("--markdown", action="store_true", help="only print the tables of previous runs")
arguments = parser.parse_args()


def is_selected(name):
    return contains_any(name, arguments.only) and not (arguments.skip and contains_any(name, arguments.skip))


def contains_any(name, parts):
    return any(part.strip() in name for part in parts.split(","))


if arguments.markdown:
    print(report.markdown())
else:
    with database.ready():
        from tests.benchmarks.run import run

        run(is_selected, arguments.rounds, arguments.seconds)

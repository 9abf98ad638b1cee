"""`make bench`: what requests cost, held to the bounds in force, on the server of DATABASE_URL or SQLite."""

import argparse

from tests.benchmarks import database

parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
parser.add_argument("--only", default="", help="only rows with one of these in their name: list,get one,...")
parser.add_argument("--rounds", type=int, default=15, help="how often the calls of a row alternate (15)")
arguments = parser.parse_args()


def is_selected(name):
    return any(part.strip() in name for part in arguments.only.split(","))


with database.ready():
    from tests.benchmarks.run import run

    run(is_selected, arguments.rounds)

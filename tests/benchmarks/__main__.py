"""`make bench`: what requests cost against a bare floor, on the database that DATABASE_URL names."""

import argparse

from tests.benchmarks import database, report

parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
parser.add_argument("--only", default="", help="parts of names of rows, such as: list,get one,throughput")
parser.add_argument("--skip", help="the same, of rows to leave out")
parser.add_argument("--rounds", type=int, default=15, help="turns of each of two calls (15)")
parser.add_argument("--seconds", type=int, default=4, help="of each measurement of throughput (4)")
parser.add_argument("--markdown", action="store_true", help="only print the tables of all runs so far")
arguments = parser.parse_args()


def wanted(name):
    return names(arguments.only, name) and not (arguments.skip and names(arguments.skip, name))


def names(texts, name):
    return any(text.strip() in name for text in texts.split(","))


if arguments.markdown:
    print(report.markdown())
else:
    with database.turn():
        database.use_own_database()

        import django

        django.setup()

        from tests.benchmarks.run import run  # needs Django

        run(wanted, arguments.rounds, arguments.seconds)

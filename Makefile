# Two commands for newcomers: `make run` serves, `make test` tests. Both set up what they need.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test faults lint format audit bench pictures

run: .venv/.installed
	@$(BIN)/python manage.py prepare
	@exec $(BIN)/gunicorn

# On SQLite always; on the servers that DATABASE_URL and REDIS_URL name where they are set.
test: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest
	if [ -n "$$DATABASE_URL" ]; then $(BIN)/python -m pytest; fi

# Kills and starves services of its own, on SQLite and on a PostgreSQL and Redis that it starts itself;
# single statements fail on the database that DATABASE_URL names as well.
faults: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest -m faults
	if [ -n "$$DATABASE_URL" ]; then $(BIN)/python -m pytest -m faults -k 'operations or tools'; fi

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/vulture
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null

format: .venv/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Known vulnerabilities of what is installed; passes where the advisories cannot be reached.
audit: .venv/.installed-dev
	$(BIN)/python .ci/audit

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.installed: requirements.txt | .venv/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.installed-dev: requirements.txt requirements-dev.txt | .venv/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch .venv/.installed $@

# What requests cost, as ratios. The goals are for counters in the process; Redis is measured on its own.
BENCH := $(BIN)/python -m tests.benchmarks

bench: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BENCH)
	if [ -n "$$DATABASE_URL" ]; then env -u REDIS_URL $(BENCH) --skip throughput; fi
	if [ -n "$$DATABASE_URL" ]; then $(BENCH) --only "rate limits,list 25,get one,POST 24 sets,throughput"; fi
	$(BENCH) --markdown

# The pictures of the screens in docs/pictures, of a service and a demo account of their own.
pictures: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m tests.screens.pictures

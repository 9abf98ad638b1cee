# Two commands for newcomers: `make run` serves, `make test` tests. Both set up what they need.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint format bench

run: .venv/.installed
	@$(BIN)/python manage.py prepare
	@exec $(BIN)/gunicorn

# On SQLite always; on the servers that DATABASE_URL and REDIS_URL name where they are set.
test: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest
	if [ -n "$$DATABASE_URL" ]; then $(BIN)/python -m pytest; fi

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null

format: .venv/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.installed: requirements.txt | .venv/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.installed-dev: requirements.txt requirements-dev.txt | .venv/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch .venv/.installed $@

# Prints ratios; on the database that DATABASE_URL names, or on a SQLite file of its own.
bench: export DATABASE_URL ?= sqlite:///$(CURDIR)/var/bench.sqlite3
bench: export LOG_LEVEL = ERROR
bench: .venv/.installed-dev
	$(BIN)/python manage.py migrate --verbosity 0
	$(BIN)/python manage.py load_catalogue
	$(BIN)/python -m tests.benchmarks.growth

# Two commands for newcomers: `make run` serves, `make test` tests. Both set up what they need.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test e2e moments newer cluster distribution corpus planted faults large lint format audit sbom requirements pin-images bench pictures icons messages

run: .venv/.installed
	@echo "Preparing the database and the pages"
	@PATH="$(CURDIR)/$(BIN):$$PATH" exec docs/operations/serve

# Not again on a server, though they speak to the database: what is decided before a statement, what is said of its
# rows, or what repeats others'. `make test ONCE=` runs them, too. What speaks to no database, or goes through pages,
# leaves itself out there (tests/conftest.py).
ONCE ?= $(patsubst %,tests/%.py,imports/test_archive_properties imports/test_round_trips training/imports/test_names \
	$(addprefix mcp_endpoint/test_,http jsonrpc parity wrong_calls prompts lines ui tools corrections brief targets) \
	api/test_wire site/test_seed_demo training/test_pictures accounts/test_header \
	$(addprefix web/test_,translated_screens web_guard local_time language) $(addprefix accounts/oidc/test_,around sign_in))

# Tests wait for servers and browsers: three on two cores left these idle for a seventh of the time of tests/screens.
# Others wait for nothing, and each further process takes ten seconds of CPU to read all files and to copy a database.
e2e faults: export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell expr $$(nproc) \* 2)

# Where bytecode is not kept, each process of a run compiles all files again: ten seconds of each of pytest's.
unexport PYTHONDONTWRITEBYTECODE

# Apart from the data of `make run`, which may be on another database: a command that finds SQLite then would refuse.
test e2e moments newer cluster faults large lint: export DATA_DIR := $(CURDIR)/var/tests

# What needs no browser, proxy, foreign client, provider or server of its own. On SQLite always; what speaks to the
# database also on the servers that DATABASE_URL and REDIS_URL name, where they are set.
test: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest
	if [ -n "$$DATABASE_URL" ]; then $(BIN)/python -m pytest $(addprefix --ignore=,$(ONCE)); fi

# What starts these: each is skipped where its program is missing. On a server, what is about several connections,
# backups, and concurrent clients.
e2e: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest -m e2e
	if [ -n "$$DATABASE_URL" ]; then \
		$(BIN)/python -m pytest -m e2e tests/db tests/site tests/operations/test_live_server.py; fi

# The tests that know days, at moments at which days, months, years and clocks change. `--at` is when they take place.
MOMENTS := 2026-11-23T20:43:00Z 2026-12-31T23:59:30Z 2027-02-28T23:59:30Z 2027-03-28T00:59:30Z 2028-02-29T00:00:10Z
KNOW_DAYS := $(patsubst %,tests/%.py,site/test_home web/test_local_time site/test_desk supplements/test_web \
	nutrition/test_web body/test_web body/test_forecast accounts/test_key_days \
	$(addprefix training/test_,find progress_page query_plans stats)) -k "not naive"

moments: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest -n0 $(KNOW_DAYS) --at $(MOMENTS)

# A part of the suite on a newer Python, that of the image.
NEWER ?= python3.13

newer: requirements-dev.txt
	$(NEWER) -m venv .venv-newer
	.venv-newer/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	env -u DATABASE_URL -u REDIS_URL .venv-newer/bin/python -m pytest -m "not faults and not large" \
		tests/operations/test_live_server.py tests/training/test_workouts.py tests/mcp_endpoint/test_tools.py

# On a throw-away Citus cluster, where Citus is installed: all that speaks to the database, for minutes.
# DISTRIBUTION is what a cluster can do otherwise than one server.
DISTRIBUTION := $(patsubst %,tests/%.py,db/test_citus db/test_owned api/test_isolation api/test_vanished \
	api/test_idempotency accounts/test_oauth site/test_deletion site/test_worker imports/test_import_pages \
	training/test_merged_exercises training/test_own_exercises training/test_workouts)
CLUSTER_TESTS ?= tests

cluster: .venv/.installed-dev
	env -u DATABASE_URL $(BIN)/python -m tests.citus $(BIN)/python -m pytest $(CLUSTER_TESTS)

distribution:
	$(MAKE) cluster CLUSTER_TESTS="$(DISTRIBUTION)"

# What BASE, a commit, answers to the requests of tests/corpus, and what this checkout does: prints what differs and is
# not named in tests/corpus/differs.toml. Both run with the packages that are installed here, on DATABASE_URL or SQLite.
BASE ?= HEAD
BEFORE := var/corpus/base

corpus: .venv/.installed-dev
	mkdir -p var/corpus
	if [ -e $(BEFORE) ]; then git worktree remove --force $(BEFORE); fi
	git worktree add --quiet --detach $(BEFORE) $(BASE)
	rm -rf $(BEFORE)/tests/corpus && cp -R tests/corpus $(BEFORE)/tests/corpus
	cd $(BEFORE) && $(CURDIR)/$(BIN)/python -m tests.corpus record $(CURDIR)/var/corpus/before.jsonl
	git worktree remove --force $(BEFORE)
	$(BIN)/python -m tests.corpus record var/corpus/after.jsonl
	$(BIN)/python -m tests.corpus compare var/corpus/before.jsonl var/corpus/after.jsonl

# Whether a test notices forty faults that are planted in the code, one at a time (tests/planted).
planted: .venv/.installed-dev
	$(BIN)/python -m tests.planted

# Kills and starves services of its own, on SQLite and on a PostgreSQL and Redis that it starts itself; single
# statements of operations and forms fail on the database that DATABASE_URL names as well. Most of the time they wait.
faults: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest -m faults tests/faults
	if [ -n "$$DATABASE_URL" ]; then \
		$(BIN)/python -m pytest -m faults -k 'operations or forms' tests/faults/test_failing_statements.py; fi

# At full size, 5,000 accounts and 100,000 workouts, or at LARGE_SHARE of it: some minutes. Prints what it measured.
large: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m pytest -m large -n0 tests/large
	if [ -n "$$DATABASE_URL" ]; then $(BIN)/python -m pytest -m large -n0 tests/large; fi

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

# What the service is made of, as CycloneDX: each package of requirements.txt with its version and hashes.
SBOM ?= sbom.cdx.json

sbom: .venv/.installed-dev
	$(BIN)/python -W ignore -m cyclonedx_py requirements --pyproject pyproject.toml --output-reproducible \
		--output-file $(SBOM) requirements.txt

# Writes the digests of the images of compose to .env, so that the machine runs these and no others.
pin-images:
	docs/operations/pin-images

.venv/bin/python:
	@echo "Making the environment in .venv"
	@$(PYTHON) -m venv .venv

# pip refuses a file whose hash is not in the list, and a package that the list does not pin.
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes

.venv/.installed: requirements.txt | .venv/bin/python
	@echo "Installing $$(grep -c == $<) packages: about a minute, this time alone"
	@$(PIP_INSTALL) -r requirements.txt
	@touch $@

.venv/.installed-dev: requirements-dev.txt | .venv/bin/python
	$(PIP_INSTALL) -r requirements-dev.txt
	@touch .venv/.installed $@

# Writes both lists anew from requirements.in and requirements-dev.in, for every Python and platform. Versions stay as
# they are where they can; UPGRADE=--upgrade takes the newest that the .in files allow.
COMPILE := UV_CUSTOM_COMPILE_COMMAND="make requirements" $(BIN)/uv pip compile --quiet --universal \
	--python-version 3.11 --generate-hashes --no-emit-index-url $(UPGRADE)

requirements:
	$(COMPILE) --output-file requirements.txt requirements.in
	$(COMPILE) --constraint requirements.txt --output-file requirements-dev.txt requirements-dev.in

# What requests cost, as ratios, with counters in the process.
BENCH := env -u REDIS_URL $(BIN)/python -m tests.benchmarks

bench: .venv/.installed-dev
	env -u DATABASE_URL $(BENCH)
	if [ -n "$$DATABASE_URL" ]; then $(BENCH); fi

# What screens say, into locale/: collects texts, compiles translations. For another language, name it in LANGUAGES
# (fitness/settings.py) and in `L`, with its formats in fitness/formats/. Needs GNU gettext.
L := -l de -l es -l fr
COLLECT := $(BIN)/python manage.py makemessages $(L) --no-obsolete --no-wrap --add-location file --ignore .venv \
	--ignore tests --ignore var --ignore docs --ignore mcp_endpoint --ignore vendor --ignore words

messages: .venv/.installed-dev
	$(COLLECT) --extension html,txt,py
	$(COLLECT) --domain djangojs
	$(BIN)/python manage.py compilemessages --ignore .venv --verbosity 0
	$(BIN)/python manage.py script_words

# The pictures of the screens in docs/pictures, of a service and a demo account of their own.
pictures: .venv/.installed-dev
	env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m tests.screens.pictures

# The icons of the installed app, drawn from fitness/web/static/logo.svg.
icons: .venv/.installed-dev
	$(BIN)/python -m tests.screens.icons

# Two commands do all set-up: `make compile` and `make test`. Each makes .venv/ from nothing.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: compile test check lint types servers servers-newest e2e bench clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m compileall -q compiler/stowplan
	@touch $(STAMP)

compile: $(STAMP)  ## compile fleet/ into rendered/
	$(BIN)/stowplan compile

test: $(STAMP)  ## lint, types, and tests under two hash seeds
	$(BIN)/ruff format --check --quiet compiler tests
	$(BIN)/ruff check --quiet compiler tests
	$(BIN)/mypy
	tests/seeds $(BIN)
	@$(BIN)/python -c "import json; print('branch coverage, per cent: %.1f' % json.load(open('.coverage.json'))['summary']['percent_covered'])"
	@echo "not run here: the end-to-end tests against real servers; make e2e builds the servers (needs Go) and runs them"

servers: $(STAMP)  ## build the real servers of the end-to-end tests, once
	tests/e2e/servers/build

servers-newest: servers  ## build the newest Kueue too, which STOWPLAN_KUEUE=0.19 chooses for a run
	tests/e2e/servers/build kueue-0.19

e2e: servers  ## the end-to-end tests against real servers
	$(BIN)/pytest -q tests/e2e

bench: $(STAMP)  ## time a compile of the reference fleet, as ratios
	$(BIN)/python tests/bench/bench.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .coverage*

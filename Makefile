# `make sweep [KEYS="..."]` runs the main job on the embedded engine; `make test` runs everything. Each sets up what it
# needs; a machine needs Python 3.11 or newer and git.
SHELL := /bin/bash
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.9
KEYS ?= tiny-*
UV := .cache/uv-$(UV_VERSION)/bin/uv
INSTALL := UV_LINK_MODE=hardlink $(UV) pip install --quiet --python $(BIN)/python --compile-bytecode --overrides overrides.txt

.PHONY: help setup setup-dev sweep test lint types unit perf clean

help:
	@echo "make sweep [KEYS='tiny-*']  plan, serve, measure and report on this machine, no GPU needed"
	@echo "make test                   lint, types, tests, and a small real sweep"
	@echo "make perf                   print the speed of the scripts, of planning and of a sweep"

# uv itself comes from PyPI, into a small environment of its own.
$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "SweepGate needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .cache/uv-$(UV_VERSION)
	.cache/uv-$(UV_VERSION)/bin/python -m pip --quiet --disable-pip-version-check install uv==$(UV_VERSION)

$(VENV)/.installed: requirements.txt overrides.txt | $(UV)
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	$(INSTALL) -r requirements.txt
	touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	$(INSTALL) -r requirements.txt -r requirements-dev.txt
	touch $@

setup: $(VENV)/.installed
setup-dev: $(VENV)/.installed-dev

# noglob: patterns among the keys are for the catalogue, not for the shell.
sweep: setup
	@set -o noglob; $(BIN)/python scripts/sweep.py $(KEYS)

test: lint types unit

lint: setup-dev
	$(BIN)/ruff format --check scripts tests benchmarks
	$(BIN)/ruff check scripts tests benchmarks
	$(BIN)/shellcheck $$(git ls-files '*.sh' ':!tests/golden/corpus') .ci/run
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/actionlint .github/workflows/*.yml
	$(BIN)/zizmor --quiet --offline --persona auditor .github/workflows
	$(BIN)/python scripts/validate.py

types: setup-dev
	$(BIN)/mypy

unit: setup-dev
	$(BIN)/pytest

perf: setup
	$(BIN)/python tests/perf/startup.py
	$(BIN)/python tests/perf/expansion.py
	$(BIN)/python tests/perf/planning.py
	$(BIN)/python tests/perf/sweep_speed.py

clean:
	rm -rf $(VENV) .cache out .mypy_cache .pytest_cache .ruff_cache .hypothesis

# `make demo` and `make test` work on a fresh machine with Python 3.11 or later and make; everything is kept in .venv.
PYTHON ?= python3
BIN := .venv/bin

# What `make demo` shows: a change to the project's own ledger, then why one of those that fell did.
DEMO_CHANGE ?= dispute c-msgspec-fast dispute c-void-undo
DEMO_FELL ?= d-msgspec

.PHONY: demo test lint types bench clean

demo: .venv/ready
	@echo '$$ tms impact $(DEMO_CHANGE)'
	@$(BIN)/tms impact $(DEMO_CHANGE)
	@echo
	@echo '$$ tms why $(DEMO_FELL) --assuming "$(DEMO_CHANGE)"'
	@$(BIN)/tms why $(DEMO_FELL) --assuming "$(DEMO_CHANGE)"
	@echo
	@echo 'Nothing was written. Next, with $(BIN) on the PATH:'
	@echo '  tms status                     # what stands now'
	@echo '  tms why d-network              # the derivation of any node'
	@echo '  tms impact revoke d-vectors    # any what-if of your own'
	@echo '  tms --help                     # everything else'

test: lint types
	$(BIN)/python -m pytest -q -n 2

lint: .venv/ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready-to-test
	$(BIN)/mypy

bench: .venv/ready-to-test
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Installed again whenever pyproject.toml changes. An environment that is there already is kept and brought up to date.
.venv/made: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("tms needs Python 3.11 or later: make PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/ready: .venv/made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/ready-to-test: .venv/made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch .venv/ready $@

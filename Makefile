# Everything a contributor runs. Each target makes its own virtual environment in .venv from the
# first Python >= 3.10 it finds, once; after that it needs no network.
#
#   make PYTHON=/usr/bin/python3.12 VENV=.venv-3.12 test    another Python beside the first

VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2
PYTHONS := python3 python3.14 python3.13 python3.12 python3.11 python3.10

# pytest compiles every test file, which is cached.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo check test test-heavy attacks lint types pyright environments test-clients newest test-adapters test-engines test-wheels surroundings load accuracy instances weigh agent preconditions rivals set fit bench figures plots docs picture format clean

help:
	@echo "make demo           what truepath does, on a repository made for it"
	@echo "make check          lint, types, and the tests of the rooms that differ from main"
	@echo "make test           nearly all tests, on this machine alone: four to seven minutes"
	@echo "make test-heavy     the tests that take long, and every property at full length"
	@echo "make attacks        what hostile repositories, names, users and kills can make it do: nothing"
	@echo "make lint           ruff, 15 of cognitive complexity a function, and the import contracts"
	@echo "make types          mypy, strict: the code, the examples, and the Python of README and docs"
	@echo "make pyright        the other type checker over what users copy, with node"
	@echo "make environments   what test-adapters and test-clients get from the network, ahead of them"
	@echo "make test-clients   drive real agent programs (from npm) against a scripted model"
	@echo "make newest         the newest version of each agent program beside the one that is tested, from npm"
	@echo "make test-adapters  install each agent framework, oldest and newest, and test its adapter"
	@echo "make test-engines   install Ray and Spark, and audit on both"
	@echo "make test-wheels    build the sdist and the wheels; try each, install.sh and npx in an empty home"
	@echo "make surroundings   one hook in each hostile surrounding, and 64 at once"
	@echo "make load           many agents at once on projects that change, every answer checked"
	@echo "make accuracy       what is done with paths that agents got wrong, and with calls that worked"
	@echo "make instances      what is done with a file that is missing beside a folder that has one of its name"
	@echo "make weigh          what gets worse and better without each row of each table"
	@echo "make preconditions  what is done with calls that fail though their path exists, and with 50,000 that work"
	@echo "make fit            fit the weights of the likelihood anew, and write them"
	@echo "make agent          what a model of yours does with wrong paths, with truepath and without it"
	@echo "make rivals         the same paths, asked of other rules"
	@echo "make set            the same paths and their runner as one file, for a rule of yours"
	@echo "make bench          speed at any size, beside what people would use; ARGS=--full for 1M files"
	@echo "make figures        accuracy, rivals and bench in one run, kept, and the page with them"
	@echo "make plots          draw the results that accuracy, rivals and bench kept (ARGS=--save)"
	@echo "make docs           build the site of docs/ into site/, every link in it checked"
	@echo "make picture        draw the pictures of the README, from a run, and the plugin's icon"
	@echo "make format         let ruff rewrite what it can"
	@echo "make clean          remove what the other targets made"

demo: $(BIN)/.run
	@$(BIN)/truepath demo

check: $(BIN)/.test lint types
	@tests=$$($(BIN)/python tests/changed.py); \
	if [ -z "$$tests" ]; then echo "make check: nothing with a test differs from main"; \
	else TRUEPATH_TEST_EXAMPLES=10 $(PYTEST) -x -p no:randomly -m "not client and not heavy" \
		$$tests; fi

test: $(BIN)/.test
	@command -v git >/dev/null || { echo "make test: needs git"; exit 1; }
	TRUEPATH_TEST_EXAMPLES=25 $(PYTEST) -m "not client and not heavy" --ignore=tests/attacks $(ARGS)
	@echo "make test: the heavy tests are left out, and properties have 25 examples at most;" \
		"make test-heavy runs the rest"
	@if [ ! -e native/Cargo.toml ]; then :; \
	elif $(BIN)/python tests/cargo.py; then cargo test --quiet --manifest-path native/Cargo.toml; fi

# Hypothesis marks the properties itself.
test-heavy: $(BIN)/.test
	$(PYTEST) -m "(heavy or hypothesis) and not client" $(ARGS)

# The promises of SECURITY.md, attacked: less than two minutes on two cores.
attacks: $(BIN)/.test
	@$(NATIVE)
	$(PYTEST) tests/attacks $(ARGS)

lint: $(BIN)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/complexipy --max-complexity-allowed 15 --quiet src benchmarks docs
	$(BIN)/lint-imports --no-cache

# A framework that is not installed is `Any`, and so are its base classes and decorators.
types: $(BIN)/.lint
	$(BIN)/mypy
	$(BIN)/python tests/documented.py $(BIN)/mypy --strict --allow-subclassing-any \
		--allow-untyped-decorators

pyright: $(BIN)/.pyright
	$(BIN)/python tests/documented.py $(BIN)/pyright --pythonpath $(BIN)/python

INSTALL_CLIENTS = $(TRUST) UV=$(BIN)/uv PYTHON=$(BIN)/python sh tests/clients/install.sh

# All that test-adapters and test-clients get from the network, before they need it.
environments: $(BIN)/.uv
	@$(MAKE) -s -k -j $(JOBS) $(ADAPTERS:%=.adapters/%/.ready)
	@$(INSTALL_CLIENTS)

# Half of the time a program waits for the model, for a hook that hangs, or on a screen. A
# program, or a screen, has 300 s; a test has more, so that it says what was seen instead.
test-clients: $(BIN)/.test $(BIN)/.uv
	@if command -v npm >/dev/null; then \
		$(INSTALL_CLIENTS) && \
		$(BIN)/python -m pytest -q -rs -n $$((2 * $(JOBS))) -m client \
			--timeout 900 $(ARGS) tests/clients; \
	else \
		echo "make test-clients: no npm here, so no agent program is tested" \
			"(Debian: apt install npm; macOS: brew install node)"; \
	fi

newest: $(BIN)/python
	@$(TRUST) $(BIN)/python tests/clients/newest.py

# Frameworks have conflicting dependencies, so each has its own environment, and another one with the
# oldest versions that pyproject.toml allows. uv makes them, many times faster than pip.
ADAPTERS = $(shell $(BIN)/python tests/frameworks.py)

test-adapters: $(BIN)/.uv
	@$(MAKE) -s -k -j $(JOBS) --output-sync=target $(ADAPTERS:%=test-adapter/%)

test-adapter/%: .adapters/%/.ready
	@echo "make test-adapters: $*"
	@.adapters/$*/bin/python -m pytest -q -W default -p no:cacheprovider $(ARGS) \
		tests/adapters/test_$(subst -,_,$(*F)).py tests/adapters/test_examples.py

# .adapters/RESOLUTION/EXTRA, where uv's resolution is `highest` or `lowest-direct`
.PRECIOUS: .adapters/%/.ready
.adapters/%/.ready: pyproject.toml
	@$(BIN)/uv venv -q --clear -p $(BIN)/python $(@D)
	@$(BIN)/uv pip install -q -p $(@D) --resolution $(*D) -e ".[$(*F)]" --group adapters
	@touch $@

test-engines: $(BIN)/.test $(BIN)/.engines
	$(BIN)/python -m pytest -q -rs -m heavy $(ARGS) tests/audit/test_engines.py

test-wheels: $(BIN)/.uv
	$(BIN)/python tests/wheels.py $(ARGS)

# EVENTS is how often each of the 64 runs; the full measurement has 500 and takes hours.
surroundings: $(BIN)/.test
	TRUEPATH_TEST_EVENTS=$(or $(EVENTS),4) $(BIN)/python tests/surroundings/run.py $(ARGS)

# cargo reads native/.cargo only from the folder that it runs in, which makes the program static.
NATIVE = if $(BIN)/python tests/cargo.py; then cd native && cargo build --quiet --release; fi

# The full measurement has 100,000 calls by 64 agents on 20 projects; two cores need 20 minutes.
load: $(BIN)/.test
	@$(NATIVE)
	$(BIN)/python tests/load/run.py $(ARGS)

# The first words of ARGS are repositories; docs/benchmarks.md shows a run.
agent: $(BIN)/.run
	@$(BIN)/python benchmarks/agent.py $(ARGS)

accuracy: $(BIN)/.run
	@$(BIN)/python benchmarks/accuracy.py $(ARGS)

instances: $(BIN)/.run
	@$(BIN)/python benchmarks/instances.py $(ARGS)

# Eight minutes of CPU; ARGS="--quick --check", as CI does it, one: it fails for a row that
# fewer than two cases need, or only cases of one source.
weigh: $(BIN)/.run
	@$(BIN)/python benchmarks/weigh.py $(ARGS)

preconditions: $(BIN)/.run
	@$(BIN)/python benchmarks/preconditions.py $(ARGS)

rivals: $(BIN)/.bench
	@$(TRUST) $(BIN)/python benchmarks/rivals.py $(ARGS)

set: $(BIN)/.run
	@$(BIN)/python benchmarks/pack.py $(ARGS)

fit: $(BIN)/.bench
	$(BIN)/python benchmarks/fit.py $(ARGS)

bench: $(BIN)/.run
	@$(NATIVE)
	$(TRUST) $(BIN)/python benchmarks/speed.py $(ARGS)
	@$(TRUST) $(BIN)/python benchmarks/audit.py

# One run, so that no page has figures of two states.
figures: $(BIN)/.bench
	@$(NATIVE)
	@$(TRUST) $(BIN)/python benchmarks/figures.py $(ARGS)

plots: $(BIN)/.run
	@$(BIN)/python benchmarks/plots.py

# With -q, a build that is wrong would pass. NO_MKDOCS_2_WARNING: the theme speaks of its successor.
docs: $(BIN)/.docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

picture: $(BIN)/.run
	$(BIN)/python docs/picture.py
	$(BIN)/python docs/shots.py

format: $(BIN)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .adapters .clients native/target site .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# File modes apply to root only without these capabilities; else the tests of unreadable files skip.
POWERS = -dac_override,-dac_read_search
BIND = setpriv --inh-caps=$(POWERS) --bounding-set=$(POWERS)
BOUND = $(shell [ "$$(id -u)" = 0 ] && $(BIND) test -w . 2>/dev/null && echo "$(BIND)")

PYTEST = $(BOUND) $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

# npm has its own list of certificate authorities; behind a proxy, only the machine's has the right one.
CAS = /etc/ssl/certs/ca-certificates.crt
TRUST = NODE_EXTRA_CA_CERTS=$${NODE_EXTRA_CA_CERTS:-$(wildcard $(CAS))}

# A stamp contains what it was installed for, the part of pyproject.toml before its tool tables: only
# a change there needs the network again. Each depends on the one before, so they never run in parallel.
NEEDS = sed '/^\[tool\./,$$d' pyproject.toml
PIP = $(BIN)/python -m pip install -q --disable-pip-version-check

$(BIN)/.run: pyproject.toml | $(BIN)/python
	@$(NEEDS) | cmp -s - $@ || { \
		echo "truepath: installing into $(VENV) ..." && $(PIP) -e . && $(NEEDS) > $@.new && \
		mv $@.new $@; }
	@touch $@

# pip supports dependency groups since 25.1, and a new environment may have an older one.
$(BIN)/.test $(BIN)/.lint $(BIN)/.bench $(BIN)/.engines $(BIN)/.uv $(BIN)/.docs $(BIN)/.pyright: $(BIN)/.%: $(BIN)/.run
	@$(NEEDS) | cmp -s - $@ || { \
		echo "truepath: installing the $* tools into $(VENV) ..." && $(PIP) "pip>=25.1" && \
		$(PIP) --group $* && $(NEEDS) > $@.new && mv $@.new $@; }
	@touch $@

$(BIN)/python:
	@rm -rf $(VENV)
	@new='import sys; sys.exit(sys.version_info < (3, 10))'; \
	for python in $(or $(PYTHON),$(PYTHONS)); do \
		"$$python" -c "$$new" 2>/dev/null && found=$$python && break; \
	done; \
	if [ -z "$$found" ]; then \
		is=$$($(or $(PYTHON),python3) --version 2>/dev/null) || is="not there"; \
		echo "truepath needs Python 3.10 or newer; $(or $(PYTHON),python3) is $$is."; \
		echo "Install one, or name one: make PYTHON=/path/to/python3"; \
		exit 1; \
	fi; \
	"$$found" -m venv $(VENV) || { \
		rm -rf $(VENV); \
		echo "$$found cannot make a virtual environment; on Debian: apt install python3-venv"; \
		exit 1; \
	}

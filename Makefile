# Two commands set everything up: `make demo` and `make test`. They need Python 3.11 or newer, pip and make.
PYTHON ?= python3
JOBS ?= 2
# The folder with the paper's data sets; tests that need it are skipped when it is empty.
RSENS_DATA ?= $(wildcard ../shared/data)
export RSENS_DATA := $(if $(RSENS_DATA),$(abspath $(RSENS_DATA)))

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# The demo needs the base dependencies only: it uses the full environment if that is there, else a light one of its own.
DEMO_INSTALLED := $(or $(wildcard $(INSTALLED)),.venv-demo/.installed)
PIP_INSTALL = -m pip install -qq --disable-pip-version-check -c constraints.txt
# One BLAS thread per process: test processes already fill the cores, and small matrices gain nothing from more.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: help install demo test lint format figures bench clean
.DEFAULT_GOAL := help

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 20

install: $(INSTALLED) ## set up .venv with the package and everything its tests need

demo: $(DEMO_INSTALLED) ## explain a model of the diabetes data; tables on screen, figures and JSON in demo-output/
	$(ONE_THREAD) $(dir $<)bin/python examples/demo.py

test: lint ## check style, types and imports, then run the tests
	$(ONE_THREAD) $(BIN)/pytest -n $(JOBS)

lint: $(INSTALLED) ## check style, types and imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(INSTALLED) ## sort imports, fix what can be fixed, format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

figures: $(INSTALLED) ## draw the figures of the README again
	$(BIN)/python docs/figures/readme.py

bench: $(INSTALLED) ## measure speed and memory against peers; tables in benchmarks/results/
	$(BIN)/python -m benchmarks.gp

clean: ## remove the environments and everything written
	rm -rf .venv .venv-demo demo-output build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(INSTALLED): EXTRAS := [dev]
%/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("rsens needs Python 3.11 or newer; set PYTHON=..." if sys.version_info < (3, 11) else 0)'
	@echo "Setting up $* (once)"
	@$(PYTHON) -m venv $*
	@$*/bin/python $(PIP_INSTALL) -e '.$(EXTRAS)'
	@touch $@

# Two commands set everything up: `make demo` and `make test`. They need Python 3.11 or newer, pip and make.
PYTHON ?= python3
# Test processes: one per core, but not so many that each with its libraries would fill the memory.
JOBS ?= $(shell $(PYTHON) -c 'import os; print(max(2, min(8, os.cpu_count() or 2)))')
# The folder with the paper's data sets; tests that need it are skipped when it is empty.
RSENS_DATA ?= $(wildcard ../shared/data)
export RSENS_DATA := $(if $(RSENS_DATA),$(abspath $(RSENS_DATA)))

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# The demo needs no extra: it uses the full environment if that is there, else a light one of its own.
DEMO_INSTALLED := $(or $(wildcard $(INSTALLED)),.venv-demo/.installed)
CONSTRAINTS := constraints.txt
PIP_INSTALL = -m pip install -qq --disable-pip-version-check -c $(CONSTRAINTS)
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
# One BLAS thread per process: test processes already fill the cores, and small matrices gain nothing from more.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: help install demo test test-slow test-adapters test-lowest golden lint types audit release-check browser format docs figures lists trust bench scaling paper paper-quick calibration calibration-quick accuracy mutation coverage interruptions hostile fuzz clean
.DEFAULT_GOAL := help

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

install: $(INSTALLED) ## set up .venv with the package and everything its tests need

demo: $(DEMO_INSTALLED) ## explain the diabetes data: tables on screen, report and figures in rsens-demo/
	$(ONE_THREAD) $(dir $<)bin/rsens demo

# A file stays in one process, which fits its models and compiles its functions once.
BY_FILE := --dist loadfile --no-loadscope-reorder
# Some tests start processes of their own; where bytecode is not kept, each would compile the whole package again.
KEEP_COMPILED := PYTHONDONTWRITEBYTECODE=
# Tests run what JAX compiles on few rows: code that is made quickly beats code that is quick. (An unknown flag would end the process:
# these are known to the version in constraints.txt.)
QUICK_COMPILER := XLA_FLAGS="--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
PYTEST = $(ONE_THREAD) $(QUICK_COMPILER) $(KEEP_COMPILED) $(BIN)/pytest -n $(JOBS) $(BY_FILE)
test: lint ## check style, types and imports, then run the tests
	$(PYTEST) -m "not slow"

test-slow: $(INSTALLED) ## run the tests that take seconds each, which `make test` leaves out
	$(PYTEST) -m slow

# The newest PyMC, bambi and skpro need Python 3.12 and hold numba and pandas back: an environment of their own.
# PYTHON_ADAPTERS= names the interpreter; without it, the first of these that runs is taken.
ADAPTERS := .venv-adapters
FIND_PYTHON = for python in python3.12 python3.13 $(PYTHON) "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.1[23].*/bin/python; do \
	"$$python" -c 'import sys; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' 2>/dev/null && { echo "$$python"; break; }; done
test-adapters: ## run the tests with PyMC, bambi and skpro in an environment of their own; needs Python 3.12 or 3.13
	@python='$(PYTHON_ADAPTERS)'; [ -n "$$python" ] || python=$$($(FIND_PYTHON)); \
	if [ -n "$$python" ]; then \
		"$$python" -c 'import sys; sys.exit("test-adapters needs Python 3.12 or newer; set PYTHON_ADAPTERS=..." if sys.version_info < (3, 12) else 0)' && \
		$(MAKE) --no-print-directory $(ADAPTERS)/.installed PYTHON="$$python" && \
		$(ONE_THREAD) $(ADAPTERS)/bin/pytest -n $(JOBS) $(BY_FILE) tests_adapters && echo "test-adapters: passed."; \
	else \
		echo "test-adapters: skipped. PyMC, bambi and skpro need Python 3.12 or 3.13, and none was found."; \
		echo "Install one, or name it: make test-adapters PYTHON_ADAPTERS=/path/to/python3.12"; \
	fi

# The oldest versions that pyproject.toml states for dependencies and extras (PyTorch 2.4 has no wheels for Python 3.13). The tests are
# those of what computes, reads and writes: families, derivatives, models, measures, tables, files, results, the command. Left out are
# pictures and pages, which are compared with what the newest versions make, other libraries' models, and the paper.
# Old versions and the newer ones beside them deprecate each other, so deprecations are no errors here; all other warnings are.
LOWEST := .venv-lowest
LOWEST_TESTS := $(addprefix tests/,distributions derivatives kernels likelihoods posteriors models measures black_box compare explain \
	files app/tables app/cli/test_end_to_end.py app/cli/test_dask.py) $(patsubst %,tests/test_%.py,chunks coding errata frames import results \
	seeds table)
test-lowest: $(LOWEST)/.installed ## run the core of the tests with the oldest versions that are stated; needs Python 3.11 or 3.12
	$(ONE_THREAD) $(LOWEST)/bin/pytest -n $(JOBS) $(BY_FILE) -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning $(LOWEST_TESTS)

build/lowest.txt: pyproject.toml constraints.txt tools/lowest.py
	@mkdir -p build
	@$(PYTHON) tools/lowest.py > $@

# A changed number, a name that is gone: an error. A changed text is named, and read by hand.
golden: $(INSTALLED) ## compare what about 80 public calls give with the record
	$(ONE_THREAD) $(BIN)/python -m tests.golden.record check

lint: $(INSTALLED) ## check style, types and imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -n $(JOBS)
	$(BIN)/lint-imports --no-cache

# pyright takes the first Python on the path; it reads types of pandas and scikit-learn from their stubs.
RELEASE := .venv-release
PYRIGHT := build/pyright/node_modules/.bin/pyright
types: $(RELEASE)/.installed $(PYRIGHT) ## check that every public name has all its types, with pyright (npm)
	PATH="$(abspath $(RELEASE))/bin:$$PATH" $(PYRIGHT) --verifytypes rsens --ignoreexternal

$(PYRIGHT):
	$(call apt_install,npm)
	npm install --prefix build/pyright --no-save --no-package-lock --no-audit --no-fund --loglevel=error pyright@1.1.414

release-check: types ## build the release, install it into empty environments on every Python here, try it; docs/versions.md
	$(RELEASE)/bin/python tools/release_check.py --jobs $(JOBS)

audit: $(RELEASE)/.installed ## ask for known vulnerabilities of the versions in constraints.txt; needs the network
	$(RELEASE)/bin/python $(PIP_INSTALL) pip-audit
	$(RELEASE)/bin/pip-audit --disable-pip --no-deps -r constraints.txt

# What is there already is left as it is. axe-core finds what people with a screen reader or a keyboard would stumble over.
AXE := build/browser/node_modules/axe-core/axe.min.js
browser: $(INSTALLED) $(AXE) ## install chromium (apt), playwright and axe-core (npm): then the tests open the report in a browser too
	$(call apt_install,chromium)
	$(BIN)/python -c 'import playwright' 2>/dev/null || $(BIN)/python $(PIP_INSTALL) playwright

$(AXE):
	$(call apt_install,npm)
	npm install --prefix build/browser --no-save --no-package-lock --no-audit --no-fund --loglevel=error axe-core@4.10.3

apt_install = command -v $(1) >/dev/null || { \
	$(SUDO) apt-get update -q && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -q $(1); }

format: $(INSTALLED) ## sort imports, fix what can be fixed, format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Pages run, and run again only where their code or rsens changed; a warning is an error. They run in an IPython of their own: nobody's
# startup files, and no message for each page that it talks to Python through a local port.
SITE := build/site
IPYTHON := build/ipython
docs: $(INSTALLED) ## build the site into build/site; its pages run
	@mkdir -p $(IPYTHON)/profile_default
	@echo "c.IPKernelApp.log_level = 'ERROR'" > $(IPYTHON)/profile_default/ipython_kernel_config.py
	$(ONE_THREAD) IPYTHONDIR=$(abspath $(IPYTHON)) $(BIN)/sphinx-build -q -W --keep-going -b html -d build/doctrees docs $(SITE)
	@echo "The site is in $(SITE)/index.html"

figures: $(INSTALLED) browser ## take the picture of the report in the README again
	$(ONE_THREAD) $(BIN)/python docs/figures/report.py

FUZZ_JOBS ?= 1
fuzz: $(INSTALLED) ## random tables, models, calls and files: 10,000 and 500; then docs/results/fuzz.json; half an hour
	$(ONE_THREAD) $(BIN)/python -m fuzz --n-jobs $(FUZZ_JOBS)

lists: $(INSTALLED) ## write docs/lists.md from the lists in the code
	$(BIN)/python docs/lists.py

trust: $(INSTALLED) ## write docs/trust.md from the result files of benchmarks and checks
	$(BIN)/python docs/trust.py

scaling: $(INSTALLED) ## sparse GPs at up to a million rows; takes an hour or two
	$(BIN)/python -m benchmarks.scaling
	$(BIN)/python -m benchmarks.cost_model
	$(BIN)/python -m benchmarks.commands --tables 1000000 --n-jobs 2

bench: $(INSTALLED) ## measure speed and memory against peers; tables in benchmarks/results/
	$(BIN)/python -m benchmarks.methods
	$(BIN)/python -m benchmarks.gp
	$(BIN)/python -m benchmarks.foreign
	$(ONE_THREAD) $(BIN)/python -m benchmarks.wide
	$(BIN)/python -m benchmarks.commands

# Each script goes on where it was interrupted. PAPER_JOBS=1 leaves the other cores alone.
PAPER_JOBS ?= -1
paper: $(INSTALLED) ## reproduce the paper: all tables and figures, then docs/reproduction.md; hours, can be interrupted
	$(call reproduce,experiments/results,docs)

QUICK := build/paper-quick
paper-quick: FEW := --repetitions 2
paper-quick: SIZES := --sizes 40 60
paper-quick: SIZE := --size 100
paper-quick: ROWS := --rows 40
paper-quick: SPLITS := $(ROWS) --pairs 1
paper-quick: FAMILIES := --families normal
paper-quick: $(INSTALLED) ## the same with few repetitions, in minutes, into build/paper-quick
	$(call reproduce,$(QUICK),$(QUICK))

# $(1) is the folder for results and $(2) that for the page.
RUN = $(ONE_THREAD) $(BIN)/python -m experiments
define reproduce
	$(RUN).illustrations --out $(1)
	$(RUN).main_effects --bias per-call --out $(1)/per-call --n-jobs $(PAPER_JOBS) $(FEW)
	$(RUN).main_effects --bias per-repetition --out $(1)/per-repetition --n-jobs $(PAPER_JOBS) $(FEW)
	$(RUN).main_effects --bias per-method --out $(1)/per-method --n-jobs $(PAPER_JOBS) $(FEW)
	$(RUN).disagreements --out $(1) --n-jobs $(PAPER_JOBS) $(FEW)
	$(RUN).interactions --out $(1) --n-jobs $(PAPER_JOBS) $(FEW) $(SIZES)
	$(RUN).interactions --inputs correlated --out $(1) --n-jobs $(PAPER_JOBS) $(FEW) $(SIZES)
	$(RUN).interactions --main-effects 0.3 --out $(1) --n-jobs $(PAPER_JOBS) $(FEW) $(SIZES)
	$(RUN).fourth_derivative --out $(1) --n-jobs $(PAPER_JOBS) $(FEW) $(SIZE)
	$(RUN).real_data --out $(1) --n-jobs $(PAPER_JOBS) $(FEW) $(SPLITS)
	$(RUN).stability --out $(1) --n-jobs $(PAPER_JOBS) $(FEW) $(ROWS)
	$(RUN).concrete_fits --out $(1) --n-jobs $(PAPER_JOBS) $(FEW) $(ROWS)
	$(RUN).beyond --out $(1) --n-jobs $(PAPER_JOBS) $(FEW) $(SIZES) $(FAMILIES)
	$(RUN).page --out $(1) --docs $(2)
endef

calibration: $(INSTALLED) ## how often marks and intervals are wrong: what is missing or stale, then docs/calibration.md; hours
	$(RUN).calibration --n-jobs $(PAPER_JOBS)

CALIBRATION_QUICK := build/calibration-quick
calibration-quick: $(INSTALLED) ## the same with few designs and two analyses each, into build/calibration-quick
	$(RUN).calibration --n-jobs $(PAPER_JOBS) --repetitions 2 --designs independent noise-40 one-80 linear logistic \
		--out $(CALIBRATION_QUICK) --docs $(CALIBRATION_QUICK)

accuracy: $(INSTALLED) ## every family and likelihood against 60 digits, into docs/results; minutes
	$(RUN).accuracy

# Each goes on where it was interrupted.
mutation: $(INSTALLED) ## put 1,300 small faults into the code and see which the tests notice; an hour or two
	$(RUN).mutation --area formulas
	$(RUN).mutation --area calls

coverage: $(INSTALLED) ## which lines and branches of src the tests run, folder by folder; an hour or so
	$(KEEP_COMPILED) $(RUN).coverage

interruptions: $(INSTALLED) ## kill long calls a hundred times, fill the disk, share a folder; counts in docs/results/
	$(ONE_THREAD) $(BIN)/python -m tests.interruptions --kills 100 --out docs/results/interruptions.json

hostile: $(INSTALLED) ## load thousands of damaged and forged files; counts in docs/results/
	$(ONE_THREAD) $(BIN)/python -m tests.hostile --cases 6000 --out docs/results/hostile.json

clean: ## remove the environments and everything written
	rm -rf .venv .venv-demo $(ADAPTERS) $(LOWEST) $(RELEASE) rsens-demo build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(INSTALLED): EXTRAS := [dev]
$(ADAPTERS)/.installed: CONSTRAINTS := constraints-adapters.txt
$(ADAPTERS)/.installed: MORE := pymc bambi arviz numpyro skpro ngboost pytest pytest-xdist
$(ADAPTERS)/.installed: constraints-adapters.txt
$(LOWEST)/.installed: CONSTRAINTS := build/lowest.txt
$(LOWEST)/.installed: EXTRAS := [jax,torch,compare,parquet,distributed]
$(LOWEST)/.installed: MORE := pytest pytest-xdist hypothesis mpmath polars
$(LOWEST)/.installed: build/lowest.txt
$(RELEASE)/.installed: MORE := build twine pandas-stubs scikit-learn-stubs
%/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("rsens needs Python 3.11 or newer; set PYTHON=..." if sys.version_info < (3, 11) else 0)'
	@echo "Setting up $* (once)"
	@$(PYTHON) -m venv $*
	@$*/bin/python $(PIP_INSTALL) -e '.$(EXTRAS)' $(MORE)
	@touch $@

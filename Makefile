# make demo   solves, emits and verifies 3mm
# make test   everything that CI runs: tests, and beside them ruff and pyright
# make quick  the tests that take seconds
# make nightly  everything, with what takes too long for CI: STREAMOPT_CASES=3000 random designs, 2,000 in place, 1,000 as Verilog
# make gallery  the designs, pictures and page of results/gallery, in ten minutes
# make docs   the site, in build/site; broken links are errors
# make notebooks  executes all notebooks and stores their outputs
# make screenshots  reports at three widths in light and dark, in build/screenshots, with their sizes
# make errors the page of all error codes, from the source
# make cli    the pages of the command line, for the site and for man, from its help

PYTHON ?= python3
BIN := .venv/bin
# Hundreds of tests start a Python of their own: without bytecode each would compile all it imports.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: demo test tests quick nightly gallery docs notebooks errors cli lint clean

demo: .venv/core
	$(BIN)/streamopt solve graphs/polybench/3mm.json --dsp 2560 -o build/3mm
	$(BIN)/streamopt verify build/3mm

test: .venv/dev
	$(MAKE) --jobs 2 lint tests

tests: export MAKEFLAGS =
tests: .venv/dev
	$(BIN)/python -m pytest --quiet --doctest-modules streamopt
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=30

quick: .venv/dev
	$(BIN)/python -m pytest -n 2 -m "not slow and not nightly"

nightly: .venv/docs lint
	$(BIN)/python -m pytest -n 2 -m "nightly or not nightly"

gallery: .venv/dev
	$(BIN)/python results/gallery/run.py

docs: .venv/docs
	$(BIN)/python -m mkdocs build --strict

screenshots: .venv/dev
	$(BIN)/python -m tests.support.report_pages build/screenshots

errors: .venv/dev
	$(BIN)/python -c "from streamopt.cli.error_codes import errors_page; print(errors_page(), end='')" > docs/reference/errors.md

cli: .venv/dev
	$(BIN)/python docs/manual.py

notebooks: .venv/dev
	$(BIN)/python -m tests.support.notebooks

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

.venv/core: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --editable .
	touch $@

.venv/dev: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[dev]'
	touch $@ .venv/core

.venv/docs: .venv/dev
	$(PIP) --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv build

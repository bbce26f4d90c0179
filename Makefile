# Needs Python 3.11+, make and a network. `make demo` and `make test` each set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2

# Tests start hundreds of processes: the bytecode of what they import is kept, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test pytest test-fast test-oldest test-newest test-matrix coverage lint format bench results-check docs audit sbom dist clean

demo: .venv/installed
	$(BIN)/python examples/demo.py

# mypy takes one core for a minute, beside which the tests have begun.
test: .venv/installed-dev
	$(MAKE) --jobs=2 lint pytest

pytest: .venv/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# The tests that need neither a browser nor many seconds, for the inner loop.
test-fast: .venv/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow and not browser" tests

# The contracts of metrics, rankers, samplers and files, and every command, with the oldest versions that pyproject.toml
# claims, and with the newest. -W default: what old versions warn of is not ours to mend.
CLAIMS := tests/contract tests/cli/test_docs_cli.py
EVERYTHING := .[torch,dask,tune,peers,onnx,serve,bench,test]

test-oldest: .venv-oldest/installed
	.venv-oldest/bin/python -m pytest -n $(WORKERS) --dist loadfile -W default $(CLAIMS)
	.venv-oldest/bin/python benchmarks/versions.py oldest

test-newest: .venv-newest/installed
	.venv-newest/bin/python -m pytest -n $(WORKERS) --dist loadfile -W default $(CLAIMS)
	.venv-newest/bin/python benchmarks/versions.py newest

# A smoke of the suite with each Python 3.x of pyenv or PATH that pyproject.toml names, lowest and newest dependencies.
test-matrix: .venv/installed-dev
	$(BIN)/python -m scripts.matrix

# Lines of src that the tests run, those of the processes that they start too.
coverage: .venv/installed-dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist loadfile tests src
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/installed-dev
	$(BIN)/python benchmarks/metrics.py
	$(BIN)/python benchmarks/read.py

# Which results are older than the code they measure.
results-check: .venv/installed-dev
	$(BIN)/python benchmarks/sources.py

# The site, in site/index.html, which needs no server and no network; tests/docs/test_site.py builds it too.
docs: .venv/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

# Known vulnerabilities of what CI installs. Where PyPI does not serve them per version, pip-audit skips every package,
# which --strict makes a failure; then the second line tells what can be told.
audit: .venv-release/installed
	.venv-release/bin/pip-audit --strict --no-deps --disable-pip --requirement constraints.txt || \
	  $(PYTHON) scripts/advisories.py

# What is installed with rankwise and its extras, from a venv that has nothing else.
sbom: .venv-release/installed dist
	rm -rf out/sbom-venv && $(PYTHON) -m venv --without-pip out/sbom-venv
	.venv-release/bin/python -m pip --python out/sbom-venv/bin/python install --quiet --no-compile -c constraints.txt \
	  "$$(echo dist/*.whl)[torch,dask,tune,onnx,serve]"
	.venv-release/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --validate \
	  --output-file out/sbom.cdx.json out/sbom-venv/bin/python
	rm -rf out/sbom-venv

# Wheel and sdist, and what they hold.
dist: .venv-release/installed
	rm -rf build dist && .venv-release/bin/python -m build --quiet
	.venv-release/bin/twine check --strict dist/*
	$(PYTHON) scripts/check_dist.py dist

clean:
	rm -rf .venv .venv-oldest .venv-newest .venv-release out site build dist *.egg-info src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	$(PYTHON) -m venv .venv

# Pinned versions come from constraints.txt; the marker files make a second run free.
.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,torch,serve,onnx,dask]'
	sh scripts/browser.sh
	touch $@

.venv-oldest/installed: pyproject.toml scripts/lowest.py
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python scripts/lowest.py > .venv-oldest/lowest.txt
	.venv-oldest/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -c .venv-oldest/lowest.txt -e '$(EVERYTHING)'
	touch $@

# torch as in constraints.txt, since nothing may pull another build of it.
.venv-newest/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python -m pip install --quiet --no-compile --disable-pip-version-check --upgrade $$(grep ^torch== constraints.txt) -e '$(EVERYTHING)'
	touch $@

.venv-release/installed: Makefile
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check build cyclonedx-bom pip-audit twine
	touch $@

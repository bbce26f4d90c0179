# Needs Python 3.11+, make and a network. `make demo` and `make test` each set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2

.PHONY: demo test test-fast coverage lint format bench clean

demo: .venv/installed
	$(BIN)/python examples/demo.py

test: .venv/installed-dev lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# The tests that need neither a browser nor many seconds, for the inner loop.
test-fast: .venv/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow and not browser" tests

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

clean:
	rm -rf .venv out build *.egg-info src/*.egg-info
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

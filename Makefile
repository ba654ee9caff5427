# `make demo` and `make test` set up .venv when it's missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Raw data and wheels beside the checkout are used where they are.
export VGCN_DATA ?= $(abspath $(wildcard ../shared/data/planetoid))
WHEELS := $(wildcard ../shared/wheels)

.PHONY: demo test slow lint format docs clean

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

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev]'
ifneq ($(WHEELS),)
	-$(BIN)/pip install --quiet --no-index --no-deps \
		--find-links $(WHEELS) torch-scatter torch-sparse
endif
	touch $@

clean:
	rm -rf $(VENV) results docs/_build

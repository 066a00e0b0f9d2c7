# Everything a person needs: `make demo` and `make test`. Each sets up what is missing and is quick when nothing is.
SHELL := /bin/bash
PYTHON ?= python3
export PATH := $(CURDIR)/.venv/bin:$(PATH)

sources := $(shell find src CMakeLists.txt pyproject.toml -type f)

.PHONY: build
build: .venv/.built

.venv/.tools: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check uv
	uv pip install --quiet --python .venv/bin/python --group dev
	touch $@

.venv/.built: .venv/.tools $(sources)
	uv pip install --quiet --python .venv/bin/python --no-build-isolation --no-deps -e . || \
	  uv pip install --python .venv/bin/python --no-build-isolation --no-deps -e .
	touch $@

.PHONY: test
test: build
	cmake --preset core >/dev/null && cmake --build --preset core && ctest --preset core
	.venv/bin/python -m pytest

# `make demo` and `make test` are all one needs: each sets up what is missing and is quick when nothing is.
SHELL := /bin/bash
.NOTPARALLEL:
PYTHON ?= python3
# One cmake and one ninja for everything that touches a build folder: two versions rebuild all of it by turns.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

sources := $(shell find src CMakeLists.txt pyproject.toml -type f)
package := $(shell find python shaders -type f -not -path '*/__pycache__/*')
cpp := $(shell find src tests/cpp tests/fuzz benchmarks -not -path 'src/vendor/*' \( -name '*.cpp' -o -name '*.h' \))
notebooks := $(wildcard notebooks/*.ipynb)
pages := $(wildcard *.md) $(shell find docs .ci -type f -not -path 'docs/_build/*' -not -path 'docs/notebooks/*' \
  -not -path '*/__pycache__/*')

# Deleting a file makes no other older than it was: the names are files, too, rewritten where they change.
build/sources.list: files = $(sources)
build/docs.list: files = $(package) $(pages) $(notebooks)
build/%.list: FORCE
	@mkdir -p $(@D)
	@echo '$(sort $(files))' | cmp -s - $@ || echo '$(sort $(files))' >$@
FORCE:

.PHONY: demo
demo: demo/report.md
	@echo "look into demo/: the pictures, humanoid.html (open it in a browser), the bake and demo/report.md"

demo/report.md: .venv/.built $(package)
	@echo "making pictures, a page, a bake and a report (about 20 s)"
	lissom demo -o demo

# All of it, also after a failure; pytest last, so that its closing line is.
.PHONY: test
test: build
	@$(MAKE) --no-print-directory --keep-going test-cpp lint docs test-python

.PHONY: build
build: .venv/.built

.venv/.tools: pyproject.toml .ci/system-packages
	@echo "setting up .venv with the tools (about 15 s the first time)"
	@.ci/system-packages $(PYTHON)
	@test -x .venv/bin/uv || { $(PYTHON) -m venv .venv && \
	  .venv/bin/python -m pip install --quiet --disable-pip-version-check uv; }
	uv pip install --quiet --python .venv/bin/python --group dev
	@touch $@

# Quiet when all is well; the second run shows what went wrong in the first, and takes warnings for what they are: another
# compiler has others, which fail `test-cpp` alone. That goes on in the same folder: the core is compiled once.
tree := build/tree
install := uv pip install --python .venv/bin/python --no-build-isolation --no-deps -e . -C build-dir=$(tree) \
  -C build.targets=_core -C cmake.define.LISSOM_TESTS=ON
.venv/.built: .venv/.tools $(sources) build/sources.list
	@echo "building lissom (about 60 s the first time)"
	@$(install) -C cmake.define.LISSOM_WERROR=ON --quiet 2>/dev/null || $(install) -C cmake.define.LISSOM_WERROR=OFF
	@python -m compileall -q python/lissom  # as installing a wheel does: first calls take half as long
	@touch $@

.PHONY: test-cpp
test-cpp: build
	@echo "building the C++ tests (about 60 s the first time)"
	cmake -DLISSOM_WERROR=ON $(tree) >/dev/null
	cmake --build $(tree)
	ctest --test-dir $(tree) --output-on-failure

.PHONY: test-python
test-python: build tests/node/node_modules/.installed
	python -m pytest -q -n 2 --dist loadfile

# The tests of one room: make test-clip
test-%: build tests/node/node_modules/.installed
	python -m pytest -q -n 2 --dist loadfile tests/$*

# All tests, or those of `rooms="skinning clip"`, under each instruction set that this machine runs.
.PHONY: test-isa
test-isa: build tests/node/node_modules/.installed
	@set -e; for isa in $$(python -c "import lissom; print(*lissom._core.runnable_isas())"); do \
	  echo "== $$isa"; LISSOM_ISA=$$isa python -m pytest -q -n 2 --dist loadfile $(addprefix tests/,$(rooms)); done

# What the tests ask about saved files: Khronos' validator, three.js and Babylon.js, in fixed versions.
tests/node/node_modules/.installed: tests/node/package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: tests of saved files are skipped"; exit 0; }; \
	  npm ci --prefix $(<D) --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund --loglevel=error && \
	  rm -f $(@D)/babylonjs*/*.map $(@D)/babylonjs*/*.es5.js $(@D)/babylonjs/babylon.max.js && touch $@

# Engines that play exports, for the tests of what they draw: about 700 MB in .consumers, or where LISSOM_CONSUMERS says.
.PHONY: consumers
consumers:
	@.ci/fetch-godot $${LISSOM_CONSUMERS:-.consumers}/godot
	@.ci/fetch-openvat $${LISSOM_CONSUMERS:-.consumers}/openvat

.PHONY: lint
lint: build
	ruff check
	ruff format --check
	@clang-format --dry-run --Werror $(cpp) || { echo "run: make format" >&2; exit 1; }
	mypy
	@lint-imports --no-logo --cache-dir build/import_linter >build/imports.txt || { cat build/imports.txt; exit 1; }
	@python .ci/lint_shaders.py
	@python .ci/lint_surface.py
	@python .ci/lint_words.py
	@$(MAKE) --no-print-directory build/stubs/checked

# The stub of the compiled module, generated and committed: editors and type checkers read it.
.PHONY: stubs
stubs: build/stubs/lissom/_core.pyi
	cp $< python/lissom/_core.pyi

build/stubs/lissom/_core.pyi: .venv/.built
	@mkdir -p build/stubs
	@pybind11-stubgen lissom._core -o build/stubs --exit-code
	@sed -i '1i # SPDX-License-Identifier: MIT' $@
	@ruff format -q --isolated --line-length 110 $@

build/stubs/checked: build/stubs/lissom/_core.pyi python/lissom/_core.pyi .ci/stubtest-allowlist
	@diff -u python/lissom/_core.pyi $< || \
	  { echo "python/lissom/_core.pyi does not match the compiled module; run: make stubs" >&2; exit 1; }
	python -m mypy.stubtest lissom._core --allowlist .ci/stubtest-allowlist --mypy-config-file pyproject.toml
	@touch $@

# The public names and signatures, written anew and committed: a diff of it is what users will notice.
.PHONY: surface
surface: build
	@python .ci/lint_surface.py --write

.PHONY: format
format: .venv/.tools
	ruff check --fix-only -q
	ruff format -q
	nbstripout --extra-keys metadata.language_info notebooks/*.ipynb
	clang-format -i $(cpp)

# Address and undefined behaviour, with each set of kernels of this machine: the C++ tests, then tests of the numeric
# rooms and of bad input, on one build of core, bindings and tests. Most of the time is the first build.
.PHONY: sanitize
sanitize: build build/sanitize-python/.built
	@set -e -o pipefail; for isa in $$(python -c "import lissom; print(*lissom._core.runnable_isas())"); do echo "== $$isa"; \
	  LISSOM_ISA=$$isa ctest --test-dir build/sanitize-python/build -j 2 --output-on-failure --stop-on-failure | tail -3; \
	  LISSOM_ISA=$$isa $(sanitized) -m pytest -q -n 2 -p no:cacheprovider $(addprefix tests/,$(sanitized_tests)); done

sanitized_tests := base/test_array_api.py base/test_array_api_out.py base/test_masked_arrays.py base/test_plain_calls.py \
  clip/test_clip_lookup.py clip/test_clip_bad_input.py clip/test_clip_interpolation.py clip/test_clip_morphs.py \
  clip/test_clip_morph_edits.py clip/test_key_segments.py clip/test_clip_reduce.py clip/test_clip_reduce_long.py \
  playback/test_blend.py playback/test_additive.py playback/test_morph_fades.py springs \
  rig skinning/test_skinning.py skinning/test_morphed_skinning.py skinning/test_skinning_methods.py \
  skinning/test_skinning_refusals.py skinning/test_prepared_mesh.py skinning/test_inverse_skinning.py bake/test_bake.py pose_texture/test_texels.py \
  ik/test_ik_bad_input.py ik/test_ik_reference.py ground/test_ground_bad_input.py ground/test_ground_mesh.py \
  files/test_gltf_hostile.py files/test_bvh.py files/test_gltf_morphs.py files/test_meshopt.py files/test_meshopt_streams.py \
  weights/test_weights_heat.py weights/test_bounded_biharmonic.py \
  retarget/test_retarget_laws.py retarget/test_retarget_twist.py retarget/test_retarget_refusals.py \
  $(addprefix weights/test_lattice.py::test_,hostile_surfaces_have_a_place_for_each_vertex islands_apart_are_parts \
  winding_numbers_are_the_twins cubes_that_triangles_pass_through_are_the_twins locate_says_where_points_are refuses) \
  $(addprefix weights/test_weights_reduce.py::test_,gives_what_a_mesh_takes split_vertices_stay_together \
  nearest_row_without_a_surface none_keeps_all_above_the_threshold refuses) \
  $(addprefix weights/test_weights_transfer.py::test_,nearest_place_equals_brute_force slivers_are_told_as_well \
  normals_choose_the_side refuses) \
  $(addprefix skinning/test_centers_of_rotation.py::test_,centers_equal_their_twin two_triangles_by_hand \
  triangles_without_area_add_nothing an_empty_mesh_has_no_centers)

# An environment of its own, which finds the tools in .venv; LD_PRELOAD, as Python itself is built without.
sanitized = ASAN_OPTIONS=detect_leaks=0:hard_rss_limit_mb=3000 \
  LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
  build/sanitize-python/venv/bin/python

build/sanitize-python/.built: .venv/.tools $(sources) build/sources.list
	@echo "building lissom with sanitizers (several minutes the first time)"
	@python -m venv --without-pip build/sanitize-python/venv
	@python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
	  >"$$(build/sanitize-python/venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/tools.pth"
	CXXFLAGS="-fsanitize=address,undefined,float-cast-overflow -fno-omit-frame-pointer -fno-sanitize-recover=all" \
	  uv pip install --quiet --python build/sanitize-python/venv/bin/python --no-build-isolation --no-deps -e . \
	  -C build-dir=build/sanitize-python/build -C cmake.build-type=RelWithDebInfo -C cmake.define.LISSOM_TESTS=ON \
	  -C "cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -UNDEBUG"
	@touch $@

# Data races of the core: its tests, one of which has several threads share tracks, meshes and poses.
.PHONY: sanitize-threads
sanitize-threads: .venv/.tools
	cmake --preset sanitize-threads >/dev/null
	cmake --build --preset sanitize-threads
	ctest --preset sanitize-threads

# Broken files on the extension built with sanitizers, from the seed where the last run stopped: an hour, or
# LISSOM_FUZZ_SECONDS. Findings lie in build/fuzz/findings.
.PHONY: fuzz
fuzz: build/sanitize-python/.built
	PYTHONPATH=tests:tests/fuzz $(sanitized) tests/fuzz

# A million mutated streams of meshopt under sanitizers, or LISSOM_STREAMS of them (a few minutes), with each decoder that
# this machine has: the vendored ones by SIMD, and without.
.PHONY: fuzz-meshopt
fuzz-meshopt: .venv/.tools
	@for simd in 1 0; do cmake --preset core -B build/fuzz-meshopt/$$simd -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_CXX_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all $$([ $$simd = 1 ] || echo -DMESHOPTIMIZER_NO_SIMD)" \
	  >/dev/null && cmake --build build/fuzz-meshopt/$$simd --target meshopt_streams && \
	  build/fuzz-meshopt/$$simd/tests/fuzz/meshopt_streams $${LISSOM_STREAMS:-1000000} || exit 1; done

# A million mutated streams of Draco through the walk over them under sanitizers (a few minutes), then a hundred thousand
# through DracoPy, too, in child processes (an hour), or LISSOM_STREAMS of both.
.PHONY: fuzz-draco
fuzz-draco: build
	cmake --preset core -B build/fuzz-draco -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_CXX_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all" >/dev/null
	cmake --build build/fuzz-draco --target draco_walks
	PYTHONPATH=tests python tests/fuzz/draco_bases.py build/fuzz-draco/streams
	build/fuzz-draco/tests/fuzz/draco_walks $${LISSOM_STREAMS:-1000000} 0 build/fuzz-draco/streams/*
	PYTHONPATH=tests:tests/fuzz python tests/fuzz/draco_streams.py $${LISSOM_STREAMS:-100000}

# All benchmarks, whose records go into one folder named by date and revision; `make bench-compare` reads two of them.
.PHONY: bench
bench: build tests/node/node_modules/.installed bench-rivals
	@folder=$$(python benchmarks/_record.py); failed=; for file in benchmarks/[a-z]*.py; do echo "== $$file"; \
	  python $$file --json $$folder/$$(basename $$file .py).json || failed="$$failed $$file"; done; echo "$$folder"; \
	  test -z "$$failed" || { echo "these did not run to their end:$$failed" >&2; exit 1; }

.PHONY: bench-rivals
bench-rivals: .venv/.tools
	@uv pip install --quiet --python .venv/bin/python --group bench

# ozz-animation beside lissom, built from its source: make bench-ozz OZZ_SOURCE=../ozz-animation
.PHONY: bench-ozz
bench-ozz: build
	@OZZ_SOURCE="$(OZZ_SOURCE)" python benchmarks/ozz.py

# Which rows got slower by more than 5 %: make bench-compare OLD=build/bench/... NEW=build/bench/...
.PHONY: bench-compare
bench-compare:
	@python benchmarks/_compare.py $(if $(OLD),"$(OLD)") $(if $(NEW),"$(NEW)")

# Tests that are slow and rarely fail (a few minutes).
.PHONY: soak-python
soak-python: build
	python -m pytest -q -n 2 --soak

# These, and a hundred thousand random chains of each class through every solver (about an hour), which makes the tables
# in docs anew.
.PHONY: soak
soak: soak-python
	python docs/tables/ik_success.py 100000

# Writers of files and runs of `lissom bake` killed at random moments (about 10 minutes).
.PHONY: soak-bake
soak-bake: build
	LISSOM_KILLS=200 python -m pytest -q tests/files/test_safetensors.py -k killed
	LISSOM_KILLS=100 python -m pytest -q -s tests/bake/test_bake_killed.py

# The notebooks as a reader runs them, top to bottom; the executed copies are pages of the docs.
.PHONY: notebooks
notebooks: build/notebooks/.executed

build/notebooks/.executed: .venv/.built $(package) $(notebooks) build/docs.list
	@rm -rf build/notebooks && mkdir -p build/notebooks
ifneq ($(notebooks),)
	@cp $(notebooks) build/notebooks
	python -m pytest -q -n 2 -p nbmake --nbmake --nbmake-timeout=60 --overwrite build/notebooks
	@python .ci/check_notebooks.py
endif
	@touch $@

.PHONY: docs
docs: docs/_build/.checked
	@echo "open docs/_build/index.html"

docs/_build/.checked: .venv/.built build/notebooks/.executed $(package) $(pages) build/docs.list
	@rm -rf docs/_build
	sphinx-build -q -W --keep-going -b html docs docs/_build
	@python .ci/check_docs.py
	@touch $@

# Addresses outside, which needs a network and is no part of the tests.
.PHONY: linkcheck
linkcheck: build notebooks
	sphinx-build -q -b linkcheck docs build/linkcheck

.PHONY: pictures
pictures: build
	python docs/pictures/make.py

# The golden vectors, computed anew: the same bytes, unless a case or the reference has changed.
.PHONY: golden
golden: .venv/.tools
	python tests/golden/generate.py

.PHONY: wheel
wheel: .venv/.tools
	uv build --quiet --python .venv/bin/python -o dist
	@ls -l dist

# The wheel for Linux on aarch64, built by ziglang, its bits beside this machine's, and its portable tests by qemu-user with
# Debian's Python (half an hour the first time). No part of `make test`: it fetches what it needs, and says what it could not.
.PHONY: wheel-aarch64
wheel-aarch64: build
	@.ci/wheel-aarch64

# All of the core for macOS, Windows and musl, compiled and linked by ziglang, and started where this machine can.
.PHONY: cross-link
cross-link: .venv/.tools
	@.ci/cross-link

.PHONY: clean
clean:
	rm -rf .venv build dist demo docs/_build docs/notebooks docs/jupyter_execute .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf tests/node/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

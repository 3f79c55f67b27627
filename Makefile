# Everything a developer or a curious user runs. `make demo` and `make test` start from nothing but Python and Rust:
# they make their own environment in .venv, build the compiled core and run.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := build
RELEASE := $(BUILD)/release
# Without compiling what is installed: Python does it for the modules that are imported.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

CARGO_LOCKED := $(if $(wildcard Cargo.lock),--locked)
RUST_FILES := Cargo.toml $(wildcard Cargo.lock) $(shell find crates -name '*.rs' -o -name Cargo.toml)
PYTHON_FILES := conftest.py python benches docs examples tests tools

# The interpreter that the border is compiled against: the same for cargo and maturin, so that neither rebuilds for the other.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Where the environment forbids it, Python would compile every module at each start: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

BENCH_DOCUMENTS ?= 200000

# For `make fuzz`: for how long each law is tried, and which (all, where none is named).
SECONDS ?= 60
LAWS ?=

# What a kernel can change, seen from Python; the core's own tests run each kernel by force.
# The middle kernel differs from one of its neighbours in a few loops only. With the portable one go those of the core's tests
# that use such loops; all of them go with the fastest. The words are parts of the tests' paths. The tests of `hamming` and of
# `normalise::buffer` send every case through each kernel themselves, in the first run.
CORE_KERNELS := normalise:: simplify:: windows:: fingerprint:: sketch:: sample:: scheme::cut --skip normalise::buffer
PORTABLE_CORE := candidates:: tests::decide:: combine:: scheme::
MIDDLE_KERNEL_TESTS := tests/golden tests/property/test_twin.py
# tests/property/test_plans.py runs every kernel itself.
KERNEL_TESTS := tests/golden tests/property/test_twin.py \
	$(if $(SLOW),tests/unit tests/property/test_plans.py,tests/unit/test_fingerprint.py tests/unit/test_similarity_search.py tests/unit/test_dedup.py)

# The packages of both crates, so that the tests take the build of the core that is in the module; see `shared-build` in Cargo.toml
# of the core. The border has no tests of its own; `--lib` and `--tests` would compile it for them all the same.
CORE_TESTS := cargo test $(CARGO_LOCKED) --package simsieve-core --package simsieve-py --features simsieve-core/shared-build

# Tests of the core that `make test` leaves to `make test-more`: every width and plan of pairs across two collections of
# fingerprints. What is asked of them at most sizes, the tests of `hamming` and of `--against` ask too.
LONG_CORE := hamming::join_tests

# Several tests at a time; each worker takes over what another has not come to.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

THREADS := $(BUILD)/threads

# Spark is 460 MB, so it has an environment of its own, which uses the module that `make build` has made.
SPARK := $(BUILD)/spark
SAIL := $(BUILD)/sail
RAY := $(BUILD)/ray

# What makes the site of the docs takes 40 s to fetch, and nothing else needs it.
SITE := $(BUILD)/site

# Packages of pipelines for retrieval, which need other versions than the developer's tools.
PIPELINES := $(BUILD)/pipelines

# SecantusDB is under the GPL, so it is in an environment of its own and runs as a program of its own.
SECANTUS := $(BUILD)/secantus

# Not empty where the middle kernel runs and is not the fastest, which all other tests take.
HAS_AVX2 := $(shell grep -qw avx2 /proc/cpuinfo 2>/dev/null && grep -qw avx512vbmi2 /proc/cpuinfo && echo yes)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help tools build build-release bench-peers demo demo-mongo demo-spark test test-more test-all compile-core-tests test-core test-python test-long test-kernels test-arm test-portable test-threads test-spark test-sail test-ray test-secantus test-pipelines test-wheel test-sdist wheel wheel-arm fuzz check check-rust check-python licences counts counts-renew format docs bench clean

help: ## show what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

tools: ## look whether Python, its venv module and Rust are here and new enough
	@sh tools/check_tools.sh "$(PYTHON)"

# What building and running needs, in the versions of requirements-dev.txt: seconds, where all of that file takes a minute.
$(VENV)/.runtime: requirements-dev.txt
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP_INSTALL) maturin numpy click rich --constraint requirements-dev.txt
	@touch $@

$(VENV)/.installed: $(VENV)/.runtime
	$(PIP_INSTALL) --requirement requirements-dev.txt
	@touch $@

$(VENV)/.built: $(VENV)/.runtime pyproject.toml README.md $(RUST_FILES)
	@rm -f $(VENV)/.built-release
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --features shared-build $(CARGO_LOCKED)
	@touch $@

$(VENV)/.built-release: $(VENV)/.runtime pyproject.toml README.md $(RUST_FILES)
	@rm -f $(VENV)/.built
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release $(CARGO_LOCKED)
	@touch $@

build: $(VENV)/.built ## make the environment and build the compiled core into it, quick to build

build-release: $(VENV)/.built-release ## build the compiled core into the environment as wheels have it: for measuring

demo: build ## find the near-duplicates of examples/texts.jsonl and show them
	@mkdir -p $(BUILD)/demo
	$(BIN)/simsieve dedup examples/texts.jsonl -o $(BUILD)/demo/kept.jsonl --decisions $(BUILD)/demo/decisions.jsonl \
		--summary $(BUILD)/demo/summary.json
	$(BIN)/simsieve pairs --conflict numbers examples/texts.jsonl -o $(BUILD)/demo/pairs.jsonl
	$(BIN)/python examples/check.py $(BUILD)/demo/decisions.jsonl $(BUILD)/demo/pairs.jsonl
	@echo "The kept texts, every decision and the pairs are in $(BUILD)/demo."

demo-mongo: build $(VENV)/.installed ## start a server of MongoDB, mark and copy the examples in it, and undo it
	$(BIN)/python -m tools.demo_mongo

demo-spark: build $(SPARK)/.installed ## start a cluster of Spark on this machine, decide on the examples, and compare
	PYTHONPATH=python:. $(SPARK)/bin/python -m tools.demo_spark

# The pinned tools are fetched while the core's tests are compiled: rustc leaves a processor idle for a third of that time.
test: build ## run the tests that find most mistakes, with the fastest kernel that this machine has
	@$(MAKE) --no-print-directory --jobs 2 compile-core-tests $(VENV)/.installed
	@$(MAKE) --no-print-directory test-core test-python

test-more: test-long test-kernels ## run the longer tests: servers, a browser, the pages of docs, killed runs; and every other kernel

test-all: ## run all tests, the exhaustive ones too
	SIMSIEVE_TEST_PROFILE=all $(MAKE) --no-print-directory test test-more test-ray test-portable counts test-arm wheel-arm SLOW=yes

# The module comes first: its build of the core is the one that the tests take.
compile-core-tests: build
	$(CORE_TESTS) --no-run

# For `make test-core ONLY=search`: words of the names of tests.
ONLY ?=
test-core: build ## run the core's tests; ONLY=search for some
	$(CORE_TESTS) -- $(ONLY) --skip $(LONG_CORE)$(if $(SLOW), --include-ignored)

test-python: build $(VENV)/.installed
	$(PYTEST) -m "not long$(if $(SLOW),, and not slow)"

# Many of these wait: for a server, a killed run, a browser. So there is a worker more than there are processors.
test-long: build $(VENV)/.installed
	$(CORE_TESTS) -- $(LONG_CORE)$(if $(SLOW), --include-ignored)
	$(PYTEST) --numprocesses $$($(BIN)/python -c 'import os; print(1 + (os.cpu_count() or 1))') -m "long$(if $(SLOW),, and not slow)" tests

test-kernels: build $(VENV)/.installed
	SIMSIEVE_KERNEL=portable $(CORE_TESTS) -- $(CORE_KERNELS) $(PORTABLE_CORE)
	$(if $(HAS_AVX2),SIMSIEVE_KERNEL=avx2 $(CORE_TESTS) -- $(CORE_KERNELS))
	SIMSIEVE_KERNEL=portable $(PYTEST) -m "not slow" $(KERNEL_TESTS)
	$(if $(HAS_AVX2),SIMSIEVE_KERNEL=avx2 $(PYTEST) -m "not slow" $(MIDDLE_KERNEL_TESTS))

test-arm: tools ## run the core's tests of kernels on 64-bit ARM, in an emulator; fetches it and a compiler from Debian 12 (250 MB)
	sh tools/test_arm.sh $(ONLY) $(if $(ONLY),,$(CORE_KERNELS) $(PORTABLE_CORE) hamming:: --skip $(LONG_CORE))

test-portable: build ## run the core's tests of files with the side of `base::os` that needs no Unix
	cargo test $(CARGO_LOCKED) --package simsieve-core --features portable-os -- source:: storage:: sink:: index::

# pyo3 leaves the stable ABI for such an interpreter by itself.
test-threads: ## make a wheel for an interpreter without a GIL, and let threads race in it: PYTHON=python3.14t
	@$(PYTHON) -c 'import sys; sys.exit(getattr(sys, "_is_gil_enabled", lambda: True)())' || \
		{ echo "$(PYTHON) has a GIL: name an interpreter without one, as in make test-threads PYTHON=python3.14t"; exit 1; }
	$(PYTHON) -m venv --clear $(THREADS)
	$(THREADS)/bin/python -m pip install --quiet --disable-pip-version-check maturin numpy click rich pytest pytest-timeout hypothesis \
		--constraint requirements-dev.txt
	PYO3_PYTHON=$(CURDIR)/$(THREADS)/bin/python $(THREADS)/bin/maturin build --release $(CARGO_LOCKED) --auditwheel check \
		--interpreter $(THREADS)/bin/python --target-dir target/threads --out $(THREADS)/dist
	$(THREADS)/bin/python -m pip install --quiet --disable-pip-version-check $(THREADS)/dist/*
	$(THREADS)/bin/python -m pytest -p no:cacheprovider tests/unit/test_races.py tests/golden/test_golden.py

$(SPARK)/.installed: tools/requirements-spark.txt
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv --clear $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement tools/requirements-spark.txt
	@touch $@

test-spark: build ## test the jobs on a cluster of Spark, which is fetched (510 MB) where there is Java; SLOW=yes for all tests; ENGINE=connect for Spark Connect
	@if command -v java >/dev/null; then \
		$(MAKE) --no-print-directory $(SPARK)/.installed && \
		SIMSIEVE_SPARK=required SIMSIEVE_SPARK_ENGINE=$(or $(ENGINE),cluster) PYTHONPATH=python:. $(SPARK)/bin/python -m pytest tests/spark $(if $(SLOW),,-m "not slow"); \
	else echo "SPARK NOT TESTED: install Java 17 or later"; fi

$(SAIL)/.installed: tools/requirements-sail.txt
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv --clear $(SAIL)
	$(SAIL)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement tools/requirements-sail.txt
	@touch $@

test-sail: build $(SAIL)/.installed ## test the jobs on Sail, an engine without Java that speaks the protocol of Spark Connect; fetches it
	SIMSIEVE_SPARK=required SIMSIEVE_SPARK_ENGINE=sail PYTHONPATH=python:. $(SAIL)/bin/python -m pytest tests/spark $(if $(SLOW),,-m "not slow")

$(RAY)/.installed: tools/requirements-ray.txt
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv --clear $(RAY)
	$(RAY)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement tools/requirements-ray.txt
	@touch $@

test-ray: build $(RAY)/.installed ## test the jobs on two nodes of Ray on this machine; fetches it (600 MB); SLOW=yes for all tests
	SIMSIEVE_RAY=required PYTHONPATH=python:. $(RAY)/bin/python -m pytest tests/ray $(if $(SLOW),,-m "not slow")

$(PIPELINES)/.installed: tools/requirements-pipelines.txt
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv --clear $(PIPELINES)
	$(PIPELINES)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement tools/requirements-pipelines.txt
	@touch $@

test-pipelines: build $(VENV)/.installed $(PIPELINES)/.installed ## test the steps of docs/how-to/pipelines.md on the real packages, which are fetched
	$(BIN)/python -m pytest tests/docs/test_pipelines.py

$(SECANTUS)/.installed: tools/requirements-secantus.txt
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv --clear $(SECANTUS)
	$(SECANTUS)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement tools/requirements-secantus.txt
	@touch $@

test-secantus: build $(VENV)/.installed $(SECANTUS)/.installed ## test runs on SecantusDB, which answers as MongoDB 8, and is fetched (170 MB)
	SIMSIEVE_SECANTUS=$(CURDIR)/$(SECANTUS)/bin/secantusd-py $(BIN)/python -m pytest -m "not slow" \
		tests/mongo/test_source.py tests/mongo/test_sinks.py tests/mongo/test_since.py

test-wheel: build ## pack the module of `make build` as a wheel for this machine, install it away from the sources and use it
	sh tools/test_wheel.sh wheel $(VENV)

$(RELEASE)/.installed: requirements-release.txt requirements-dev.txt
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv --clear $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-release.txt \
		--constraint requirements-dev.txt
	@touch $@

wheel: $(RELEASE)/.installed ## make the wheel that a release uploads, check and use it; leaves it in dist; takes some minutes
	sh tools/test_wheel.sh release $(RELEASE)

wheel-arm: $(RELEASE)/.installed ## make that wheel for 64-bit ARM, and use and test it in an emulator, as test-arm does the core
	sh tools/test_wheel.sh arm $(RELEASE)

test-sdist: $(RELEASE)/.installed ## pack the sources, have pip build them in an empty environment and use it; leaves them in dist; minutes
	sh tools/test_wheel.sh sdist $(RELEASE)

# What checks the Rust code leaves a processor idle at times; what checks the Python code takes that, and fetches its tools there.
check: ## formatting, lints, types, stubs and import rules; changes nothing
	@$(MAKE) --no-print-directory --jobs 2 check-rust check-python

check-rust: build
	cargo fmt --all --check
	cargo fmt --manifest-path crates/simsieve-core/fuzz/Cargo.toml --check
	cargo fmt --manifest-path benches/generator/Cargo.toml --check
	cargo clippy $(CARGO_LOCKED) --workspace --all-targets -- -D warnings
	sh tools/check_portable.sh

check-python: build $(VENV)/.installed licences
	$(BIN)/ruff format --check $(PYTHON_FILES)
	$(BIN)/ruff check $(PYTHON_FILES)
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml \
		--allowlist tools/stubtest-allowlist.txt --ignore-unused-allowlist simsieve._core
	$(BIN)/lint-imports --no-logo --no-cache --config pyproject.toml
	$(BIN)/zizmor --offline --quiet --strict-collection .github

licences: build $(VENV)/.installed ## hold the licences of all crates and needed packages against the list of deny.toml
	$(BIN)/python tools/check_licences.py

fuzz: tools ## send bytes that nobody meant to every reader, SECONDS=60 to each; LAWS="jsonl pages" for some; needs a C++ compiler
	sh tools/fuzz.sh $(SECONDS) $(LAWS)

counts: tools ## count the instructions of the hot loops and compare them with those on record
	$(PYTHON) tools/counts.py

counts-renew: tools ## put the instructions of the hot loops on record
	$(PYTHON) tools/counts.py --renew

format: build $(VENV)/.installed ## format the sources and fix what the linter can fix
	cargo fmt --all
	$(BIN)/ruff check --fix $(PYTHON_FILES)
	$(BIN)/ruff format $(PYTHON_FILES)

$(SITE)/.installed: tools/requirements-site.txt
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv --clear $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement tools/requirements-site.txt
	@touch $@

docs: build $(SITE)/.installed ## renew the generated pages of docs/reference, and make the site in build/docs/site/html, its links checked
	$(BIN)/python docs/make_cli.py
	$(BIN)/python docs/make_settings.py
	$(BIN)/python docs/make_scheme_options.py
	$(BIN)/python docs/make_api.py
	$(BIN)/python docs/make_skill.py
	$(BIN)/python docs/make_site.py $(CURDIR)/$(SITE)/bin/zensical

bench: build-release $(VENV)/.installed ## measure speed, recall and agreement with labels; takes some minutes
	@mkdir -p $(BUILD)/bench
	$(BIN)/python benches/bench_dedup.py --documents $(BENCH_DOCUMENTS) --folder $(BUILD)/bench
	$(BIN)/python benches/labels.py
	$(BIN)/python benches/lost.py
	$(BIN)/python benches/threshold.py
	$(BIN)/python benches/experiments.py scripts
	$(BIN)/python benches/speed.py
	$(BIN)/python benches/near_pairs.py
	$(BIN)/python benches/scale.py growth
	$(BIN)/python benches/index.py
	$(BIN)/python benches/serve.py
	$(BIN)/python benches/review.py
	$(BIN)/python benches/crowds.py
	$(BIN)/python benches/large_crowds.py -- --memory 1GiB
	$(BIN)/python benches/large.py --documents 1000000
	$(BIN)/python benches/large.py --documents 50000 --pages
	$(BIN)/python benches/experiments.py bad-lines --documents 1000000
	$(BIN)/python benches/planted.py --documents 20000 --copies 500 --ways once tf log idf jaccard
	$(BIN)/python benches/containment.py --documents 10000 --parts 200
	$(BIN)/python benches/segment.py
	$(BIN)/python benches/experiments.py twins --records 100 --characters 5000
	$(BIN)/python benches/esimhash.py
	$(BIN)/python benches/pages.py
	$(BIN)/python benches/dom.py
	$(BIN)/python benches/dom.py runs
	$(BIN)/python benches/experiments.py images

bench-peers: build-release ## other programs on the same 100,000 documents, each in an environment of its own (2 GB); half an hour
	$(BIN)/python benches/peers.py install $(BUILD)/peers
	$(BIN)/python benches/bench_dedup.py --documents 100000 --peers $(BUILD)/peers

clean: ## remove the environment and all that was built
	rm -rf $(VENV) $(BUILD) dist target .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find $(PYTHON_FILES) -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f python/simsieve/_core*.so

# `make` builds, `make help` lists the rest. Every target may be repeated: it does only what is still to do.
#
#   JOBS=n            compile and test with n processes (default: all cores)
#   SETUP=true        do not look for packages; they come from elsewhere
#   FUZZ_SECONDS=n    how long `make fuzz` runs
#   COMPILER=c++      compile with this (default: clang++-19, which takes two thirds of g++'s time; either will do)
#   PREFIX, DESTDIR   where `make install` goes

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: build test test-release test-all test-roundings sanitize demo python bench fuzz mutate install package docs setup format tidy clean help

JOBS ?= $(shell nproc)
SETUP ?= tools/setup
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
COMPILER ?= $(shell command -v clang++-19 || command -v c++)

compile = cmake --build build/$(1) -j $(JOBS)
# Tests labelled `once` (command line, emitted code, LaTeX, mutations, arrows, quotes) say nothing new in a sanitized build; `long` ones take minutes each.
run_tests = ctest --preset $(1) -j $(JOBS) --no-tests=error --no-label-summary -O build/$(1)/ctest.log

build: build/release/build.ninja  ## compile everything, optimised, into build/release
	$(call compile,release)

test: test-release sanitize  ## the tests: optimised, then a chosen set under AddressSanitizer and UBSan
	@echo
	@for preset in release sanitize; do \
	    printf '%-10s' $$preset; grep 'tests passed' build/$$preset/ctest.log; \
	done

test-release: build | setup-test setup-tex setup-web
	$(call run_tests,release) -LE long

sanitize: build/sanitize/build.ninja  ## the rooms' own code under AddressSanitizer and UBSan
	$(call compile,sanitize)
	$(call run_tests,sanitize) -LE 'once|long'

test-all: build test-roundings | setup-test setup-tex setup-web  ## everything, the long tests too: all mistakes of test/mutation, all emitted code and LaTeX, all under sanitizers
	$(call run_tests,release)
	cmake --preset sanitize -D LINKWRIGHT_SANITIZE_ALL=ON
	$(call compile,sanitize)
	$(call run_tests,sanitize) -LE 'once|long'
	cmake --preset sanitize -D LINKWRIGHT_SANITIZE_ALL=OFF

test-roundings: build | setup-roundings  ## the numeric tests again with other roundings: libm, LAPACK, code, parameters
	tools/test_roundings build/release --jobs $(JOBS)

demo: build/release/build.ninja  ## a short tour of what there is
	$(call compile,release) --target linkwright
	examples/demo build/release/bin/linkwright

python: build/release/build.ninja | setup-python  ## the package for Python, built into build/release/python and tested
	cmake --preset release -D LINKWRIGHT_PYTHON=ON
	$(call compile,release) --target linkwright linkwright_python
	ctest --preset release -R '^python$$' --no-tests=error

bench: build/bench/build.ninja  ## speed, beside GiNaC, SymPy, MuJoCo, Simbody and SciPy
	$(call compile,bench)
	bench/run build/bench/bin
	bench/growth build/bench/bin
	python3 bench/ensemble_rates.py build/bench/bin/linkwright

fuzz: build/fuzz/build.ninja  ## hostile input for the parser and the model reader, FUZZ_SECONDS each
	$(call compile,fuzz)
	for what in parse model; do \
	    mkdir -p build/fuzz/corpus/$$what; \
	    build/fuzz/bin/$${what}_fuzz -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -artifact_prefix=build/fuzz/ \
	        -dict=fuzz/$$what.dict build/fuzz/corpus/$$what fuzz/corpus/$$what; \
	done

mutate: build  ## every term of the mechanics dropped, doubled, flipped: lists what no test notices (15 minutes)
	tools/mutate --program laws --auto src/linkwright/spatial/{inertia,pose,rotation}.cpp src/linkwright/kinematics/*.cpp \
	    src/linkwright/formulation/*.cpp src/linkwright/formulation/kane/kane.cpp

install: build  ## put program, manual, completions, library and headers under PREFIX
	cmake --install build/release --prefix "$(PREFIX)"

package: build | setup-package  ## Debian packages of program and library, into build/
	cpack --config build/release/CPackConfig.cmake -B build/package
	cp build/package/*.deb build/
	@ls build/*.deb

docs: build/release/build.ninja | setup-docs  ## the manual for a browser: guide, models with pictures, reference of the headers; build/manual/index.html
	$(call compile,release) --target linkwright
	tools/make_manual build/manual --api --program build/release/bin/linkwright

setup:  ## install the packages that building and testing need
	@$(SETUP) build

format: setup-lint  ## lay out the sources as .clang-format says
	tools/check_format --fix

tidy: build/tidy/build.ninja  ## clang-tidy over every source
	$(call compile,tidy)

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' Makefile | expand -t 16
	@echo; sed -n 's/^#   //p' Makefile

setup-%:
	@$(SETUP) $*

build/%/build.ninja: CMakePresets.json | setup
	CXX=$(COMPILER) cmake --preset $*
	@touch $@

build/sanitize/build.ninja: | setup-sanitize
build/bench/build.ninja: | setup-bench
build/fuzz/build.ninja: | setup-fuzz
build/tidy/build.ninja: | setup-lint

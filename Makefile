# `make run` and `make test` are all that a fresh machine with a Swift toolchain needs.
#
#   make run ARGS="--port 9000 --data ./data"     what follows `portico serve`
#   make bench-check RECORD=1                     see Tests/Benchmarks
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test coverage soak soak-hostile golden lint format structure docs docs-check bench bench-check fuzz \
	clients explorer explorer-check image image-check setup clean

ARGS ?=
IMAGE ?= portico

# One set of options for lint and test, so that they share one debug build.
checked := --explicit-target-dependency-import-check error
sources := Package.swift Sources Tests
# All tests of a run share two threads: started all at once, those that wait for a response starve behind those that
# compute. The tests that load the executable for a minute run apart, with nothing beside them.
apart := SoakTests
swift_test = swift test --skip-build --disable-xctest --experimental-maximum-parallelization-width 8 $(checked)
run_tests = $(swift_test) $(1) --skip '$(apart)' && $(swift_test) $(1) --filter '$(apart)'
covered := .build/coverage
# What kills the executable again and again, 50 times in make test; and what loads it for minutes, with nothing beside.
killing := ^PorticoTests\.(Crash|Ledger)SoakTests
loading := ^PorticoTests\.FaultSoakTests
SOAK_ROUNDS ?= 500
SOAK_MINUTES ?= 10

help: ## Print this
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 22

run: setup ## Build Portico and start it with the sandbox on 127.0.0.1:8080; no account or key is needed
	@Scripts/explorer.sh || true  # It says what is missing, and so does the page.
	swift build -c release --product portico
	PORTICO_EXPLORER="$${PORTICO_EXPLORER-Explorer}" exec "$$(swift build -c release --product portico --show-bin-path)/portico" serve $(ARGS)

test: setup ## Build everything and run all tests, those of the built executable among them
	swift build --build-tests $(checked)
	$(call run_tests)

coverage: setup ## Run all tests in a build of its own, and tell what of the engine, the gateway and the storage they reach
	swift build --build-tests --enable-code-coverage --scratch-path $(covered) $(checked)
	rm -rf $(covered)/profiles
	export LLVM_PROFILE_FILE=$(CURDIR)/$(covered)/profiles/%p.profraw; \
		$(call run_tests,--scratch-path $(covered))
	Scripts/coverage.sh $(covered)

soak: setup soak-hostile ## Kill the built executable SOAK_ROUNDS times (500), load it for SOAK_MINUTES (10) while providers fail
	swift build --build-tests $(checked)
	SOAK_ROUNDS=$(SOAK_ROUNDS) $(swift_test) --filter '$(killing)'
	SOAK_MINUTES=$(SOAK_MINUTES) $(swift_test) --filter '$(loading)'

soak-hostile: setup ## Send SOAK_REQUESTS hostile requests (1,000,000) to a release build beside legitimate users
	swift build -c release --product portico
	swift build -c release --product HostileSoak
	binaries="$$(swift build -c release --show-bin-path)"; "$$binaries/HostileSoak" "$$binaries/portico"

golden: setup ## Record the answers to schema/operations anew, in Tests/Golden/operations; then look at the difference
	swift build --build-tests $(checked)
	RECORD_GOLDEN=1 $(swift_test) --filter 'GoldenAnswerTests|UpstreamCallTests'

lint: setup ## Check the format, the imports between rooms, that nothing warns, the contract, and the made pages
	swift format lint --strict --recursive --parallel $(sources)
	swift build --build-tests $(checked)
	portico="$$(swift build --show-bin-path)/portico"; \
		"$$portico" schema lint schema/schema.graphql; \
		"$$portico" schema diff Tests/Golden/schema/released.graphql schema/schema.graphql; \
		"$$portico" docs --check Sources/Portico/Portico.docc

structure: ## Count files, lines, split types and repeated names, with their limits
	@Scripts/structure.sh $(ARGS)

docs: setup ## Write the pages of the documentation that are made from the code
	swift build --product portico
	"$$(swift build --product portico --show-bin-path)/portico" docs Sources/Portico/Portico.docc

docs-check: setup ## Run every command and snippet of the README and the documentation, and compare with what they show
	Scripts/docs-check.sh

format: ## Put every file into the house's format
	swift format --in-place --recursive --parallel $(sources)

bench: setup ## Measure the engine, the front door and the whole, beside graphql-js; ARGS="door home" for a part
	Scripts/bench.sh $(ARGS)

bench-check: setup ## Fail if the engine or a chart allocates more than Tests/Benchmarks says it may
	Scripts/bench.sh check

fuzz: setup ## Feed made-up input to the engine and to the sockets, FUZZ_RUNS inputs a target
	Scripts/fuzz.sh

clients: setup ## Drive Portico with client libraries that others wrote, fetched from PyPI
	Scripts/clients.sh

explorer: ## Fetch what the explorer at / is made with, from PyPI; make run does so too
	@Scripts/explorer.sh

explorer-check: setup explorer ## Drive the explorer and the example in headless Chromium
	Scripts/explorer-check.sh

image: ## Build the image with docker, podman or buildah
	Scripts/image.sh $(IMAGE)

image-check: ## Build the image, start it, ask it, stop it
	Scripts/image-check.sh

setup:
	@Scripts/setup.sh

clean: ## Remove what was built
	rm -rf .build Tests/Benchmarks/.build Tests/Fuzz/.build

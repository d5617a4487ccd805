# On a machine with a Swift toolchain, `make run` and `make test` are sufficient.
#
#   make run ARGS="--port 9000 --data ./data"     arguments of `portico serve`
#   make run RELEASE=1                            an optimized build, which takes twice as long
#   make bench-check RECORD=1                     see Tests/Benchmarks
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test coverage soak soak-hostile golden diff-check lint format structure docs docs-check site site-check bench bench-check fuzz \
	clients subgraph-check sdk-check client-kits explorer explorer-check screenshots dist package-check release image image-check manifests-check chart-check setup setup-tests clean

ARGS ?=
IMAGE ?= portico

# One set of options for lint and test, so that they share one debug build.
checked := --explicit-target-dependency-import-check error
# Without RELEASE, make run shares the debug build, too.
run_options = $(if $(RELEASE),-c release,$(checked))
sources := Package.swift Sources Tests
# The tests of a run share the threads of two cores. If all start at once, tests that wait for a response get no thread
# while others compute. Tests that load the executable for a minute run after the others, and then those whose bounds are
# promises in seconds.
apart := SoakTests
timed := StreamFailoverTests|ReplicaFailureTests|ReplicaAccessTests/revocations|ReplicaSizingTests/idle
swift_test = Scripts/swift-test.sh --skip-build --disable-xctest --experimental-maximum-parallelization-width 8 $(checked)
run_tests = $(swift_test) $(1) --skip '$(apart)|$(timed)' && $(swift_test) $(1) --filter '$(apart)' && \
	$(swift_test) $(1) --filter '$(timed)'
covered := .build/coverage
# The libraries of portico client-kit.
libraries := apollo urql relay apollo-ios codegen
# Tests that kill the executable, 50 times in make test, also while orders with exits and alerts are written, or several of
# its replicas; and tests that load it for minutes, without other tests.
killing := ^PorticoAppTests\.(Alert|Bracket|Crash|Ledger|Quota|Replica)SoakTests
loading := ^PorticoAppTests\.FaultSoakTests
SOAK_ROUNDS ?= 500
SOAK_MINUTES ?= 10

help: ## Print this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 24

run: setup ## Build Portico and start it with the sandbox on 127.0.0.1:8080; no account or key is needed
	@Scripts/explorer.sh || true  # On failure the script and the page report the reason.
	swift build $(run_options) --product portico
	PORTICO_EXPLORER="$${PORTICO_EXPLORER-Explorer}" exec "$$(swift build $(run_options) --product portico --show-bin-path)/portico" serve $(ARGS)

test: setup-tests ## Build everything and run all tests, including those of the built executable
	swift build --build-tests $(checked)
	$(call run_tests)

coverage: setup-tests ## Run all tests in a separate build, and report the coverage of the engine, the gateway and the storage
	swift build --build-tests --enable-code-coverage --scratch-path $(covered) $(checked)
	rm -rf $(covered)/profiles
	export LLVM_PROFILE_FILE=$(CURDIR)/$(covered)/profiles/%p.profraw; \
		$(call run_tests,--scratch-path $(covered))
	Scripts/coverage.sh $(covered)

soak: setup-tests soak-hostile ## Kill the built executable SOAK_ROUNDS times (500), also during 200 brackets and 1,000 alerts; disturb replicas and their servers; load it for SOAK_MINUTES (10) while providers fail
	swift build --build-tests $(checked)
	SOAK_ROUNDS=$(SOAK_ROUNDS) $(swift_test) --filter '$(killing)'
	SOAK_ROUNDS=$(SOAK_ROUNDS) $(swift_test) --filter '$(timed)'
	SOAK_MINUTES=$(SOAK_MINUTES) $(swift_test) --filter '$(loading)'

soak-hostile: setup ## Send SOAK_REQUESTS hostile requests (1,000,000, in a quarter of an hour) to a release build, together with legitimate users
	swift build -c release --product portico
	swift build -c release --product HostileSoak
	binaries="$$(swift build -c release --show-bin-path)"; "$$binaries/HostileSoak" "$$binaries/portico"

golden: setup ## Record the responses of the sandbox that tests and the schema reference have; then read the difference
	swift build --build-tests $(checked)
	RECORD_GOLDEN=1 $(swift_test) --filter 'GoldenAnswerTests|UpstreamCallTests|SchemaExampleTests'

diff-check: setup ## Compare portico schema diff with graphql-js on generated pairs of schemas
	swift build $(checked) --product portico
	Scripts/schema-diff-check.sh

lint: setup ## Check the format, names in comments and pages, the structure of the sources, the imports between targets, warnings, the schema, generated pages, client kits, examples, and manifests
	swift format lint --strict --recursive --parallel $(sources)
	Scripts/names-check.sh
	Scripts/structure.sh --check
	swift build --build-tests $(checked)
	portico="$$(swift build --show-bin-path)/portico"; \
		"$$portico" schema lint --strict schema/schema.graphql; \
		"$$portico" schema diff Tests/Golden/schema/released.graphql schema/schema.graphql; \
		"$$portico" docs --check docs; \
		for library in $(libraries); do "$$portico" client-kit --for "$$library" --check --out "clients/$$library"; done; \
		"$$portico" operations check --fail-on deprecated clients/examples
	Scripts/manifests-check.sh

structure: ## Count long and short files, split types and names, with the limit of each
	@Scripts/structure.sh $(ARGS)

client-kits: setup ## Write the client kits in clients
	swift build $(checked) --product portico
	portico="$$(swift build --product portico --show-bin-path)/portico"; \
		for library in $(libraries); do "$$portico" client-kit --for "$$library" --force --out "clients/$$library"; done

docs: setup ## Write the generated pages of the documentation
	swift build $(checked) --product portico
	"$$(swift build --product portico --show-bin-path)/portico" docs docs

site: ## Build the site of the documentation into .build/site, and check its links
	Scripts/site.sh

site-check: setup site ## Check each page of the site with axe's rules in headless Chromium, on wide and narrow screens, light and dark
	Scripts/site-check.sh

docs-check: setup site ## Run every command and snippet of the README and the documentation, and compare the results
	Scripts/docs-check.sh

format: ## Format every file
	swift format --in-place --recursive --parallel $(sources)

bench: setup ## Measure the engine, the gateway, the server, the whole program, private data and replicas, and graphql-js; ARGS="server home" for a part
	Scripts/bench.sh $(ARGS)

bench-check: setup ## Fail if the engine or a chart allocates more than the thresholds in Tests/Benchmarks
	Scripts/bench.sh check

fuzz: setup ## Send generated input to the engine and to the sockets, FUZZ_RUNS inputs for each target
	Scripts/fuzz.sh

clients: setup ## Test Portico and the client kits with public client libraries, fetched from PyPI and npm
	Scripts/clients.sh

subgraph-check: setup ## Compose Portico with another subgraph, and run operations over both; FEDERATION is a checkout of Apollo's
	Scripts/subgraph-check.sh

sdk-check: setup ## Run public SDKs of the providers, fetched from PyPI, against the sandbox
	Scripts/sdk-check.sh

explorer: ## Fetch the libraries of the explorer at / from PyPI; make run does so too
	@Scripts/explorer.sh

explorer-check: setup explorer ## Test the explorer and the example in headless Chromium
	Scripts/explorer-check.sh

screenshots: setup explorer ## Take pictures of the explorer and the example into .build/screenshots; UPDATE=1 for docs/images
	Scripts/screenshots.sh

dist: setup ## Build an archive and a Debian package for machines without Swift into .build/dist, with SBOM and checksums
	Scripts/dist.sh

package-check: setup ## Install, start, upgrade, restore and remove the Debian package on systemd in namespaces, as root
	Scripts/package-check.sh

release: setup ## Build archive, package, image, SBOM, signed checksums and release notes of VERSION into .build/release-VERSION
	Scripts/release.sh "$(VERSION)"

image: ## Build the image with docker, podman or buildah
	Scripts/image.sh $(IMAGE)

image-check: ## Build the image, start it, send requests, stop it
	Scripts/image-check.sh

manifests-check: ## Build the overlays of Docker/kubernetes and validate them against the schemas of Kubernetes
	Scripts/manifests-check.sh

chart-check: ## Lint the Helm chart, and compare its objects with the overlays and components of Docker/kubernetes
	Scripts/chart-check.sh

setup:
	@Scripts/setup.sh

# Also the database servers that tests start.
setup-tests:
	@Scripts/setup.sh tests

clean: ## Remove all build products
	rm -rf .build .build-dist Tests/Benchmarks/.build Tests/Fuzz/.build

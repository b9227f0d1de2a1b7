# See https://tech.davis-hansson.com/p/make/
SHELL := bash
.DELETE_ON_ERROR:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --warn-undefined-variables
MAKEFLAGS += --no-builtin-rules
MAKEFLAGS += --no-print-directory

MODULES := $(sort $(dir $(shell find . -name go.mod -not -path '*/testdata/*')))
FUZZTIME ?= 20s
BENCH_FLAGS ?=
DEMO_FLAGS ?=

.PHONY: help
help: ## Describe the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-10s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## Run the demo: a RAG service, real questions, a summary
	go run ./cmd/touchstone demo $(DEMO_FLAGS)

.PHONY: test
test: ## Test every module of the workspace
	go test work

.PHONY: race
race: ## Test with the race detector, in random order
	.ci/run race

.PHONY: lint
lint: ## Lint every module (the first run builds the linter, some two minutes)
	.ci/run lint

.PHONY: bench
bench: ## Measure beside otelhttp, otelgrpc, promhttp and dd-trace-go, and judge the goals (BENCH_FLAGS=-quick)
	cd benchmarks && GOWORK=off go run . $(BENCH_FLAGS)

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME (20s)
	grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | while IFS=: read -r file target; do \
		(cd "$${file%/*}" && go test -run='^$$' -fuzz="^$${target#func }$$" -fuzztime=$(FUZZTIME) .); \
	done

.PHONY: generate
generate: ## Regenerate the code that is checked in
	for module in $(MODULES); do (cd $$module && GOWORK=off go generate ./...); done

.PHONY: tidy
tidy: ## Tidy every module
	for module in $(MODULES); do (cd $$module && GOWORK=off go mod tidy); done
	go work sync

.PHONY: check
check: ## All that a change must pass
	.ci/run

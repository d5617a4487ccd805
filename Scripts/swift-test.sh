#!/usr/bin/env bash
# Runs `swift test` with the given arguments. If tests fail, prints their failures again after the output of all tests.
set -euo pipefail

output=$(mktemp)
trap 'rm -f "$output"' EXIT
swift test "$@" 2>&1 | tee "$output" && exit

# Swift Testing marks a failure with ✘, and the lines that explain it with ↳. A test that ended the process has neither.
echo "Failures of swift test $*:"
awk '/^✘/ { failed = 1; print; next } /^↳/ && failed { print; next } { failed = 0 }' "$output" | grep -v '^✘ \(Suite\|Test run\)' ||
    tail -n 20 "$output"
exit 1

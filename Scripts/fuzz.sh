#!/usr/bin/env bash
# Feeds made-up input to the query engine, under the address sanitizer, until something breaks or the runs are done.
#
#   Scripts/fuzz.sh              every target of Tests/Fuzz
#   Scripts/fuzz.sh FuzzSchema   this one
#
# FUZZ_RUNS    inputs a target (800,000: about ten minutes on one core for all targets together)
# FUZZ_SEED    0, the default, takes another one each time; libFuzzer prints it
#
# A finding is kept in Tests/Fuzz/Findings; to see it again: TARGET FILE, to make it small: TARGET -minimize_crash=1
# FILE. Inputs that reached new code are kept beside the build, so that a later run goes on where this one ended.
set -euo pipefail
cd "$(dirname "$0")/../Tests/Fuzz"

runs=${FUZZ_RUNS:-800000}
targets=("$@")
[[ ${#targets[@]} != 0 ]] || targets=(FuzzLanguage FuzzValidator FuzzSchema FuzzExecutor FuzzRequest)

# Not `--sanitize` twice: of two the compiler heeds the last, and which that is SwiftPM leaves to chance.
build=(swift build -c release --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address)
"${build[@]}" >&2
binaries=$("${build[@]}" --show-bin-path)

findings=$PWD/Findings
mkdir -p "$findings"
failed=0

for target in "${targets[@]}"; do
    corpus=.build/corpus/$target
    seeds=Seeds/$(tr '[:upper:]' '[:lower:]' <<<"${target#Fuzz}")
    log=.build/$target.log
    mkdir -p "$corpus"
    printf '%-16s' "$target"
    # What a library of Swift's keeps for good is no leak: memory that grows shows at the limit of its size.
    if ASAN_OPTIONS=detect_leaks=0 "$binaries/$target" -runs="$runs" -seed="${FUZZ_SEED:-0}" -max_len=2048 \
        -timeout=10 -rss_limit_mb=2048 -dict=graphql.dict -print_final_stats=1 \
        -artifact_prefix="$findings/$target-" "$corpus" "$seeds" 2>"$log"; then
        # Without coverage the fuzzer is blind, and finds nothing for that reason alone.
        grep -q 'INITED cov:' "$log" || { echo "was built without coverage"; failed=1; continue; }
        awk '/number_of_executed_units/ { runs = $2 } /average_exec_per_sec/ { speed = $2 }
            END { printf "%d inputs, %d a second: no finding\n", runs, speed }' "$log"
    else
        failed=1
        echo "a finding:"
        grep -E "Fatal error|ERROR:|SUMMARY:|Test unit written" "$log" || tail -5 "$log"
    fi
done
# The front door takes its inputs over sockets, in a test that runs with as many of them.
if [[ $# == 0 ]]; then
    printf '%-16s' MutationTests
    if (cd ../.. && FUZZ_RUNS=$runs swift test --disable-xctest --filter WebTests.MutationTests) >.build/sockets.log 2>&1; then
        echo "$runs inputs: no finding"
    else
        failed=1
        echo "a finding:"
        tail -5 .build/sockets.log
    fi
fi
exit $failed

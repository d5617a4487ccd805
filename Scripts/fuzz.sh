#!/usr/bin/env bash
# Feeds made-up input to the query engine, under the address sanitizer, and to the sockets of the built executable, until
# something breaks or the runs are done.
#
#   Scripts/fuzz.sh                every target
#   Scripts/fuzz.sh FuzzSchema     this one of Tests/Fuzz
#   Scripts/fuzz.sh SocketFuzzer   the sockets
#
# FUZZ_RUNS    inputs a target (800,000, about ten minutes on one core for all of the engine's targets together; a
#              million for the sockets)
# FUZZ_SEED    0, the default, takes another one each time, which is printed
#
# A finding of the engine is kept in Tests/Fuzz/Findings; to see it again: TARGET FILE, to make it small: TARGET
# -minimize_crash=1 FILE. Inputs that reached new code are kept beside the build, so that a later run goes on where this
# one ended. A finding of the sockets names the FUZZ_SEED and FUZZ_RUNS that lead to it again.
set -euo pipefail
cd "$(dirname "$0")/../Tests/Fuzz"

targets=("$@")
[[ ${#targets[@]} != 0 ]] ||
    targets=(FuzzLanguage FuzzValidator FuzzSchema FuzzExecutor FuzzRequest SocketFuzzer)
failed=0

# Not `--sanitize` twice: of two the compiler heeds the last, and which that is SwiftPM leaves to chance.
build=(swift build -c release --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address)

fuzz_engine() {
    local target=$1 binaries findings=$PWD/Findings corpus seeds log
    "${build[@]}" >&2
    binaries=$("${build[@]}" --show-bin-path)
    corpus=.build/corpus/$target
    seeds=Seeds/$(tr '[:upper:]' '[:lower:]' <<<"${target#Fuzz}")
    log=.build/$target.log
    mkdir -p "$findings" "$corpus"
    printf '%-16s' "$target"
    # What a library of Swift's keeps for good is no leak: memory that grows shows at the limit of its size.
    if ASAN_OPTIONS=detect_leaks=0 "$binaries/$target" -runs="${FUZZ_RUNS:-800000}" -seed="${FUZZ_SEED:-0}" \
        -max_len=2048 -timeout=10 -rss_limit_mb=2048 -dict=graphql.dict -print_final_stats=1 \
        -artifact_prefix="$findings/$target-" "$corpus" "$seeds" 2>"$log"; then
        # Without coverage the fuzzer is blind, and finds nothing for that reason alone.
        grep -q 'INITED cov:' "$log" || { echo "was built without coverage"; failed=1; return; }
        awk '/number_of_executed_units/ { runs = $2 } /average_exec_per_sec/ { speed = $2 }
            END { printf "%d inputs, %d a second: no finding\n", runs, speed }' "$log"
    else
        failed=1
        echo "a finding:"
        grep -E "Fatal error|ERROR:|SUMMARY:|Test unit written" "$log" || tail -5 "$log"
    fi
}

# Of the root package, as it is built for release.
fuzz_sockets() {
    local product binaries
    for product in portico SocketFuzzer; do
        swift build -c release --package-path ../.. --product "$product" >&2
    done
    binaries=$(swift build -c release --package-path ../.. --show-bin-path)
    # Each input is a connection.
    ulimit -S -n "$(ulimit -H -n)"
    printf '%-16s' SocketFuzzer
    "$binaries/SocketFuzzer" "$binaries/portico" || failed=1
}

for target in "${targets[@]}"; do
    case $target in
        SocketFuzzer) fuzz_sockets ;;
        *) fuzz_engine "$target" ;;
    esac
done
exit $failed

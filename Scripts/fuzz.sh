#!/usr/bin/env bash
# Sends generated input to the query engine, with the address sanitizer, to the sockets of the built executable, and to the
# handler of /mcp, until an error is found or the runs are done.
#
#   Scripts/fuzz.sh                every target
#   Scripts/fuzz.sh FuzzSchema     one target of Tests/Fuzz
#   Scripts/fuzz.sh Incremental    operations with @defer and @stream, in comparison with those without
#   Scripts/fuzz.sh SocketFuzzer   the sockets
#   Scripts/fuzz.sh ToolMessages   messages of JSON-RPC to the handler of /mcp, in one process
#
# FUZZ_RUNS    inputs for each target (800,000, about ten minutes on one core for all targets of the engine together;
#              100,000 operations with @defer and @stream; a million for the sockets and for /mcp)
# FUZZ_SEED    the seed; 0, the default, uses a new one each time, which is printed
#
# A finding of the engine is stored in Tests/Fuzz/Findings. To reproduce it: TARGET FILE; to minimize it: TARGET
# -minimize_crash=1 FILE. Inputs that reached new code are stored with the build, so that the next run continues with them.
# A finding of the sockets is printed with the FUZZ_SEED and FUZZ_RUNS that reproduce it.
set -euo pipefail
cd "$(dirname "$0")/../Tests/Fuzz"

targets=("$@")
[[ ${#targets[@]} != 0 ]] ||
    targets=(FuzzLanguage FuzzValidator FuzzSchema FuzzExecutor FuzzRequest Incremental SocketFuzzer ToolMessages)
failed=0

# Not `--sanitize` twice: the compiler uses only the last one, and SwiftPM does not define their order.
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
    # Memory that Swift's libraries never release is not a leak; growing memory is detected by its limit.
    if ASAN_OPTIONS=detect_leaks=0 "$binaries/$target" -runs="${FUZZ_RUNS:-800000}" -seed="${FUZZ_SEED:-0}" \
        -max_len=2048 -timeout=10 -rss_limit_mb=2048 -dict=graphql.dict -print_final_stats=1 \
        -artifact_prefix="$findings/$target-" "$corpus" "$seeds" 2>"$log"; then
        # Without coverage data the fuzzer cannot find new paths.
        grep -q 'INITED cov:' "$log" || { echo "built without coverage"; failed=1; return; }
        awk '/number_of_executed_units/ { runs = $2 } /average_exec_per_sec/ { speed = $2 }
            END { printf "%d inputs, %d a second: no finding\n", runs, speed }' "$log"
    else
        failed=1
        echo "a finding:"
        grep -E "Fatal error|ERROR:|SUMMARY:|Test unit written" "$log" || tail -5 "$log"
    fi
}

# Runs the tests of generated operations with more of them; without an optimizer, as in make test.
fuzz_incremental() {
    local runs=${FUZZ_RUNS:-100000}
    if FUZZ_RUNS=$runs swift test --package-path ../.. --disable-xctest --quiet \
        --explicit-target-dependency-import-check error \
        --filter 'GraphQLTests\.Incremental(Load|Delivery)Tests/generated' >&2; then
        printf '%-16s%d operations of each kind: no difference\n' Incremental "$runs"
    else
        failed=1
    fi
}

# Fuzzes the release build of the root package.
fuzz_sockets() {
    local product binaries
    for product in portico SocketFuzzer; do
        swift build -c release --package-path ../.. --product "$product" >&2
    done
    binaries=$(swift build -c release --package-path ../.. --show-bin-path)
    # Each input needs a connection.
    ulimit -S -n "$(ulimit -H -n)"
    printf '%-16s' SocketFuzzer
    "$binaries/SocketFuzzer" "$binaries/portico" || failed=1
}

# Runs the test that `make test` runs with few messages.
fuzz_tools() {
    local log=$PWD/.build/ToolMessages.log runs=${FUZZ_RUNS:-1000000}
    mkdir -p .build
    (
        cd ../..
        swift build --build-tests --explicit-target-dependency-import-check error >&2
        FUZZ_RUNS=$runs swift test --skip-build --disable-xctest \
            --explicit-target-dependency-import-check error --filter '^WebTests\.ToolMessageTests'
    ) >"$log" || failed=1
    printf '%-16s' ToolMessages
    # A filter that matches no test succeeds, too.
    if grep -q 'Test run with 1 test .*passed' "$log"; then
        echo "$runs inputs: no finding"
    else
        failed=1
        echo "a finding:"
        grep -A 12 'recorded an issue' "$log" || tail -5 "$log"
    fi
}

for target in "${targets[@]}"; do
    case $target in
        Incremental) fuzz_incremental ;;
        SocketFuzzer) fuzz_sockets ;;
        ToolMessages) fuzz_tools ;;
        *) fuzz_engine "$target" ;;
    esac
done
exit $failed

#!/usr/bin/env bash
# Measures the query engine on Tests/Benchmarks/Workload.
#
#   Scripts/bench.sh           times and allocations of the engine alone; the gateway over the sandbox; requests a
#                              second over sockets
#   Scripts/bench.sh check     fails if an operation allocates more than the thresholds in Tests/Benchmarks allow, or a
#                              chart allocates for its candles
#
#   RECORD=1 … check           writes the thresholds anew instead
#
# graphql-js is measured in the same run where node and Debian's node-graphql are here, and sockets where wrk is. Only
# ratios within one run are worth quoting.
set -euo pipefail
cd "$(dirname "$0")/.."

benchmarks=Tests/Benchmarks
seconds=${BENCH_SECONDS:-10}
port=${BENCH_PORT:-18181}
url=http://127.0.0.1:$port/graphql
server=

stop_server() { [[ -z $server ]] || { kill "$server" && wait "$server"; server=; } 2>/dev/null || true; }
trap stop_server EXIT

say() { printf '\n%s\n' "$*"; }

# built PACKAGE PRODUCT: builds it for release, and prints the executable's path.
built() {
    swift build -c release --package-path "$1" --product "$2" >&2
    echo "$(swift build -c release --package-path "$1" --product "$2" --show-bin-path)/$2"
}

built_hook() {
    local hook=$PWD/$benchmarks/.build/malloc_hook.so
    clang -O2 -Wall -Wextra -Werror -shared -fPIC -o "$hook" "$benchmarks/malloc-hook/malloc_hook.c"
    echo "$hook"
}

has_peer() { NODE_PATH=/usr/share/nodejs node -e 'require("graphql")' 2>/dev/null; }

# Each on a core of its own, where there are two.
server_core=() client_core=()
if [[ $(nproc) -gt 1 ]] && command -v taskset >/dev/null; then
    server_core=(taskset --cpu-list 0) client_core=(taskset --cpu-list 1)
fi

# measure_server NAME COMMAND …: starts it, sees that its answers are right where node is here to compare them, and
# lets wrk ask each operation.
measure_server() {
    local name=$1 operation output
    shift
    ! curl --silent --output /dev/null "$url" || { echo "port $port is taken; BENCH_PORT names another" >&2; return 1; }
    PORT=$port "${server_core[@]}" "$@" >/dev/null &
    server=$!
    curl --silent --output /dev/null --retry 50 --retry-delay 1 --retry-connrefused "$url"
    ! has_peer || node "$benchmarks/baseline/check.js" "$url"
    printf '%-12s' "$name"
    for operation in w1 w2 w3 w4; do
        output=$(BODY=$benchmarks/Workload/$operation.json "${client_core[@]}" wrk --threads 1 --connections 32 \
            --duration "${seconds}s" --script "$benchmarks/wrk/post.lua" "$url")
        ! grep --quiet 'Non-2xx' <<<"$output" || { echo "$name $operation: $output" >&2; return 1; }
        printf '%10.0f' "$(sed -nE 's/^Requests\/sec: *([0-9.]+)/\1/p' <<<"$output")"
    done
    printf '\n'
    stop_server
}

engine=$(built "$benchmarks" EngineBenchmarks)
hook=$(built_hook)
if [[ ${1:-} == check ]]; then
    command=check
    [[ -z ${RECORD:-} ]] || command=record
    LD_PRELOAD=$hook "$engine" "$command"
    gateway=$(built . GatewayBenchmarks)
    LD_PRELOAD=$hook exec "$gateway" check
fi

say "The engine alone: allocations"
LD_PRELOAD=$hook "$engine" allocations
say "The engine alone: microseconds"
peer=()
if has_peer; then peer=(node "$benchmarks/baseline/graphql-js.js"); fi
"${server_core[@]}" "$engine" time "${peer[@]}"
[[ ${#peer[@]} != 0 ]] || echo "graphql-js is not measured: apt-get install node-graphql"

say "Between the engine and the providers"
"$(built . GatewayBenchmarks)"

say "Over sockets, requests a second: the server on one core, wrk with 32 connections on another"
if ! command -v wrk >/dev/null; then
    echo "not measured: apt-get install wrk"
    exit
fi
bench_server=$(built . BenchServer)
printf '%-12s%10s%10s%10s%10s\n' '' w1 w2 w3 w4
measure_server Portico "$bench_server"
if has_peer; then measure_server graphql-js node "$benchmarks/baseline/server.js"; fi

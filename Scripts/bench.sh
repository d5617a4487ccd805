#!/usr/bin/env bash
# Measures Portico: the engine alone, the server, and the whole program.
#
#   Scripts/bench.sh           everything: engine, gateway, sockets, server, private and replicas
#   Scripts/bench.sh engine    times and allocations of the engine alone, on Tests/Benchmarks/Workload
#   Scripts/bench.sh gateway   the gateway, between the engine and the providers; followed by names, only these parts: sessions,
#                              charts, activities, home, first-payload (of an operation with @defer), decoding, files
#                              (provider files in comparison with the compiled provider)
#   Scripts/bench.sh sockets   requests a second on the workload, in comparison with a bare server on NIO's codec, and one
#                              without a codec: the maximum of any server on the same channels
#   Scripts/bench.sh server    the whole program with the sandbox: a real home screen, idle sockets, subscribers of one
#                              quote, sessions; followed by names, only these parts (see ServerBenchmarks)
#   Scripts/bench.sh private   private data of many users, read from a simulated broker, in comparison with a backend in
#                              JavaScript and with the floor; followed by names, only these cases (see bench-private.sh)
#   Scripts/bench.sh replicas  two replicas in comparison with one and with single-machine mode; the queries of each request
#   Scripts/bench.sh check     fails if an operation allocates more than the thresholds in Tests/Benchmarks allow, or a
#                              chart allocates for its candles
#
#   RECORD=1 … check           records the thresholds instead
#   BENCH_SECONDS              seconds in which requests are counted (10)
#   BENCH_TURNS                number of rounds in which the servers alternate (3); the medians are compared
#
# `replicas` starts PostgreSQL and Redis in a temporary directory; Scripts/setup.sh tests installs them if it can.
# graphql-js is measured in the same run if node and Debian's node-graphql are installed, and sockets, server and replicas if
# wrk is. Only ratios within one run are meaningful.
set -euo pipefail
cd "$(dirname "$0")/.."

benchmarks=Tests/Benchmarks
export BENCH_SECONDS=${BENCH_SECONDS:-10}
rounds=${BENCH_TURNS:-3}
port=${BENCH_PORT:-18181}
url=http://127.0.0.1:$port/graphql
server=

stop_server() { [[ -z $server ]] || { kill "$server" && wait "$server"; server=; } 2>/dev/null || true; }
trap stop_server EXIT

heading() { printf '\n%s\n' "$*"; }

# built PACKAGE PRODUCT: builds it as the image and the archive have it, with the standard library inside, and prints its path.
built() {
    local build=(swift build -c release --static-swift-stdlib --package-path "$1" --product "$2")
    "${build[@]}" >&2
    echo "$("${build[@]}" --show-bin-path)/$2"
}

built_hook() {
    local hook=$PWD/$benchmarks/.build/malloc_hook.so
    clang -O2 -Wall -Wextra -Werror -shared -fPIC -o "$hook" "$benchmarks/malloc-hook/malloc_hook.c"
    echo "$hook"
}

has_peer() { NODE_PATH=/usr/share/nodejs node -e 'require("graphql")' 2>/dev/null; }

has_wrk() { command -v wrk >/dev/null || { echo "not measured: apt-get install wrk"; return 1; }; }

# Server and clients run on different cores, if there are two.
server_core=() client_core=()
if [[ $(nproc) -gt 1 ]] && command -v taskset >/dev/null; then
    server_core=(taskset --cpu-list 0) client_core=(taskset --cpu-list 1)
fi

# Requests a second by server and operation, one number for each round.
declare -A rates=()

# measure_server NAME COMMAND …: starts the server, compares its responses with the expected ones if node is installed,
# and measures each operation with wrk.
measure_server() {
    local name=$1 operation output rate
    shift
    ! curl --silent --output /dev/null "$url" || { echo "port $port is in use; set BENCH_PORT to another one" >&2; return 1; }
    PORT=$port "${server_core[@]}" "$@" >/dev/null &
    server=$!
    curl --silent --output /dev/null --retry 50 --retry-delay 1 --retry-connrefused "$url"
    ! has_peer || node "$benchmarks/baseline/check.js" "$url"
    printf '%-12s' "$name"
    for operation in w1 w2 w3 w4; do
        output=$(BODY=$benchmarks/Workload/$operation.json "${client_core[@]}" wrk --threads 1 --connections 32 \
            --duration "${BENCH_SECONDS}s" --script "$benchmarks/wrk/post.lua" "$url")
        ! grep --quiet 'Non-2xx' <<<"$output" || { echo "$name $operation: $output" >&2; return 1; }
        rate=$(sed -nE 's/^Requests\/sec: *([0-9.]+)/\1/p' <<<"$output")
        rates[$name.$operation]+=" $rate"
        printf '%10.0f' "$rate"
    done
    printf '\n'
    stop_server
}

# median_rate NAME OPERATION: the median of all rounds.
median_rate() {
    tr ' ' '\n' <<<"${rates[$1.$2]}" | sort --numeric-sort |
        awk 'NF { all[++count] = $1 } END { print all[int((count + 1) / 2)] }'
}

# print_ratio OPERATION PEER AIM: the ratio of Portico's rate to that of the peer.
print_ratio() {
    awk -v own="$(median_rate Portico "$1")" -v peer="$(median_rate "$2" "$1")" -v what="$1: times $2" -v aim="$3" \
        'BEGIN { printf "%-20s %.2f (aim: %s)%s\n", what, own / peer, aim, own / peer < aim ? " MISSED" : "" }'
}

# print_floor OPERATION: the ratio of the rate of a server without codec and engine to that of graphql-js.
print_floor() {
    awk -v floor="$(median_rate framed "$1")" -v peer="$(median_rate graphql-js "$1")" -v what="$1" \
        'BEGIN { printf "%s: the server without a codec is %.2f times graphql-js\n", what, floor / peer }'
}

measure_engine() {
    local engine hook peer=()
    engine=$(built "$benchmarks" EngineBenchmarks)
    hook=$(built_hook)
    heading "The engine alone: allocations"
    LD_PRELOAD=$hook "$engine" allocations
    heading "The engine alone: microseconds"
    if has_peer; then peer=(node "$benchmarks/baseline/graphql-js.js"); fi
    "${server_core[@]}" "$engine" time "${peer[@]}"
    [[ ${#peer[@]} != 0 ]] || echo "graphql-js is not measured: apt-get install node-graphql"
}

# measure_gateway [NAME …]
measure_gateway() {
    heading "Between the engine and the providers"
    "$(built . GatewayBenchmarks)" "$@"
}

measure_sockets() {
    local bench_server round
    heading "Over sockets, requests a second: the server on one core, wrk with 32 connections on another"
    has_wrk || return 0
    bench_server=$(built . BenchServer)
    for ((round = 1; round <= rounds; round++)); do
        printf '%-12s%10s%10s%10s%10s\n' "round $round" w1 w2 w3 w4
        measure_server framed "$bench_server" framed
        measure_server bare "$bench_server" bare
        measure_server Portico "$bench_server"
        if has_peer; then measure_server graphql-js node "$benchmarks/baseline/server.js"; fi
    done
    print_ratio w2 bare 0.6
    if has_peer; then
        print_ratio w1 graphql-js 3.5
        print_ratio w2 graphql-js 12
        print_floor w1
        print_floor w2
    fi
}

# measure_server_process [NAME …]
measure_server_process() {
    local portico clients
    heading "The whole program on one core, its clients and the sandbox on another"
    has_wrk || return 0
    portico=$(built . portico)
    clients=$(built . ServerBenchmarks)
    # Ten thousand sockets need as many file descriptors.
    ulimit -S -n "$(ulimit -H -n)"
    "${client_core[@]}" "$clients" "$@" -- "${server_core[@]}" "$portico"
}

measure_replicas() {
    local portico clients other_cores=()
    heading "Replicas, each on one core; on a machine with two cores, the clients of a replica use its core"
    has_wrk || return 0
    [[ ${#server_core[@]} != 0 ]] || { echo "not measured: it needs two cores and taskset"; return 0; }
    Scripts/setup.sh tests || { echo "not measured: it needs PostgreSQL and Redis"; return 0; }
    [[ $(nproc) -eq 2 ]] || other_cores=(taskset --cpu-list "2-$(($(nproc) - 1))")
    portico=$(built . portico)
    clients=$(built . ServerBenchmarks)
    "${other_cores[@]}" "$clients" replicas -- "$portico"
}

# measure_private [CASE …]
measure_private() {
    heading "Private data of many users: the server on one core, the load and the broker on another"
    ulimit -S -n "$(ulimit -H -n)"
    Scripts/bench-private.sh "$(built . portico)" "$(built . FloorServer)" "$@"
}

check() {
    local engine hook gateway command=check
    engine=$(built "$benchmarks" EngineBenchmarks)
    hook=$(built_hook)
    [[ -z ${RECORD:-} ]] || command=record
    LD_PRELOAD=$hook "$engine" "$command"
    gateway=$(built . GatewayBenchmarks)
    LD_PRELOAD=$hook "$gateway" check
}

case ${1:-all} in
    all)
        measure_engine
        measure_gateway
        measure_sockets
        measure_server_process
        measure_private
        measure_replicas
        ;;
    engine | sockets | replicas) "measure_$1" ;;
    gateway) measure_gateway "${@:2}" ;;
    server) measure_server_process "${@:2}" ;;
    private) measure_private "${@:2}" ;;
    check) check ;;
    *)
        sed -nE '2,/^set /s/^# ?//p' "$0" >&2
        exit 2
        ;;
esac

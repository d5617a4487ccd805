#!/usr/bin/env bash
# Measures private data of many users, read from a simulated broker: Portico, a backend for frontends in JavaScript
# (Tests/Benchmarks/private), and the floor, in turns. `Scripts/bench.sh private` builds the programs and calls it.
#
#   Scripts/bench-private.sh PORTICO FLOOR [CASE …]     CASE: a name below; all by default; FLOOR: "" for none
#
#   p1        cold: each request needs 3 calls of 4 ms; 32 connections
#   p1-one    the same on one connection
#   p1-50ms   the same with calls of 50 ms, 100 connections
#   p2-200, p2-300, p2-2000, p2-10000
#             so many users in turn, 32 connections: values are renewed when they expire
#   p3        2,000 users at random, 70 % home screens, 15 % equity, 15 % positions without quotes; 100 connections
#
# The responses of Portico and the backend are compared first, byte for byte. The servers have one core, the load and the
# broker another. The users and their data directory remain in BENCH_STATE. BENCH_SECONDS, BENCH_TURNS: as in bench.sh.
#
# With BENCH_DATABASE_URL, the URL of an empty PostgreSQL database, and BENCH_REDIS_URL, "replica" is measured, too: Portico
# with this database and this Redis server, which have the rest of the machine. BENCH_SERVERS: the servers in their order.
set -euo pipefail
cd "$(dirname "$0")/../Tests/Benchmarks/private"

portico=$1 floor=$2
shift 2
cases=("$@")
[[ ${#cases[@]} != 0 ]] || cases=(p1 p1-one p1-50ms p2-200 p2-300 p2-2000 p2-10000 p3)
seconds=${BENCH_SECONDS:-10}
rounds=${BENCH_TURNS:-3}
port=${BENCH_PORT:-18181}
broker_port=$((port + 20))
state=${BENCH_STATE:-$(mktemp -d)}
mkdir -p "$state"
server=
broker=

end() { # NAME OF A VARIABLE WITH A PROCESS ID
    [[ -z ${!1} ]] || { kill "${!1}" && wait "${!1}"; } 2>/dev/null || true
    printf -v "$1" ''
}
trap 'end server; end broker' EXIT

server_core=() load_core=()
if [[ $(nproc) -gt 1 ]] && command -v taskset >/dev/null; then
    server_core=(taskset --cpu-list 0) load_core=(taskset --cpu-list 1)
fi

start_broker() { # MILLISECONDS OF A CALL
    DELAY_MS=$1 "${load_core[@]}" "$state/broker" "$broker_port" 2>"$state/broker.log" &
    broker=$!
}

wait_until_ready() {
    curl --silent --output /dev/null --retry 100 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$port/health/ready"
}

start_portico() { # SETTINGS OF THE STORAGE
    # The limits of clients are not measured: one address has all clients, and no key has more than a minute's calls.
    env PORTICO_SANDBOX=false PORTICO_LOG_LEVEL=warning PORTICO_SIGN_UP=open PORTICO_PASSWORD_COST=4 \
        PORTICO_REQUESTS_PER_TOKEN=1000000 PORTICO_UPSTREAM_CALLS_PER_CLIENT=1000000 \
        PORTICO_GUESTS_PER_ADDRESS=1000000 PORTICO_CONNECTS=1000000 PORTICO_CONNECTS_PER_USER=1000000 PORTICO_MAXIMUM_CONNECTIONS_PER_ADDRESS=5000 \
        PORTICO_ALPACA_CLIENT_ID=bench PORTICO_ALPACA_CLIENT_SECRET=bench-secret \
        PORTICO_REDIRECT_URIS=http://localhost:3000/connected \
        PORTICO_ALPACA_BASE_URL="http://127.0.0.1:$broker_port" PORTICO_ALPACA_DATA_URL="http://127.0.0.1:$((broker_port + 1))" \
        "$@" "${server_core[@]}" "$portico" serve --port "$port" >"$state/portico.log" 2>&1 &
    server=$!
    wait_until_ready
}

start_replica() {
    [[ -s $state/master-key ]] || head -c 32 /dev/urandom | base64 >"$state/master-key"
    start_portico PORTICO_DATABASE_URL="$BENCH_DATABASE_URL" PORTICO_REDIS_URL="$BENCH_REDIS_URL" \
        PORTICO_MASTER_KEY_FILE="$state/master-key"
}

start_server() { # NAME
    case $1 in
        portico) start_portico PORTICO_DATA="$state/data" ;;
        replica) start_replica ;;
        backend)
            PORT=$port BROKER_PORT=$broker_port USERS=$state/users.json NODE_ENV=production NODE_PATH=${NODE_PATH:-/usr/share/nodejs} \
                "${server_core[@]}" node backend.js 2>"$state/backend.log" &
            server=$!
            wait_until_ready
            ;;
        floor)
            PORT=$port BROKER_PORT=$broker_port USERS=$state/users.json "${server_core[@]}" "$floor" 2>"$state/floor.log" &
            server=$!
            wait_until_ready
            ;;
    esac
}

tokens_of() { # SERVER
    case $1 in
        portico | replica) echo "$state/$1.tokens" ;;
        *) echo "$state/backend.tokens" ;;
    esac
}

make_users() { # COUNT
    local name
    for name in portico replica; do
        [[ " ${servers[*]} " = *" $name "* ]] || continue
        [[ $(wc -l <"$state/$name.tokens" 2>/dev/null || echo 0) -lt $1 ]] || continue
        if [[ $name = portico ]]; then
            rm -rf "$state/data"
            mkdir -p "$state/data"
        fi
        echo "$1 users sign up and connect at $name" >&2
        start_broker 0
        start_server "$name"
        python3 users.py portico "$port" "$1" "$state/$name.tokens"
        end server
        end broker
    done
    [[ $(wc -l <"$state/backend.tokens" 2>/dev/null || echo 0) -ge $1 ]] ||
        python3 users.py backend "$1" "$state/backend.tokens" "$state/users.json"
}

compare_responses() {
    local name
    for name in "${servers[@]}"; do
        start_broker 4
        start_server "$name"
        python3 answers.py "$port" "$(tokens_of "$name")" 60 "$state/$name.answers" home.json account.json positions.json
        end server
        end broker
        cmp "$state/${servers[0]}.answers" "$state/$name.answers" ||
            { echo "the responses of $name differ from those of ${servers[0]}" >&2; return 1; }
    done
    echo "the responses of ${servers[*]} to $(wc -l <"$state/${servers[0]}.answers") requests are equal, byte for byte"
}

# measure CASE SERVER: prints what `load` prints.
measure() {
    local users connections=32 delay=4 pause=0 order=turn operations=(1:home.json)
    case $1 in
        p1) users=8000 pause=2100 ;;
        p1-one) users=1000 connections=1 pause=2100 ;;
        p1-50ms) users=6000 connections=100 delay=50 pause=2100 ;;
        p2-*) users=${1#p2-} ;;
        p3) users=2000 connections=100 order=random operations=(70:home.json 15:account.json 15:positions.json) ;;
        *) echo "unknown case: $1" >&2; exit 2 ;;
    esac
    start_broker "$delay"
    start_server "$2"
    head --lines "$users" "$(tokens_of "$2")" >"$state/tokens"
    "${load_core[@]}" "$state/load" "$port" "$state/tokens" "$connections" "$seconds" "$pause" "$order" "$broker_port" \
        "$server" "${operations[@]}" || true
    [[ -z ${BENCH_MEMORY:-} ]] || grep VmRSS "/proc/$server/status" >&2
    end server
    end broker
}

# median FILE COLUMN
median() { awk -v column="$2" '{ print $column }' "$1" | sort --numeric-sort | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

for program in broker load; do clang -O2 -Wall -Wextra -Werror -o "$state/$program" "$program.c"; done
servers=(portico)
if NODE_PATH=${NODE_PATH:-/usr/share/nodejs} node -e 'require("graphql")' 2>/dev/null; then
    servers+=(backend)
else
    echo "the backend is not measured: apt-get install node-graphql"
fi
[[ -z $floor ]] || servers+=(floor)
[[ -z ${BENCH_DATABASE_URL:-} ]] || servers+=(replica)
[[ -z ${BENCH_SERVERS:-} ]] || read -ra servers <<<"$BENCH_SERVERS"
most=2000
for case in "${cases[@]}"; do
    case $case in
        p1) size=8000 ;;
        p1-50ms) size=6000 ;;
        p2-*) size=${case#p2-} ;;
        *) size=2000 ;;
    esac
    [[ $size -le $most ]] || most=$size
done
make_users "$most"
compare_responses
printf '%-10s%-9s%12s%9s%9s%14s%12s%9s%9s\n' case server requests/s p50/ms p99/ms calls/request cpu-us/req. failures starved
for case in "${cases[@]}"; do
    rm -f "$state"/*.result
    for ((round = 1; round <= rounds; round++)); do
        for name in "${servers[@]}"; do measure "$case" "$name" >>"$state/$name.result"; done
    done
    for name in "${servers[@]}"; do
        printf '%-10s%-9s' "$case" "$name"
        for column in 1 2 3 4 5 6 7; do
            widths=(0 12 9 9 14 12 9 9)
            printf "%${widths[column]}s" "$(median "$state/$name.result" "$column")"
        done
        printf '\n'
    done
    for name in "${servers[@]:1}"; do
        awk -v own="$(median "$state/${servers[0]}.result" 1)" -v peer="$(median "$state/$name.result" 1)" -v case="$case" -v name="$name" -v first="${servers[0]}" \
            'BEGIN { printf "%-10s%s is %.2f times %s\n", case, first, own / peer, name }'
    done
done

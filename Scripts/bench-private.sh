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
#   streams   2,000 users with open subscriptions of positions and quotes, one event a second each; also
#             streams-positions and streams-quotes for one of them. Not measured: the floor
#
# The responses of Portico and the backend are compared first, byte for byte. The servers have one core, the load and the
# broker another. The users and their data directory remain in BENCH_STATE. BENCH_SECONDS, BENCH_TURNS: as in bench.sh.
#
# With BENCH_DATABASE_URL, the URL of an empty PostgreSQL database, and BENCH_REDIS_URL, "replica" is measured, too: Portico
# with this database and this Redis server, which have the rest of the machine. BENCH_SERVERS: the servers in their order.
#
# With BENCH_TLS, some of the words plain, http1 and http2, servers of these names take turns, too: Portico with the broker
# behind nginx on the core of the load, by HTTP/1.1 without and with TLS, and by HTTP/2 with TLS. The certificate is trusted by
# a mount over the system's authorities, in a namespace of the server's own (unshare).
set -euo pipefail
cd "$(dirname "$0")/../Tests/Benchmarks/private"

portico=$1 floor=$2
shift 2
cases=("$@")
[[ ${#cases[@]} != 0 ]] || cases=(p1 p1-one p1-50ms p2-200 p2-300 p2-2000 p2-10000 p3 streams)
seconds=${BENCH_SECONDS:-10}
rounds=${BENCH_TURNS:-3}
port=${BENCH_PORT:-18181}
broker_port=$((port + 20))
stream_port=$((broker_port + 2))
proxy_port=$((broker_port + 10))
state=${BENCH_STATE:-$(mktemp -d)}
mkdir -p "$state"
authorities=/etc/ssl/certs/ca-certificates.crt
server=
broker=
stream=
proxy=
# A socket for each subscriber, and one for the stream of each.
ulimit -S -n "$(ulimit -H -n)"

end() { # NAME OF A VARIABLE WITH A PROCESS ID
    [[ -z ${!1} ]] || { kill "${!1}" && wait "${!1}"; } 2>/dev/null || true
    printf -v "$1" ''
}
trap 'end server; end proxy; end broker; end stream' EXIT

server_core=() load_core=() namespace=() has_compared_streams=
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

start_stream() {
    "${load_core[@]}" "$state/stream" "$stream_port" 2>"$state/stream.log" &
    stream=$!
}

# make_certificate: a certificate for 127.0.0.1, and the system's authorities with its own.
make_certificate() {
    [[ ! -s $state/authorities.crt ]] || return 0
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=authority of the benchmark" \
        -keyout "$state/authority.key" -out "$state/authority.crt" 2>/dev/null
    openssl req -newkey rsa:2048 -nodes -subj "/CN=127.0.0.1" -keyout "$state/proxy.key" -out "$state/proxy.csr" 2>/dev/null
    openssl x509 -req -in "$state/proxy.csr" -CA "$state/authority.crt" -CAkey "$state/authority.key" -days 3650 \
        -extfile <(echo "subjectAltName=IP:127.0.0.1") -out "$state/proxy.crt" 2>/dev/null
    cat "$authorities" "$state/authority.crt" >"$state/authorities.crt"
}

start_proxy() { # plain, http1 or http2
    local options="" host
    case $1 in
        http1) options=" ssl" ;;
        http2) options=" ssl http2" ;;
    esac
    {
        echo "daemon off; pid $state/proxy.pid; error_log $state/proxy.log; events { worker_connections 8192; }"
        echo "http { access_log off; keepalive_requests 1000000; client_body_temp_path $state/proxy.tmp; proxy_temp_path $state/proxy.tmp;"
        echo "fastcgi_temp_path $state/proxy.tmp; uwsgi_temp_path $state/proxy.tmp; scgi_temp_path $state/proxy.tmp;"
        echo "ssl_certificate $state/proxy.crt; ssl_certificate_key $state/proxy.key;"
        for host in 0 1; do
            echo "upstream host$host { server 127.0.0.1:$((broker_port + host)); keepalive 512; }"
            echo "server { listen 127.0.0.1:$((proxy_port + host))$options; location / {"
            echo "proxy_pass http://host$host; proxy_http_version 1.1; proxy_set_header Connection \"\"; } }"
        done
        echo "}"
    } >"$state/proxy.conf"
    "${load_core[@]}" nginx -c "$state/proxy.conf" 2>"$state/proxy.log" &
    proxy=$!
}

start_portico() { # FURTHER SETTINGS
    # The limits of clients are not measured: one address has all clients, and no key has more than a minute's calls.
    env PORTICO_SANDBOX=false PORTICO_LOG_LEVEL=warning PORTICO_SIGN_UP=open PORTICO_PASSWORD_COST=4 \
        PORTICO_REQUESTS_PER_TOKEN=1000000 PORTICO_UPSTREAM_CALLS_PER_CLIENT=1000000 \
        PORTICO_GUESTS_PER_ADDRESS=1000000 PORTICO_CONNECTS=1000000 PORTICO_CONNECTS_PER_USER=1000000 PORTICO_MAXIMUM_CONNECTIONS_PER_ADDRESS=5000 \
        PORTICO_ALPACA_CLIENT_ID=bench PORTICO_ALPACA_CLIENT_SECRET=bench-secret \
        PORTICO_REDIRECT_URIS=http://localhost:3000/connected \
        PORTICO_ALPACA_BASE_URL="http://127.0.0.1:$broker_port" PORTICO_ALPACA_DATA_URL="http://127.0.0.1:$((broker_port + 1))" \
        "$@" "${server_core[@]}" "${namespace[@]}" "$portico" serve --port "$port" >"$state/portico.log" 2>&1 &
    server=$!
    wait_until_ready
}

start_behind_proxy() { # plain, http1 or http2
    local scheme=https namespace=()
    make_certificate
    start_proxy "$1"
    if [[ $1 = plain ]]; then
        scheme=http
    else
        # shellcheck disable=SC2016
        namespace=(unshare --map-root-user --mount sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' "$state/authorities.crt" "$authorities")
    fi
    start_portico PORTICO_DATA="$state/data" PORTICO_ALPACA_BASE_URL="$scheme://127.0.0.1:$proxy_port" \
        PORTICO_ALPACA_DATA_URL="$scheme://127.0.0.1:$((proxy_port + 1))"
}

start_replica() { # FURTHER SETTINGS
    [[ -s $state/master-key ]] || head -c 32 /dev/urandom | base64 >"$state/master-key"
    start_portico PORTICO_DATABASE_URL="$BENCH_DATABASE_URL" PORTICO_REDIS_URL="$BENCH_REDIS_URL" \
        PORTICO_MASTER_KEY_FILE="$state/master-key" "$@"
}

start_server() { # NAME SETTINGS OF PORTICO
    local settings=("${@:2}")
    case $1 in
        portico) start_portico PORTICO_DATA="$state/data" "${settings[@]}" ;;
        plain | http1 | http2) start_behind_proxy "$1" ;;
        replica) start_replica "${settings[@]}" ;;
        backend)
            PORT=$port BROKER_PORT=$broker_port STREAM_PORT=${stream:+$stream_port} USERS=$state/users.json NODE_ENV=production \
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
        plain | http1 | http2) echo "$state/portico.tokens" ;;
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

end_all() {
    end server
    end proxy
    end broker
    end stream
}

compare_responses() {
    local name
    for name in "${servers[@]}"; do
        start_broker 4
        start_server "$name"
        python3 answers.py "$port" "$(tokens_of "$name")" 60 "$state/$name.answers" home.json account.json positions.json
        end_all
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
    [[ -z ${BENCH_TLS:-} ]] || count_connections "$1" "$2" >&2
    end_all
}

# count_connections CASE SERVER: the server's connections to the two hosts of the broker, which stay open for a while.
count_connections() {
    local first=$broker_port
    [[ -z $proxy ]] || first=$proxy_port
    printf '%s %s: connections to the trading host %d, to the data host %d\n' "$1" "$2" \
        "$(ss --tcp --numeric --no-header state established "dport = :$first" | wc -l)" \
        "$(ss --tcp --numeric --no-header state established "dport = :$((first + 1))" | wc -l)"
}

# subscribe_all SERVER USERS SECONDS FILE …: runs the subscribers of so many users; see subscribers.c for the rest.
subscribe_all() {
    head --lines "$2" "$(tokens_of "$1")" >"$state/tokens"
    # Five positions of a user change at each poll, that is every five seconds.
    CHANGES=5 start_broker 4
    start_stream
    start_server "$1" PORTICO_ALPACA_DATA_STREAM_URL="http://127.0.0.1:$stream_port"
    "${load_core[@]}" "$state/subscribers" "$port" "$broker_port" "$server" "$state/tokens" "${@:3}" || true
    end_all
}

operations_of() { # CASE
    case $1 in
        streams) echo live-positions.json live-quotes.json ;;
        streams-positions) echo live-positions.json ;;
        streams-quotes) echo live-quotes.json ;;
        *) echo "unknown case: $1" >&2; return 2 ;;
    esac
}

compare_streams() { # SERVERS
    local name
    for name; do
        subscribe_all "$name" 60 "first:$state/$name.events" live-positions.json live-quotes.json
        cmp "$state/$1.events" "$state/$name.events" || { echo "the events of $name differ from those of $1" >&2; return 1; }
    done
    echo "the first $(wc -l <"$state/$1.events") events of $* are equal, byte for byte"
}

measure_streams() { # CASE SERVER
    local operations
    read -ra operations <<<"$(operations_of "$1")"
    subscribe_all "$2" 2000 "$seconds" "${operations[@]}"
}

has_streams() {
    [[ $1 != floor && $1 != plain && $1 != http? ]] || return 1
    [[ $1 != backend ]] || node -e 'require("ws"); require("graphql-ws/use/ws")' 2>/dev/null ||
        { echo "the subscriptions of the backend are not measured: npm install ws graphql-ws, with NODE_PATH" >&2; return 1; }
}

# median FILE COLUMN
median() { awk -v column="$2" '{ print $column }' "$1" | sort --numeric-sort | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

print_medians() { # CASE, WIDTH OF ITS COLUMN, WIDTHS OF THE OTHER COLUMNS, SERVER …
    local name column case=$1 first=$2 widths
    read -ra widths <<<"$3"
    shift 3
    for name in "$@"; do
        printf "%-${first}s%-9s" "$case" "$name"
        for column in "${!widths[@]}"; do
            printf "%${widths[column]}s" "$(median "$state/$name.result" $((column + 1)))"
        done
        printf '\n'
    done
}

print_streams() { # CASE
    local name round able=()
    for name in "${servers[@]}"; do ! has_streams "$name" || able+=("$name"); done
    [[ -n $has_compared_streams ]] || compare_streams "${able[@]}"
    has_compared_streams=yes
    rm -f "$state"/*.result
    for ((round = 1; round <= rounds; round++)); do
        for name in "${able[@]}"; do measure_streams "$1" "$name" >>"$state/$name.result"; done
    done
    printf '%-18s%-9s%12s%13s%14s%14s%9s%11s%10s\n' case server events/s bytes/event cpu-us/event opening-ms/u. calls/s KiB failures
    print_medians "$1" 18 "12 13 14 14 9 11 10" "${able[@]}"
    for name in "${able[@]:1}"; do
        awk -v own="$(median "$state/${able[0]}.result" 3)" -v peer="$(median "$state/$name.result" 3)" -v case="$1" -v name="$name" -v first="${able[0]}" \
            'BEGIN { printf "%-18s%s needs for an event %.2f times less processor time than %s\n", case, first, peer / own, name }'
    done
}

print_requests() { # CASE
    local name round
    rm -f "$state"/*.result
    for ((round = 1; round <= rounds; round++)); do
        for name in "${servers[@]}"; do measure "$1" "$name" >>"$state/$name.result"; done
    done
    printf '%-10s%-9s%12s%9s%9s%14s%12s%9s%9s\n' case server requests/s p50/ms p99/ms calls/request cpu-us/req. failures starved
    print_medians "$1" 10 "12 9 9 14 12 9 9" "${servers[@]}"
    for name in "${servers[@]:1}"; do
        awk -v own="$(median "$state/${servers[0]}.result" 1)" -v peer="$(median "$state/$name.result" 1)" -v case="$1" -v name="$name" -v first="${servers[0]}" \
            'BEGIN { printf "%-10s%s is %.2f times %s\n", case, first, own / peer, name }'
    done
}

for program in broker load stream subscribers; do
    clang -O2 -Wall -Wextra -Werror -o "$state/$program" "$program.c" -lcrypto
done
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
servers=(portico)
if node -e 'require("graphql")' 2>/dev/null; then
    servers+=(backend)
else
    echo "the backend is not measured: apt-get install node-graphql"
fi
[[ -z $floor ]] || servers+=(floor)
[[ -z ${BENCH_DATABASE_URL:-} ]] || servers+=(replica)
read -ra behind_proxy <<<"${BENCH_TLS:-}"
servers+=("${behind_proxy[@]}")
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
for case in "${cases[@]}"; do
    case $case in
        streams*) print_streams "$case" ;;
        *) print_requests "$case" ;;
    esac
done

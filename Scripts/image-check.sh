#!/usr/bin/env bash
# Builds the image, starts it as its own user, sends the query of a home screen, and stops it with SIGTERM.
#
#   Scripts/image-check.sh               with docker if its daemon runs, else with buildah on substitute base images
#   Scripts/image-check.sh --stand-in    with buildah on substitute base images
#
# The substitutes are for a machine without a daemon, or without access to official images. Both are built with
# debootstrap. The build stage mounts this machine's Swift toolchain, its git configuration with the mirrors in it, and its
# certificate authorities. The Dockerfile is the same; only its two base arguments differ. Requires root on Debian. Without
# access to PyPI, set EXPLORER=off to omit the explorer's libraries.
set -euo pipefail
cd "$(dirname "$0")/.."

name=portico-check
suite=bookworm
port=${PORTICO_CHECK_PORT:-18080}
explorer=${EXPLORER:-on}
query='{ account { equity cash buyingPower } positions { symbol quantity marketValue quote { price change changePercentage } } account2: account { history(range: ONE_DAY) { points { time equity } } } }'
scratch=$(mktemp --directory)
cleanups=()

say() { printf 'image-check: %s\n' "$*" >&2; }
fail() { say "FAILED: $*"; exit 1; }

clean_up() {
    local status=$? i
    set +e
    for ((i = ${#cleanups[@]} - 1; i >= 0; i--)); do ${cleanups[i]} >/dev/null 2>&1; done
    rm -rf --one-file-system "$scratch"
    exit "$status"
}
trap clean_up EXIT

# --- checks of the image, for both tools ----------------------------------------------------------------------------

# await_ready COMMAND …: waits until Portico is ready; COMMAND fails if the container has stopped.
await_ready() {
    local _
    for _ in $(seq 150); do
        ! curl --silent --fail --output /dev/null "http://127.0.0.1:$port/health/ready" || return 0
        "$@" || fail "it ended before it was ready: $(tail -n 20 "$scratch/log")"
        sleep 0.2
    done
    fail "not ready after 30 s: $(tail -n 20 "$scratch/log")"
}

check_home_screen() {
    local status field response=$scratch/response
    status=$(curl --silent --output "$response" --write-out '%{http_code}' --max-time 10 \
        --header 'Content-Type: application/json' --header 'Authorization: Bearer sandbox' \
        --data "{\"query\":\"$query\"}" "http://127.0.0.1:$port/graphql") || fail "POST /graphql: no response"
    [[ $status == 200 ]] || fail "POST /graphql: status $status: $(head --bytes 500 "$response")"
    ! grep --quiet '"errors"' "$response" || fail "the response has errors: $(head --bytes 500 "$response")"
    for field in account positions account2 equity symbol price points; do
        grep --quiet "\"$field\":" "$response" || fail "the response lacks $field: $(head --bytes 500 "$response")"
    done
    say "the home screen: 200, $(stat --format %s "$response") bytes: $(head --bytes 120 "$response")…"
}

# check_libraries COMMAND …: checks that the image has every library of the executable; COMMAND runs a program in it.
check_libraries() {
    "$@" ldd /usr/local/bin/portico >"$scratch/libraries" 2>&1 || fail "ldd: $(tail -n 5 "$scratch/libraries")"
    ! grep --quiet 'not found' "$scratch/libraries" || fail "the image lacks $(grep 'not found' "$scratch/libraries")"
    say "loads $(wc --lines <"$scratch/libraries") libraries, all of them in the image"
}

check_explorer() {
    [[ $explorer == on ]] || { say "without the explorer's libraries"; return; }
    curl --silent --fail --output /dev/null "http://127.0.0.1:$port/libraries/graphiql-2.4.7.min.js" \
        || fail "the explorer's libraries are not in the image"
    say "has the explorer's libraries"
}

# check_sbom COMMAND …: checks that the image describes its packages; COMMAND runs a program in it.
check_sbom() {
    "$@" cat /usr/local/share/portico/sbom.cdx.json >"$scratch/sbom" || fail "the image has no SBOM"
    grep --quiet '"pkg:swift/github.com/apple/swift-nio@' "$scratch/sbom" && grep --quiet '"pkg:deb/debian/libc6@' "$scratch/sbom" \
        || fail "the SBOM lacks packages: $(head --bytes 300 "$scratch/sbom")"
    say "its SBOM has $(grep --count '"purl"' "$scratch/sbom") packages"
}

# check_labels LABELS: checks the labels of the image.
check_labels() {
    local label
    for label in licenses=Apache-2.0 "revision=$(git rev-parse HEAD)" version= source= base.name=; do
        [[ $1 == *"org.opencontainers.image.$label"* ]] || fail "the image has no label $label: $1"
    done
    say "has the labels of source, revision and licence"
}

# check_volume COMMAND …: checks that users' data is in the volume, which outlives the container.
check_volume() {
    local file=/var/lib/portico/sandbox/portico.db
    "$@" test -s "$file" || fail "its volume has no $file"
    say "stores $file in its volume"
}

# --- docker ---------------------------------------------------------------------------------------------------------

docker_runs() {
    docker logs "$1" >"$scratch/log" 2>&1
    [[ $(docker inspect --format '{{.State.Running}}' "$1") == true ]]
}

check_with_docker() {
    local id code
    IMAGE_BUILDER=docker Scripts/image.sh "$name" --build-arg "EXPLORER=$explorer" --build-arg PRODUCT=portico
    id=$(docker run --detach --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
        --publish "127.0.0.1:$port:8080" --env PORTICO_SANDBOX=true "$name")
    cleanups+=("docker rm --force --volumes $id")
    await_ready docker_runs "$id"
    check_home_screen
    check_explorer
    check_libraries docker exec "$id"
    check_sbom docker exec "$id"
    check_labels "$(docker inspect --format '{{range $key, $value := .Config.Labels}}{{$key}}={{$value}} {{end}}' "$name")"
    check_volume docker exec "$id"
    docker exec "$id" /usr/local/bin/portico health >/dev/null || fail "its health check failed"
    say "runs as user $(docker inspect --format '{{.Config.User}}' "$id"), its root file system read-only; its health check succeeds"
    docker stop --time 40 "$id" >/dev/null
    code=$(docker inspect --format '{{.State.ExitCode}}' "$id")
    [[ $code == 0 ]] || fail "after SIGTERM it ended with $code, not 0"
    say "after SIGTERM it ended with 0"
    say "size: $(($(docker image inspect --format '{{.Size}}' "$name") / 1000000)) MB"
}

# --- buildah on substitute base images ------------------------------------------------------------------------------

require_tools() {
    local missing=() tool
    for tool in buildah debootstrap curl; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    [[ ${#missing[@]} != 0 ]] || return 0
    command -v apt-get >/dev/null || fail "needs ${missing[*]}: install them"
    say "installing ${missing[*]}"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$scratch/log" 2>&1 \
        || fail "apt-get could not install ${missing[*]}: $(tail -n 5 "$scratch/log")"
}

# Stores every image and container in the scratch folder, which is removed at the end.
use_own_storage() {
    printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$scratch/storage" "$scratch/run" \
        >"$scratch/storage.conf"
    export CONTAINERS_STORAGE_CONF=$scratch/storage.conf STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
}

# make_base NAME PACKAGES PATH: a minimal Debian with PACKAGES (separated by commas), without the files that Debian's
# slim images omit.
make_base() {
    local container
    say "building the substitute base $1"
    debootstrap --variant=minbase ${2:+--include="$2"} "$suite" "$scratch/base" >"$scratch/log" 2>&1 \
        || fail "debootstrap: $(tail -n 5 "$scratch/log")"
    rm -rf "$scratch"/base/var/{cache/apt,lib/apt/lists,log}/* "$scratch"/base/usr/share/{doc,man,info,locale}/*
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$scratch/base" / >/dev/null
    buildah config --env "PATH=$3" "$container"
    buildah commit --quiet --rm "$container" "$1" >/dev/null
    rm -rf --one-file-system "$scratch/base"
}

# Prints, one word a line, the options that mount the toolchain in $1 and the configuration with which git and pip find
# packages on this machine.
mounted_folders() {
    local mirror authorities=/etc/ssl/certs/ca-certificates.crt
    printf '%s\n' --volume "$1:$1:ro"
    # The folder from which Debian's ca-certificates package adds authorities.
    [[ ! -e $authorities ]] || printf '%s\n' --volume "$authorities:/usr/local/share/ca-certificates/here.crt:ro"
    [[ ! -e /etc/gitconfig ]] || printf '%s\n' --volume /etc/gitconfig:/etc/gitconfig:ro
    { git config --get-regexp '^url\..*\.insteadof$' || true; } \
        | sed -E 's/^url\.(.*)\.insteadof .*/\1/' | sort --unique \
        | while read -r mirror; do
            [[ $mirror != /* || ! -d $mirror ]] || printf '%s\n' --volume "${mirror%/}:${mirror%/}:ro"
        done
}

build_on_substitutes() {
    local toolchain mounts path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    toolchain=$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)\/lib\/swift".*/\1/p')
    [[ -x $toolchain/bin/swift && $toolchain != /usr ]] || fail "the Swift toolchain is not in a separate folder"
    mapfile -t mounts < <(mounted_folders "$toolchain")

    make_base "$name-runtime-base" "" "$path"
    # The packages that the toolchain loads and links with, as in the official build image.
    make_base "$name-build-base" binutils,ca-certificates,git,libc6-dev,libcurl4,libgcc-12-dev,libncurses6,libsqlite3-0,libstdc++-12-dev,libxml2,pkg-config \
        "$toolchain/bin:$path"
    IMAGE_BUILDER=buildah Scripts/image.sh "$name" "${mounts[@]}" --build-arg "EXPLORER=$explorer" --build-arg PRODUCT=portico \
        --build-arg "BUILD_IMAGE=localhost/$name-build-base" \
        --build-arg "RUNTIME_IMAGE=localhost/$name-runtime-base" >"$scratch/build.log" 2>&1 \
        || fail "the build: $(tail -n 30 "$scratch/build.log")"
}

# configured KEY: the elements of a list in the image's configuration, one a line.
configured() { buildah inspect --type image --format "{{range .Docker.Config.$1}}{{println .}}{{end}}" "$name"; }

# Prints the process below $1 that runs the image's executable.
portico_under() {
    local child
    if [[ $(readlink "/proc/$1/exe") == */usr/local/bin/portico ]]; then echo "$1"; fi
    for child in $(ps --no-headers -o pid --ppid "$1"); do portico_under "$child"; done
}

megabytes() { echo "$(($(du --summarize --bytes --one-file-system "$@" | cut -f 1) / 1000000)) MB"; }

# Starts the image like docker: with its user, environment, entry point and command.
check_with_buildah() {
    local container root command runner process code
    [[ $(id -u) == 0 ]] || fail "the substitute bases need root (debootstrap, chroot)"
    require_tools
    use_own_storage
    build_on_substitutes

    container=$(buildah from "$name")
    root=$(buildah mount "$container")
    mapfile -t command < <(configured Entrypoint; configured Cmd)
    touch "$scratch/started"
    buildah run --env PORTICO_SANDBOX=true --env "PORTICO_PORT=$port" "$container" -- "${command[@]}" \
        >"$scratch/log" 2>&1 &
    runner=$!
    cleanups+=("kill -KILL $runner")
    await_ready kill -0 "$runner"
    process=$(portico_under "$runner" | grep .) || fail "no process runs /usr/local/bin/portico"
    cleanups+=("kill -KILL $process")
    check_home_screen
    check_explorer

    check_libraries buildah run "$container" --
    check_sbom buildah run "$container" --
    check_labels "$(buildah inspect --type image --format '{{range $key, $value := .Docker.Config.Labels}}{{$key}}={{$value}} {{end}}' "$name")"
    check_volume buildah run "$container" --

    mapfile -t command < <(configured Healthcheck.Test | tail -n +2)
    buildah run --env "PORTICO_PORT=$port" "$container" -- "${command[@]}" >/dev/null || fail "${command[*]} failed"
    local user written
    user=$(sed -nE 's/^Uid:\s+([0-9]+).*/\1/p' "/proc/$process/status")
    [[ $user != 0 ]] || fail "it runs as root"
    written=$(find "$root" -xdev -path "$root/var/lib/portico" -prune -o -type f -newer "$scratch/started" -print)
    [[ -z $written ]] || fail "it writes outside its volume: $written"
    say "runs as user $user, writes nothing outside its volume; its health check succeeds"

    kill -TERM "$process"
    code=0
    wait "$runner" || code=$?
    cleanups=()  # Both have ended, and their process ids may be reused.
    [[ $code == 0 ]] || fail "after SIGTERM it ended with $code, not 0: $(tail -n 20 "$scratch/log")"
    say "after SIGTERM it ended with 0"
    say "size: $(megabytes "$root"), including its base $(megabytes "$(buildah mount "$(buildah from "$name-runtime-base")")")" \
        "and the executable $(megabytes "$root/usr/local/bin/portico")"
}

if [[ ${1:-} != --stand-in ]] && docker info >/dev/null 2>&1; then
    check_with_docker
else
    check_with_buildah
fi

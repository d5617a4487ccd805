# shellcheck shell=bash
# Sourced by what drives a running Portico: a Python environment of its own, and a server with the sandbox.

# with_tools FOLDER REQUIREMENTS: a Python environment in the folder, with what the file lists.
with_tools() {
    [ -x "$1/bin/python" ] || python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check -r "$2"
}

# serve_sandbox EXECUTABLE [ARGUMENT …]: starts it, to be stopped with this script, and sets `base` to where it answers.
serve_sandbox() {
    local portico=$1
    shift
    log="$(mktemp)"
    "$portico" serve --sandbox --port 0 "$@" >"$log" &
    server=$!
    trap 'kill "$server" 2>/dev/null || true; rm -f "$log"' EXIT
    # The greeting says where it answers.
    base=""
    for _ in $(seq 100); do
        base="$(sed -n 's|.*\(http://[^/]*\)/graphql.*|\1|p' "$log" | head -n 1)"
        [ -n "$base" ] && return
        sleep 0.1
    done
    echo "Portico did not start." >&2
    return 1
}

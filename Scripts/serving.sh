# shellcheck shell=bash
# Functions for scripts that test a running Portico: a separate Python environment, a program, and a server with the sandbox.

# with_tools FOLDER REQUIREMENTS: creates a Python environment in the folder, with the packages in the file.
with_tools() {
    [ -x "$1/bin/python" ] || python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check -r "$2"
}

# with_accessibility_tools FOLDER: creates the environment of the tests in Chromium, with axe-core.
with_accessibility_tools() {
    with_tools "$1" Scripts/explorer/requirements.txt
    # axe-core without Playwright, on which its package depends.
    "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps axe-playwright-python==0.1.8
}

# with_program PROGRAM PACKAGE [PATH]: installs the Debian package of a program if the program is missing and PATH is empty;
# prints what to install if this account cannot.
with_program() {
    [ -z "${3:-}" ] || return 0
    ! command -v "$1" >/dev/null || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing $2" >&2
        apt-get update -qq >&2 || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null || true
    fi
    command -v "$1" >/dev/null || { echo "$1 is missing. Debian, Ubuntu: sudo apt-get install $2" >&2; return 1; }
}

# serve_sandbox EXECUTABLE [ARGUMENT …]: starts the server, which stops with this script, and sets `base` to its address.
serve_sandbox() {
    local portico=$1
    shift
    log="$(mktemp)"
    "$portico" serve --sandbox --port 0 "$@" >"$log" &
    server=$!
    trap 'kill "$server" 2>/dev/null || true; rm -f "$log"' EXIT
    # The startup message contains the address.
    base=""
    for _ in $(seq 100); do
        base="$(sed -n 's|.*\(http://[^/]*\)/graphql.*|\1|p' "$log" | head -n 1)"
        [ -n "$base" ] && return
        sleep 0.1
    done
    echo "Portico did not start." >&2
    return 1
}

#!/usr/bin/env bash
# Starts Portico with the sandbox, and drives it with client libraries that others wrote (see clients/drive.py).
set -euo pipefail
cd "$(dirname "$0")/.."

tools="${CLIENTS_VENV:-.build/clients}"
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check -r Scripts/clients/requirements.txt

swift build --product portico
log="$(mktemp)"
"$(swift build --show-bin-path)/portico" serve --sandbox --port 0 >"$log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -f "$log"' EXIT

# The greeting says where it answers.
base=""
for _ in $(seq 100); do
    base="$(sed -n 's|.*\(http://[^/]*\)/graphql.*|\1|p' "$log" | head -n 1)"
    [ -n "$base" ] && break
    sleep 0.1
done
[ -n "$base" ] || { echo "Portico did not start." >&2; exit 1; }

"$tools/bin/python" Scripts/clients/drive.py "$base" sandbox

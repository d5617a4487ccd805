#!/usr/bin/env bash
# Starts Portico with the sandbox and the explorer, and drives both pages in headless Chromium (see explorer/check.py).
# Pictures of what was seen are left in .build/explorer-check. PORTICO names an executable that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

tools="${EXPLORER_VENV:-.build/explorer-venv}"
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check -r Scripts/explorer/requirements.txt

if [ -z "${PORTICO:-}" ]; then
    swift build --product portico
    PORTICO="$(swift build --show-bin-path)/portico"
fi
pictures="${EXPLORER_PICTURES:-.build/explorer-check}"
mkdir -p "$pictures"
log="$(mktemp)"
"$PORTICO" serve --sandbox --port 0 --explorer Explorer >"$log" &
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

"$tools/bin/python" -B Scripts/explorer/check.py "$base" "$pictures"

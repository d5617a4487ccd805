#!/usr/bin/env bash
# Runs public SDKs of the providers, which come from PyPI, against the sandbox: each call that Portico makes of a provider must give the
# sandbox's values in the model of the SDK (see sdk-check/check.py).
#
#   Scripts/sdk-check.sh               builds Portico first
#   Scripts/sdk-check.sh EXECUTABLE    uses a built executable
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

portico=${1:-}
if [[ -z $portico ]]; then
    swift build --explicit-target-dependency-import-check error --product portico
    portico=$(swift build --product portico --show-bin-path)/portico
fi

started=$(mktemp)
"$portico" sandbox --port 0 --hours always >"$started" &
sandbox=$!
trap 'kill "$sandbox" 2>/dev/null || true; rm -f "$started"' EXIT
base=
for _ in $(seq 600); do
    base=$(sed -nE 's|.*listens on (http://[^ ]*).*|\1|p' "$started")
    [[ -z $base ]] || break
    sleep 0.1
done
[[ -n $base ]] || { echo "The sandbox did not start." >&2; exit 1; }

status=0
# alpaca-trade-api needs versions of websockets and urllib3 that exclude those of the others.
for requirements in Scripts/sdk-check/requirements*.txt; do
    tools=.build/$(basename "$requirements" .txt | sed 's/requirements/sdk-check/')
    with_tools "$tools" "$requirements"
    mapfile -t names < <(sed 's/==.*//' "$requirements")
    "$tools/bin/python" -B Scripts/sdk-check/check.py "$base" "${names[@]}" || status=1
done
exit "$status"

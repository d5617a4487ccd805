#!/usr/bin/env bash
# Runs every command and snippet of the README and the documentation, against a Portico whose market stands still, and
# compares with the results that stand there (see docs/check.py, which says how a block is marked).
#
#   Scripts/docs-check.sh               builds Portico first
#   Scripts/docs-check.sh EXECUTABLE    takes one that is built; the folder that it lies in has the modules, too
set -euo pipefail
cd "$(dirname "$0")/.."

portico=${1:-}
if [[ -z $portico ]]; then
    swift build --product portico
    portico=$(swift build --product portico --show-bin-path)/portico
fi

scratch=$(mktemp --directory)
server=
clean_up() {
    [[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT

# Eleven o'clock of a Friday in New York: the market is open, and its prices stay what they are.
mkdir "$scratch/data"
PORTICO_SANDBOX_TIME=2026-11-20T16:00:00Z PORTICO_DATA=$scratch/data PORTICO_DOCUMENTS=schema/operations \
    PORTICO_REQUESTS_PER_ADDRESS=1000000 "$portico" serve --port 0 >"$scratch/greeting" 2>"$scratch/log" &
server=$!

# The greeting says where it answers, once it does.
address=
while [[ -z $address ]]; do
    kill -0 "$server" 2>/dev/null || { echo "Portico did not start: $(cat "$scratch/log")" >&2; exit 1; }
    address=$(sed -nE 's|.*http://([^/]*)/graphql.*|\1|p' "$scratch/greeting" | head -n 1)
    [[ -n $address ]] || sleep 0.1
done

python3 Scripts/docs/check.py --portico "$portico" --address "$address" --data "$scratch/data" \
    README.md CONTRIBUTING.md Sources/*/*.docc/*.md

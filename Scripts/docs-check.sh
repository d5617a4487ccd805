#!/usr/bin/env bash
# Runs every command and snippet of the README and the documentation with a Portico whose sandbox clock is stopped, and
# compares the results with those in the text (see docs/check.py for the marks of blocks).
#
#   Scripts/docs-check.sh               builds Portico first
#   Scripts/docs-check.sh EXECUTABLE    uses a built executable; its folder also contains the modules
set -euo pipefail
cd "$(dirname "$0")/.."

portico=${1:-}
if [[ -z $portico ]]; then
    swift build --explicit-target-dependency-import-check error --product portico
    portico=$(swift build --product portico --show-bin-path)/portico
fi

scratch=$(mktemp --directory)
server=
clean_up() {
    [[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT

# Eleven o'clock on a Friday in New York: the market is open, and its prices do not change.
mkdir "$scratch/data"
PORTICO_SANDBOX_TIME=2026-11-20T16:00:00Z PORTICO_SANDBOX_HOURS=exchange PORTICO_DATA=$scratch/data PORTICO_DOCUMENTS=schema/operations \
    PORTICO_REQUESTS_PER_ADDRESS=1000000 "$portico" serve --port 0 >"$scratch/startup" 2>"$scratch/log" &
server=$!

# The startup message contains the address, once Portico listens.
address=
while [[ -z $address ]]; do
    kill -0 "$server" 2>/dev/null || { echo "Portico did not start: $(cat "$scratch/log")" >&2; exit 1; }
    address=$(sed -nE 's|.*http://([^/]*)/graphql.*|\1|p' "$scratch/startup" | head -n 1)
    [[ -n $address ]] || sleep 0.1
done

Scripts/names-check.sh
Scripts/scale-model.py --check

python3 Scripts/docs/check.py --portico "$portico" --address "$address" --data "$scratch/data" \
    README.md CONTRIBUTING.md docs/*.md docs/*/*.md Sources/GraphQL/GraphQL.docc/*.md

#!/usr/bin/env bash
# Fetches the libraries that the explorer and the example are made with into Explorer/libraries, which git does not
# keep; silent where they are there. They come from PyPI, pinned in explorer/libraries.txt, and work offline afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=Explorer/libraries
pins=Scripts/explorer/libraries.txt
# What was fetched last, so that a new pin is fetched anew.
mark=$folder/.pins
! cmp --silent "$pins" "$mark" || exit 0

scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

give_up() {
    cat >&2 <<EOF
The explorer's libraries could not be fetched: $1
Portico works without them, and says so at /. To have them, let this machine reach PyPI, or set pip up for a mirror of
it, and run: make explorer
EOF
    exit 1
}

command -v python3 >/dev/null || give_up "there is no python3."
python3 -m pip --version >/dev/null 2>&1 || give_up "python3 has no pip (Debian: apt-get install python3-pip)."
# Not for longer than somebody waits who only wants to see Portico run.
timeout 60 python3 -m pip download --quiet --disable-pip-version-check --retries 1 --timeout 10 \
    --no-deps --only-binary :all: --require-hashes --requirement "$pins" --dest "$scratch" 2>"$scratch/log" \
    || give_up "$(grep --max-count 1 ERROR "$scratch/log" || echo "PyPI was not reached.")"

for wheel in "$scratch"/*.whl; do python3 -m zipfile --extract "$wheel" "$scratch/wheels"; done
graphiql=$scratch/wheels/datasette_graphql/static
mkdir -p "$folder"
# Their names have their versions, by which browsers keep them for good.
cp "$graphiql/graphiql.1.5.1.min.css" "$folder/graphiql-1.5.1.min.css"
cp "$graphiql/graphiql.1.5.1.min.js" "$folder/graphiql-1.5.1.min.js"
cp "$graphiql/react.production.17.0.2.min.js" "$folder/react-17.0.2.min.js"
cp "$graphiql/react-dom.production.17.0.2.min.js" "$folder/react-dom-17.0.2.min.js"
cp "$scratch/wheels/lightweight_charts/js/lightweight-charts.js" "$folder/lightweight-charts-4.1.3.js"
cp "$pins" "$mark"

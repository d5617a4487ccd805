#!/usr/bin/env bash
# Fetches the libraries of the explorer and the example into Explorer/libraries, which git ignores; prints nothing if they
# are present. They come from PyPI, pinned in explorer/libraries.txt, and work offline afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=Explorer/libraries
pins=Scripts/explorer/libraries.txt
# The pins of the last download, so that libraries are fetched again when a pin changes.
fetched=$folder/.pins
! cmp --silent "$pins" "$fetched" || exit 0

scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

fail() {
    cat >&2 <<EOF
The explorer's libraries could not be fetched: $1
Portico works without them, and reports this at /. To install them, give this machine access to PyPI, or configure a mirror
in pip, and run: make explorer
EOF
    exit 1
}

command -v python3 >/dev/null || fail "python3 is not installed."
python3 -m pip --version >/dev/null 2>&1 || fail "python3 has no pip (Debian: apt-get install python3-pip)."
# A short time limit, because make run waits for it.
timeout 60 python3 -m pip download --quiet --disable-pip-version-check --retries 1 --timeout 10 \
    --no-deps --only-binary :all: --require-hashes --requirement "$pins" --dest "$scratch" 2>"$scratch/log" \
    || fail "$(grep --max-count 1 ERROR "$scratch/log" || echo "PyPI was not reached.")"

for wheel in "$scratch"/*.whl; do python3 -m zipfile --extract "$wheel" "$scratch/wheels"; done
graphiql=$scratch/wheels/graphene_django_graphiql_static/static/graphene_django_graphiql_static
mkdir -p "$folder"
# Libraries of earlier pins.
rm -f "$folder"/*
# Their names contain their versions, so that browsers can cache them without limit.
# Without the fonts in the style sheet, which are most of it: the page has its own, and its policy allows none of data.
python3 -c 'import re, sys; print(re.sub(r"@font-face\s*\{[^}]*\}", "", sys.stdin.read()))' \
    <"$graphiql/graphiql.min.css" >"$folder/graphiql-2.4.7.min.css"
cp "$graphiql/graphiql.min.js" "$folder/graphiql-2.4.7.min.js"
cp "$graphiql/graphiql-plugin-explorer.umd.js" "$folder/graphiql-plugin-explorer-0.1.15.js"
cp "$graphiql/style.css" "$folder/graphiql-plugin-explorer-0.1.15.css"
cp "$graphiql/react.production.min.js" "$folder/react-17.0.2.min.js"
cp "$graphiql/react-dom.production.min.js" "$folder/react-dom-17.0.2.min.js"
cp "$scratch/wheels/lightweight_charts/js/lightweight-charts.js" "$folder/lightweight-charts-4.1.3.js"
cp "$pins" "$fetched"

#!/usr/bin/env bash
# Composes Portico, as a subgraph of Apollo Federation, with another subgraph, and executes operations over both with a gateway
# (see subgraph/check.ts).
#
#   Scripts/subgraph-check.sh [PORTICO]     by default the executable of the debug build
#
#   FEDERATION   the path of a checkout of github.com/apollographql/federation, whose sources are run
#   HIVE         the path of a checkout of github.com/graphql-hive/federation-composition; without it, its case is not run
#
# Without FEDERATION, or Debian's node-graphql, it prints a message and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

graphql=${GRAPHQL_JS:-/usr/share/nodejs/graphql}
if [ ! -d "${FEDERATION:-}/gateway-js/src" ]; then
    echo "No gateway composes the schema: set FEDERATION to a checkout of github.com/apollographql/federation"
    exit 0
fi
if [ ! -f "$graphql/index.mjs" ]; then
    echo "No gateway composes the schema: apt-get install node-graphql"
    exit 0
fi
portico=${1:-$(swift build --product portico --show-bin-path)/portico}
tools="${CLIENTS_VENV:-.build/clients}"
with_tools "$tools" Scripts/clients/requirements.txt

mkdir -p .build/subgraph
python3 Scripts/subgraph/imports.py "$FEDERATION" "${HIVE:-}" "$graphql" >.build/subgraph/imports.json
exec "$tools/bin/deno" run --quiet --allow-all --no-check --no-config --import-map .build/subgraph/imports.json \
    --unstable-sloppy-imports Scripts/subgraph/check.ts "$portico"

#!/usr/bin/env bash
# Compares `portico schema diff` with graphql-js on generated pairs of schemas.
#
#   Scripts/schema-diff-check.sh [PORTICO]     by default the executable of the debug build
#
#   DIFF_PAIRS   the number of pairs (1000)
#   DIFF_SEED    the seed of the schemas (1)
#
# It needs node and Debian's node-graphql; without them it prints a message and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."

export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
if ! command -v node >/dev/null || ! node -e 'require("graphql")' 2>/dev/null; then
    echo "schema diff is not compared with graphql-js: apt-get install nodejs node-graphql"
    exit 0
fi
portico=${1:-$(swift build --product portico --show-bin-path)/portico}
exec node Scripts/schema-diff/compare.js "$portico" "${DIFF_PAIRS:-1000}" "${DIFF_SEED:-1}"

#!/usr/bin/env bash
# Starts Portico with the sandbox, and tests it with public client libraries (see clients/drive.py), with the client kits and
# their libraries (clients/kits/run.ts prints a table), with a page of another origin in Chromium, with an OpenID Connect
# provider, and with a receiver of webhooks.
#
# The libraries of the kits come from the npm registry. CLIENT_IMPORTS is the path of another import map, such as one of local
# copies; a library that cannot be loaded is reported, and its cases are not run.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

tools="${CLIENTS_VENV:-.build/clients}"
with_tools "$tools" Scripts/clients/requirements.txt

swift build --explicit-target-dependency-import-check error --product portico
portico="$(swift build --show-bin-path)/portico"
"$tools/bin/python" Scripts/clients/oidc.py "$portico"
"$tools/bin/python" Scripts/clients/webhooks.py "$portico"

export CLIENT_IMPORTS="${CLIENT_IMPORTS:-Scripts/clients/kits/imports.json}"
export DENO_DIR="${DENO_DIR:-$PWD/.build/deno}"
"$tools/bin/deno" run --quiet --allow-all --no-check --import-map "$CLIENT_IMPORTS" --unstable-sloppy-imports \
    Scripts/clients/kits/run.ts "$portico"
with_program chromium chromium "${CHROMIUM:-}"
"$tools/bin/python" -B Scripts/clients/pages.py "$portico"

export PORTICO_MCP=true PORTICO_MCP_MUTATIONS=CreateGoal,PlaceOrder PORTICO_MCP_ORDER_LIMIT="100000 USD"
serve_sandbox "$portico"

"$tools/bin/python" Scripts/clients/drive.py "$base" sandbox
python3 clients/examples/python/positions.py "$base" sandbox
"$tools/bin/python" Scripts/clients/mcp_tools.py "$base/mcp" sandbox Tests/Golden/mcp/tools.ndjson

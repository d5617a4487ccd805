#!/usr/bin/env bash
# Starts Portico with the sandbox, and tests it with public client libraries (see clients/drive.py),
# with an OpenID Connect provider, and with a receiver of webhooks.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

tools="${CLIENTS_VENV:-.build/clients}"
with_tools "$tools" Scripts/clients/requirements.txt

swift build --product portico
portico="$(swift build --show-bin-path)/portico"
"$tools/bin/python" Scripts/clients/oidc.py "$portico"
"$tools/bin/python" Scripts/clients/webhooks.py "$portico"

export PORTICO_MCP=true PORTICO_MCP_MUTATIONS=RavenAddGoal,RavenTrade PORTICO_MCP_ORDER_LIMIT="100000 USD"
serve_sandbox "$portico"

"$tools/bin/python" Scripts/clients/drive.py "$base" sandbox
python3 clients/examples/python/positions.py "$base" sandbox
"$tools/bin/python" Scripts/clients/mcp_tools.py "$base/mcp" sandbox Tests/Golden/mcp/tools.ndjson

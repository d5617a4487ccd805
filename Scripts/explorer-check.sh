#!/usr/bin/env bash
# Starts Portico with the sandbox and the explorer, and drives both pages in headless Chromium (see explorer/check.py).
# Pictures of what was seen are left in .build/explorer-check. PORTICO names an executable that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

tools="${EXPLORER_VENV:-.build/explorer-venv}"
with_tools "$tools" Scripts/explorer/requirements.txt

if [ -z "${PORTICO:-}" ]; then
    swift build --product portico
    PORTICO="$(swift build --show-bin-path)/portico"
fi
pictures="${EXPLORER_PICTURES:-.build/explorer-check}"
mkdir -p "$pictures"
serve_sandbox "$PORTICO" --explorer Explorer

"$tools/bin/python" -B Scripts/explorer/check.py "$base" "$pictures"

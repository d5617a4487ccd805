#!/usr/bin/env bash
# Starts Portico with the sandbox and the explorer, and tests both pages in headless Chromium (see explorer/check.py).
# Screenshots are written to .build/explorer-check. PORTICO is the path of a built executable, if it is set.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

with_program chromium chromium "${CHROMIUM:-}"
tools="${EXPLORER_VENV:-.build/explorer-venv}"
with_accessibility_tools "$tools"

if [ -z "${PORTICO:-}" ]; then
    swift build --explicit-target-dependency-import-check error --product portico
    PORTICO="$(swift build --show-bin-path)/portico"
fi
pictures="${EXPLORER_PICTURES:-.build/explorer-check}"
mkdir -p "$pictures"
serve_sandbox "$PORTICO" --explorer Explorer

"$tools/bin/python" -B Scripts/explorer/check.py "$base" "$pictures"

#!/usr/bin/env bash
# Starts Portico with the sandbox and the explorer, and tests both pages in headless Chromium (see explorer/check.py).
# Screenshots are written to .build/explorer-check. PORTICO is the path of a built executable, if it is set.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

with_program chromium chromium "${CHROMIUM:-}"
tools="${EXPLORER_VENV:-.build/explorer-venv}"
with_tools "$tools" Scripts/explorer/requirements.txt
# axe-core without Playwright, on which its package depends.
"$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps axe-playwright-python==0.1.8

if [ -z "${PORTICO:-}" ]; then
    swift build --explicit-target-dependency-import-check error --product portico
    PORTICO="$(swift build --show-bin-path)/portico"
fi
pictures="${EXPLORER_PICTURES:-.build/explorer-check}"
mkdir -p "$pictures"
serve_sandbox "$PORTICO" --explorer Explorer

"$tools/bin/python" -B Scripts/explorer/check.py "$base" "$pictures"

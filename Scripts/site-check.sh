#!/usr/bin/env bash
# Checks the pages of .build/site in headless Chromium (see explorer/site_check.py).
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

with_program chromium chromium "${CHROMIUM:-}"
tools="${EXPLORER_VENV:-.build/explorer-venv}"
with_accessibility_tools "$tools"
"$tools/bin/python" -B Scripts/explorer/site_check.py .build/site

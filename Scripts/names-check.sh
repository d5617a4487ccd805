#!/usr/bin/env bash
# Checks the names of symbols and files in comments and pages, the reasons of locks, the imports between targets, and the checks
# themselves; see docs/symbols.py, docs/reasons.py and docs/layers.py. It takes some seconds and needs no build.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -B Scripts/docs/symbols.py
python3 -B Scripts/docs/reasons.py
python3 -B Scripts/docs/layers.py
python3 -B -m unittest discover --quiet --start-directory Scripts/docs

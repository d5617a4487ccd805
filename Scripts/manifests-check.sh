#!/usr/bin/env bash
# Builds each overlay of Docker/kubernetes and validates the result (see manifests/check.py). The tools come from PyPI,
# pinned in manifests/requirements.txt.
#
#   Scripts/manifests-check.sh             checks Docker/kubernetes
#   Scripts/manifests-check.sh FOLDER      checks the overlays in FOLDER/overlays
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

tools=.build/manifests
with_tools "$tools" Scripts/manifests/requirements.txt
"$tools/bin/python" Scripts/manifests/check.py "${1:-Docker/kubernetes}"

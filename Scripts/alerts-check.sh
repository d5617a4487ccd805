#!/usr/bin/env bash
# Tests the alert rules with promtool of Debian's package prometheus, which is unpacked, not installed.
set -euo pipefail
cd "$(dirname "$0")/.."

promtool=$(command -v promtool || true)
if [ -z "$promtool" ]; then
    folder=.build/prometheus
    promtool=$folder/usr/bin/promtool
    if [ ! -x "$promtool" ]; then
        mkdir -p "$folder"
        (cd "$folder" && apt-get download -qq prometheus 2>/dev/null && dpkg-deb -x prometheus_*.deb .) || {
            echo "promtool is missing. Debian, Ubuntu: sudo apt-get install prometheus" >&2
            exit 1
        }
    fi
fi
"$promtool" check rules Docker/monitoring/alerts.yaml
"$promtool" check config --syntax-only Docker/monitoring/prometheus.yaml
"$promtool" test rules Docker/monitoring/alerts-test.yaml

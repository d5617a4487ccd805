#!/usr/bin/env bash
# Takes pictures of the explorer and the example in headless Chromium, at widths of 1280 and 390 pixels, light and dark,
# into .build/screenshots. UPDATE=1 replaces the two pictures in docs/images, reduced to 256 colours.
#
# PORTICO is the path of a built executable, if it is set. The sandbox has a fixed time, so that pictures are comparable.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/serving.sh

with_program chromium chromium "${CHROMIUM:-}"
[ -z "${UPDATE:-}" ] || with_program pngquant pngquant
tools="${EXPLORER_VENV:-.build/explorer-venv}"
with_tools "$tools" Scripts/explorer/requirements.txt

if [ -z "${PORTICO:-}" ]; then
    swift build --explicit-target-dependency-import-check error --product portico
    PORTICO="$(swift build --show-bin-path)/portico"
fi
pictures="${EXPLORER_PICTURES:-.build/screenshots}"
mkdir -p "$pictures"
# Friday afternoon in New York: the market is open, and the day has a line.
export PORTICO_SANDBOX_TIME=2026-11-20T19:30:00Z
PORTICO_SANDBOX_HOURS=exchange serve_sandbox "$PORTICO" --explorer Explorer

"$tools/bin/python" -B Scripts/explorer/screenshots.py "$base" "$pictures" "$@"
[ -z "${UPDATE:-}" ] || for picture in explorer=explorer-1280-light example=stock-window-dark; do
    pngquant --force --strip --speed 1 256 --output "docs/images/${picture%%=*}.png" "$pictures/${picture#*=}.png"
done

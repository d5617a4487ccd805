#!/usr/bin/env bash
# Reports the line coverage of some folders, from the profiles of a build with --enable-code-coverage.
#
#   Scripts/coverage.sh SCRATCH_PATH [FOLDER …]     by default Sources/GraphQL, Sources/Gateway and Sources/Storage
#
# The profiles are in SCRATCH_PATH/profiles, one for each process: if servers that end at the same time merge their counters
# into one file, the counters are invalid. Programs that the tests start are included, unless they are killed.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$1
shift
folders=("$@")
[[ ${#folders[@]} != 0 ]] || folders=(Sources/GraphQL Sources/Gateway Sources/Storage)

tools=$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)\/lib\/swift".*/\1/p')/bin
built=$(swift build --scratch-path "$scratch" --show-bin-path)
profile=$scratch/profiles/all.profdata
# The profile of a process that was killed while it wrote is omitted.
"$tools/llvm-profdata" merge --sparse --failure-mode=all --output "$profile" "$scratch"/profiles/*.profraw

# The test bundles contain all targets; the executable that they start is a separate object.
objects=("$built"/*.xctest)
[[ ! -x $built/portico ]] || objects+=(--object "$built/portico")

# report FOLDER: rows of llvm-cov's table with file, lines, missed lines, and coverage.
report() {
    "$tools/llvm-cov" report "${objects[@]}" --instr-profile "$profile" "$1" 2>/dev/null \
        | awk '$1 ~ /\.swift$|^TOTAL$/ { print $1, $8, $9, $10 }'
}

printf '%-40s %8s %8s %9s\n' folder lines missed reached
for folder in "${folders[@]}"; do
    report "$folder" >"$scratch/profiles/report"
    awk -v folder="$folder" '$1 == "TOTAL" { printf "%-40s %8s %8s %9s\n", folder, $2, $3, $4 }' \
        "$scratch/profiles/report"
    # The ten files with the most missed lines.
    awk '$1 != "TOTAL" && $3 > 0' "$scratch/profiles/report" | sort --key 3,3nr | head -n 10 \
        | awk '{ printf "  %-38s %8s %8s %9s\n", $1, $2, $3, $4 }'
done

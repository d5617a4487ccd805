#!/usr/bin/env bash
# Counts files, lines, split types and repeated names of the sources, and compares the counts with their limits.
#
#   Scripts/structure.sh            prints each count and its limit
#   Scripts/structure.sh --list     also prints the files and names behind each count
#   Scripts/structure.sh --check    exits with 1 if a count is above its limit
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1-}
failed=0

# item NAME LIMIT: counts the lines of standard input.
item() {
    local found count
    found=$(cat)
    count=$(grep -c . <<<"$found" || true)
    row "$1" "$count" "$2"
    [[ $mode != --list || -z $found ]] || sed 's/^/    /' <<<"$found"
}

row() {
    local mark=''
    if (($2 > $3)); then
        mark=' above the limit'
        failed=1
    fi
    printf '%-62s %8d %8d%s\n' "$1" "$2" "$3" "$mark"
}

# The Swift files of the sources, with their numbers of lines.
sizes=$(find Sources -name '*.swift' -exec wc -l {} + | awk '$2 != "total"' | sort -k 2)

printf '%-62s %8s %8s\n' item count limit
row 'source files' "$(wc -l <<<"$sizes")" 750
row 'source lines' "$(awk '{ lines += $1 } END { print lines }' <<<"$sizes")" 76000
awk '$1 < 25' <<<"$sizes" | item 'source files of fewer than 25 lines' 30
awk '$1 > 350' <<<"$sizes" | item 'source files of more than 350 lines' 15
find Sources -name '*+*.swift' | sort | item 'source files named Type+Concern.swift' 90

# Top-level types and protocols that two modules declare. A comment "Same name as" in the line above permits it.
find Sources -name '*.swift' -exec awk '
    FNR == 1 {
        module = FILENAME
        sub(/^Sources\/(Providers\/)?/, "", module)
        sub(/\/.*/, "", module)
    }
    /^((public|package|internal|final|indirect|@[A-Za-z]+) +)*(struct|class|enum|protocol|actor|typealias) +[A-Z]/ {
        if (before !~ /Same name as/) {
            name = $0
            sub(/^.*(struct|class|enum|protocol|actor|typealias) +/, "", name)
            sub(/[^A-Za-z0-9_].*/, "", name)
            print name, module
        }
    }
    { before = $0 }' {} + \
    | sort -u | awk '{ modules[$1] = modules[$1] " " $2; count[$1]++ }
        END { for (name in count) if (count[name] > 1) print name ":" modules[name] }' \
    | sort | item 'top-level names in two modules, without a reason' 0

{ grep -rl '@testable' Tests --include '*.swift' || true; } | sort | item 'test files with @testable' 40

# Folders of tests that do not mirror a folder of their target. Support has shared code of the tests of a target;
# PorticoAppTests has folders by topic, because its tests use the whole program.
find Tests/*Tests -mindepth 1 -type d ! -path '*/Support*' ! -path 'Tests/PorticoAppTests/*' | while read -r folder; do
    tests=${folder#Tests/}
    target=${tests%%Tests*}
    inner=${tests#*/}
    [[ -d Sources/$target/$inner || -d Sources/Providers/$target/$inner ]] || echo "$folder"
done | sort | item 'test folders without a source folder' 0

# Lines of code with the name of a provider, outside of its target, the registry, the sandbox, the table of exchanges, which
# has the codes of all providers, and the symbols as people type them.
{ grep -rnE 'Alpaca|Saxo|Yahoo|Polygon|AlphaVantage|alpaca|saxo|yahoo|polygon|alphaVantage' Sources --include '*.swift' \
    | grep -vE '^Sources/(Providers|Sandbox|Executables)/|Brokerage/(ProviderID|Exchange|TypedSymbol)\.swift:|ProviderRegistry\.swift:' \
    | grep -vE '^[^:]+:[0-9]+: *//' || true; } | item 'lines with the name of a provider outside of its target' 0

{ grep -rn 'any Sendable' Sources/Upstream/ReadCache --include '*.swift' 2>/dev/null || true; } \
    | item 'uses of any Sendable in the read cache' 0

[[ $mode != --check ]] || exit "$failed"

#!/usr/bin/env bash
# Counts files, split types and names of the sources, and compares the counts with their limits. `make lint` checks them.
#
#   Scripts/structure.sh            prints each count and its limit
#   Scripts/structure.sh --list     also prints the files and names behind each count
#   Scripts/structure.sh --check    exits with 1 if a count is above its limit
set -euo pipefail
# The last command of a pipe sets variables of this shell.
shopt -s lastpipe
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
    if [[ $3 != - ]] && (($2 > $3)); then
        mark=' above the limit'
        failed=1
    fi
    printf '%-62s %8d %8s%s\n' "$1" "$2" "$3" "$mark"
}

# The Swift files of the sources, with their numbers of lines.
sizes=$(find Sources -name '*.swift' -exec wc -l {} + | awk '$2 != "total"' | sort -k 2)

printf '%-62s %8s %8s\n' item count limit
row 'source files' "$(wc -l <<<"$sizes")" -
row 'source lines' "$(awk '{ lines += $1 } END { print lines }' <<<"$sizes")" -
# Each provider has a file with its descriptor, however short.
awk '$1 < 25 && $2 !~ "^Sources/Providers/.*Descriptor[.]swift$"' <<<"$sizes" | item 'source files of fewer than 25 lines' 10
awk '$1 > 450' <<<"$sizes" | item 'source files of more than 450 lines' 0
find Sources -name '*+*.swift' | sort | item 'source files named Type+Concern.swift' 35
python3 -B Scripts/docs/filenames.py | item 'source files without the name of a type, without a reason' 0

# Top-level types and protocols that two modules declare. "Same name as" in its description permits it.
find Sources -name '*.swift' -exec awk '
    FNR == 1 {
        module = FILENAME
        sub(/^Sources\/(Providers\/)?/, "", module)
        sub(/\/.*/, "", module)
    }
    /^((public|package|internal|final|indirect|@[A-Za-z]+) +)*(struct|class|enum|protocol|actor|typealias) +[A-Z]/ {
        if (!described) {
            name = $0
            sub(/^.*(struct|class|enum|protocol|actor|typealias) +/, "", name)
            sub(/[^A-Za-z0-9_].*/, "", name)
            print name, module
        }
    }
    { described = /Same name as/ || described && /^(\/\/\/|@)/ }' {} + \
    | sort -u | awk '{ modules[$1] = modules[$1] " " $2; count[$1]++ }
        END { for (name in count) if (count[name] > 1) print name ":" modules[name] }' \
    | sort | item 'top-level names in two modules, without a reason' 0

# The unit tests of services call their methods, which are internal to their target.
{ grep -rl '@testable' Tests --include '*.swift' || true; } | sort | item 'test files with @testable' 55

# Folders of tests that do not mirror a folder of their target. Support has shared code of the tests of a target;
# PorticoAppTests has folders by topic, because its tests use the whole program.
find Tests/*Tests -mindepth 1 -type d ! -path '*/Support*' ! -path 'Tests/PorticoAppTests/*' | while read -r folder; do
    tests=${folder#Tests/}
    target=${tests%%Tests*}
    inner=${tests#*/}
    [[ -d Sources/$target/$inner || -d Sources/Providers/$target/$inner ]] || echo "$folder"
done | sort | item 'test folders without a source folder' 0

# Lines of code with the name of a provider, outside of its target, the registry, the sandbox, the table of exchanges, which
# has the codes of all providers, the symbols as people type them, the page about each provider, and examples in the help of
# commands, in the message at the start and in the schema.
providers=$(ls Sources/Providers | sed -E 's/.*/&|\l&/' | paste -sd '|')
{ grep -rnE "$providers" Sources --include '*.swift' \
    | grep -vE '^Sources/(Providers|Sandbox|Executables)/|Brokerage/(ProviderID|Exchange|TypedSymbol)\.swift:|ProviderRegistry\.swift:' \
    | grep -vE 'Docs/ProviderSupportPage\.swift:|Verify/ProvidersVerifyCommand\.swift:|Schema/Scalars\.swift:|Mock/MockScalar\.swift:|StartupMessage\.swift:' \
    | grep -vE '^[^:]+:[0-9]+: *//' || true; } | item 'lines with the name of a provider outside of its target' 0

{ grep -rn 'any Sendable' Sources/Upstream/ReadCache --include '*.swift' 2>/dev/null || true; } \
    | item 'uses of any Sendable in the read cache' 0

# Each method on it is seen by every resolver, so that no topic can be read or tested alone.
{ grep -rnE '^([a-z]+ )*extension RequestScope' Sources --include '*.swift' || true; } | item 'extensions of the scope of a request' 0
{ grep -nE '^    (package |private |fileprivate |convenience )*(let|var|func|init|subscript|static)\b' \
    Sources/Gateway/Services/RequestScope.swift || true; } | item 'members of the scope of a request' 15

[[ $mode != --check ]] || exit "$failed"

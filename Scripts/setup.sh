#!/usr/bin/env bash
# Checks the build dependencies: a Swift toolchain, and the headers of six C libraries. With the argument `tests`, it also
# checks the programs that tests start: database servers, and pkill. If everything is present, it prints nothing and uses no
# package manager. Otherwise it installs what is missing with apt if it has the rights, or prints what to install.
set -euo pipefail
cd "$(dirname "$0")/.."

# Debian's package = one of its headers, which the build needs.
libraries=(
    libcurl4-openssl-dev=curl/curl.h
    libjemalloc-dev=jemalloc/jemalloc.h
    libpq-dev=Sources/CPQ/cpq.h
    libsqlite3-dev=sqlite3.h
    libssl-dev=openssl/ssl.h
    zlib1g-dev=zlib.h
)

if ! command -v swift >/dev/null; then
    echo "Portico needs Swift 6.3, but 'swift' is not in PATH. Install it: https://www.swift.org/install/linux/" >&2
    exit 1
fi

programs=()
[[ ${1-} != tests ]] || programs=(postgresql=initdb procps=pkill redis-server=redis-server)

# Whether a program is installed. Debian has those of PostgreSQL in the directory of its version, not in PATH.
has_program() { command -v "$1" >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null; }

# The toolchain includes clang, so that no other compiler and no pkg-config is needed.
clang=$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)\/lib\/swift".*/\1/p')/bin/clang
[[ -x $clang ]] || clang=cc

missing_packages() {
    local library program
    for library in "${libraries[@]}"; do
        "$clang" -x c -fsyntax-only -include "${library#*=}" /dev/null 2>/dev/null || echo "${library%%=*}"
    done
    for program in "${programs[@]}"; do
        has_program "${program#*=}" || echo "${program%%=*}"
    done
}

mapfile -t missing < <(missing_packages)
[[ ${#missing[@]} != 0 ]] || exit 0

as_root=()
if [[ $(id -u) != 0 ]]; then
    # sudo may ask for a password only at a terminal.
    if [[ -t 0 ]]; then as_root=(sudo); else as_root=(sudo --non-interactive); fi
fi

if command -v apt-get >/dev/null && "${as_root[@]}" true 2>/dev/null; then
    echo "Installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq >&2 || true  # The old package list may be sufficient; the check below decides.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || true
    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} != 0 ]] || exit 0
fi

cat >&2 <<EOF
Portico needs packages that are not installed, and this account cannot install them. Please install:
  Debian, Ubuntu:   sudo apt-get install ${missing[*]}
  Fedora, RHEL:     sudo dnf install libcurl-devel jemalloc-devel libpq-devel sqlite-devel openssl-devel zlib-devel${programs:+ postgresql-server postgresql-contrib procps-ng redis}
EOF
exit 1

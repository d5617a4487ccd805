#!/usr/bin/env bash
# Sees to it that what Portico is built with is here: a Swift toolchain, and the headers of four C libraries. Silent
# and without any package manager where they are; else installs the libraries through apt where it may, or says
# exactly what to install.
set -euo pipefail

# Debian's package = a header of it, which is what the build in the end needs.
libraries=(
    libcurl4-openssl-dev=curl/curl.h
    libsqlite3-dev=sqlite3.h
    libssl-dev=openssl/ssl.h
    zlib1g-dev=zlib.h
)

if ! command -v swift >/dev/null; then
    echo "Portico is built with Swift 6.3, and no 'swift' is on the path: https://www.swift.org/install/linux/" >&2
    exit 1
fi

# The toolchain brings clang, so that no other compiler and no pkg-config is asked for.
clang=$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)\/lib\/swift".*/\1/p')/bin/clang
[[ -x $clang ]] || clang=cc

missing_packages() {
    local library
    for library in "${libraries[@]}"; do
        "$clang" -x c -fsyntax-only -include "${library#*=}" /dev/null 2>/dev/null || echo "${library%%=*}"
    done
}

mapfile -t missing < <(missing_packages)
[[ ${#missing[@]} != 0 ]] || exit 0

as_root=()
if [[ $(id -u) != 0 ]]; then
    # Someone at a terminal can type a password; nobody else is asked for one.
    if [[ -t 0 ]]; then as_root=(sudo); else as_root=(sudo --non-interactive); fi
fi

if command -v apt-get >/dev/null && "${as_root[@]}" true 2>/dev/null; then
    echo "Installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq >&2 || true  # An old list may still do; what is missing below will tell.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || true
    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} != 0 ]] || exit 0
fi

cat >&2 <<EOF
Portico needs the headers of C libraries that are not here, and this account cannot install them. Please install:
  Debian, Ubuntu:   sudo apt-get install ${missing[*]}
  Fedora, RHEL:     sudo dnf install libcurl-devel sqlite-devel openssl-devel zlib-devel
EOF
exit 1

#!/usr/bin/env bash
# Checks the build dependencies: a Swift toolchain, and the headers of four C libraries. If they are present, it prints
# nothing and uses no package manager. Otherwise it installs the libraries with apt if it has the rights, or prints what to
# install.
set -euo pipefail

# Debian's package = one of its headers, which the build needs.
libraries=(
    libcurl4-openssl-dev=curl/curl.h
    libsqlite3-dev=sqlite3.h
    libssl-dev=openssl/ssl.h
    zlib1g-dev=zlib.h
)

if ! command -v swift >/dev/null; then
    echo "Portico needs Swift 6.3, but 'swift' is not in PATH. Install it: https://www.swift.org/install/linux/" >&2
    exit 1
fi

# The toolchain includes clang, so that no other compiler and no pkg-config is needed.
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
Portico needs the headers of C libraries that are not installed, and this account cannot install them. Please install:
  Debian, Ubuntu:   sudo apt-get install ${missing[*]}
  Fedora, RHEL:     sudo dnf install libcurl-devel sqlite-devel openssl-devel zlib-devel
EOF
exit 1

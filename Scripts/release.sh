#!/usr/bin/env bash
# Builds everything that a release consists of, into .build/release-VERSION: archive, Debian package, image, SBOM, checksums, their
# signature, and the release notes from CHANGELOG.md. It publishes nothing, and makes no tag.
#
#   Scripts/release.sh VERSION
#
# The version must be that of the executable, and a section of CHANGELOG.md; the work tree must have no change. In the environment:
#
#   MINISIGN_KEY=FILE     signs SHA256SUMS with minisign (SHA256SUMS.minisig), or
#   OPENSSL_KEY=FILE      signs it with an Ed25519 key of openssl (SHA256SUMS.sig; `openssl genpkey -algorithm ed25519`)
#   IMAGE_BUILDER=none    builds no image
#   EXECUTABLE=FILE       packages that executable, for a trial
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "make release: $1" >&2; exit 1; }
version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "give the version, such as make release VERSION=0.1.0"
grep -q "static let current = \"$version\"" Sources/PorticoApp/Commands/PorticoCommand.swift ||
    fail "the version of the executable is another one. Change Version.current in Sources/PorticoApp/Commands/PorticoCommand.swift"
notes=$(awk -v head="## [$version]" 'index($0, head) == 1 { inside = 1; next } /^## / { inside = 0 } inside' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || fail "CHANGELOG.md has no section '## [$version] - DATE'. Rename the section [Unreleased]"
[ -z "$(git status --porcelain)" ] || fail "the work tree has changes. Commit them"
if [ -z "${MINISIGN_KEY:-}${OPENSSL_KEY:-}" ]; then
    fail "set MINISIGN_KEY or OPENSSL_KEY to the file of the key that signs the checksums"
fi

Scripts/dist.sh >/dev/null
out=.build/release-$version
rm -rf "$out"
mkdir -p "$out"
find .build/dist -maxdepth 1 -type f ! -name SHA256SUMS -exec cp {} "$out/" \;
printf '# Portico %s\n\n%s\n' "$version" "$(sed '/./,$!d' <<<"$notes")" >"$out/release-notes.md"

if [ "${IMAGE_BUILDER:-}" = none ]; then
    echo "No image is built, because IMAGE_BUILDER is none" >&2
else
    Scripts/image.sh "portico:$version"
    # The digest of the content, which two builds of one revision can compare.
    for builder in docker podman buildah; do
        if id=$("$builder" inspect --format '{{.Id}}' "portico:$version" 2>/dev/null); then echo "portico:$version $id" >"$out/image.txt"; break; fi
    done
fi

(cd "$out" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
if [ -n "${MINISIGN_KEY:-}" ]; then
    command -v minisign >/dev/null || fail "minisign is missing. Debian, Ubuntu: sudo apt-get install minisign"
    minisign -S -s "$MINISIGN_KEY" -m "$out/SHA256SUMS" -t "portico $version"
else
    openssl pkeyutl -sign -rawin -inkey "$OPENSSL_KEY" -in "$out/SHA256SUMS" -out "$out/SHA256SUMS.sig"
    openssl pkey -in "$OPENSSL_KEY" -pubout -out "$out/SHA256SUMS.pub.pem"
    openssl pkeyutl -verify -rawin -pubin -inkey "$out/SHA256SUMS.pub.pem" -in "$out/SHA256SUMS" -sigfile "$out/SHA256SUMS.sig" >/dev/null
fi
ls -l "$out"

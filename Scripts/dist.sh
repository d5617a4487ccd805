#!/usr/bin/env bash
# Builds an archive and a Debian package for Linux machines without Swift: executable, explorer, completions, man page, SBOM and
# checksums, in .build/dist. With EXECUTABLE=FILE they contain that executable, and nothing is built.
#
# The executable contains Swift's runtime. It needs libcurl, libpq, SQLite, OpenSSL 3, zlib and jemalloc, which Debian 12, Ubuntu 22.04 and
# later have. The archive contains no time and no path of the build: the same source and the same toolchain give the same
# archive in the same directory.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=.build-dist
options=(-c release --scratch-path "$scratch" --static-swift-stdlib --product portico)
options+=(-Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=." -Xcxx "-ffile-prefix-map=$PWD=.")
built=${EXECUTABLE:-}
if [ -z "$built" ]; then
    swift build "${options[@]}"
    built=$(swift build "${options[@]}" --show-bin-path)/portico
fi
# Without its libraries from PyPI, the page at / reports what is missing.
Scripts/explorer.sh || true

version=$("$built" --version | awk '{ print $NF }')
architecture=$(uname -m)
name=portico-$version-linux-$architecture
out=.build/dist
rm -rf "$out"
root=$out/$name
mkdir -p "$root"/{bin,share/man/man1,share/bash-completion/completions,share/zsh/site-functions,share/fish/vendor_completions.d,share/doc/portico,share/portico}

# Debug information contains absolute paths, and makes up most of the size. The symbols stay for backtraces.
strip --strip-debug -o "$root/bin/portico" "$built"
"$built" --generate-completion-script bash >"$root/share/bash-completion/completions/portico"
"$built" --generate-completion-script zsh >"$root/share/zsh/site-functions/_portico"
"$built" --generate-completion-script fish >"$root/share/fish/vendor_completions.d/portico.fish"
"$built" --experimental-dump-help | python3 Scripts/dist/manpage.py "$version" | gzip -9n >"$root/share/man/man1/portico.1.gz"
cp -rL Explorer "$root/share/portico/explorer"
rm -f "$root/share/portico/explorer/libraries/.pins"
cp Scripts/dist/debian/portico.service "$root/share/doc/portico/"
cp LICENSE README.md CHANGELOG.md SECURITY.md schema/schema.graphql "$root/share/doc/portico/"
python3 Scripts/dist/sbom.py "$version" Package.resolved "$built" >"$root/share/doc/portico/sbom.cdx.json"
cp "$root/share/doc/portico/sbom.cdx.json" "$out/$name.cdx.json"

time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
tar --create --directory "$out" --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "$name" |
    gzip -9n >"$out/$name.tar.gz"
if command -v dpkg-shlibdeps >/dev/null; then
    SOURCE_DATE_EPOCH=$time Scripts/dist/deb.sh "$root" "$version" "$out"
else
    echo "No Debian package is built, because dpkg-shlibdeps is missing (Debian, Ubuntu: sudo apt-get install dpkg-dev)" >&2
fi
rm -r "$root"
(cd "$out" && sha256sum ./*.tar.gz ./*.deb ./*.cdx.json 2>/dev/null | sed 's|  ./|  |' >SHA256SUMS)
cat "$out/SHA256SUMS"

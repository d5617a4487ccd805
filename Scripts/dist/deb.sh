#!/usr/bin/env bash
# Builds a Debian package from the directory of the archive.
#
#   Scripts/dist/deb.sh ARCHIVE_DIRECTORY VERSION OUTPUT_FOLDER
#
# It depends on the packages of the libraries that the executable loads, as dpkg-shlibdeps finds them on this machine. Equal
# input gives an equal package: SOURCE_DATE_EPOCH, or else 0, is the time of all files.
set -euo pipefail
archive=$1 version=$2 out=$3
debian=$(cd "$(dirname "$0")/debian" && pwd)
for program in dpkg-deb dpkg-shlibdeps; do
    command -v "$program" >/dev/null || { echo "$program is missing. Debian, Ubuntu: sudo apt-get install dpkg-dev" >&2; exit 1; }
done
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/portico

mkdir -p "$root"/{DEBIAN,etc/portico,lib/systemd/system,usr}
cp -r "$archive/bin" "$archive/share" "$root/usr/"
# Not the unit for machines without this package.
rm -f "$root/usr/share/doc/portico/portico.service"
install -m 0644 "$debian/portico.service" "$root/lib/systemd/system/portico.service"
install -m 0644 "$debian/portico.env" "$root/etc/portico/portico.env"
install -m 0755 "$debian"/{postinst,prerm,postrm} "$root/DEBIAN/"
echo /etc/portico/portico.env >"$root/DEBIAN/conffiles"
cat >"$root/usr/share/doc/portico/copyright" <<'END'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Portico

Files: *
Copyright: the authors of Portico
License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.
END

mkdir -p "$work/debian"
printf 'Source: portico\n\nPackage: portico\nArchitecture: any\n' >"$work/debian/control"
# A library that no package has, such as that of a toolchain in /opt, is reported, and is no dependency.
libraries=$(cd "$work" && dpkg-shlibdeps --ignore-missing-info -O portico/usr/bin/portico 2>"$work/log" |
    sed -n 's/^shlibs:Depends=//p') || { cat "$work/log" >&2; exit 1; }
cat >"$root/DEBIAN/control" <<END
Package: portico
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The authors of Portico <portico@localhost>
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Depends: adduser, ca-certificates, init-system-helpers, tzdata, $libraries
Section: web
Priority: optional
Description: GraphQL endpoint for brokers and market-data providers
 Portico is one self-hosted GraphQL endpoint in front of brokers (Alpaca, Saxo) and
 providers of market data. The package has the server, with its sandbox, and a unit of systemd.
END
find "$root" -exec touch --no-dereference --date "@${SOURCE_DATE_EPOCH:-0}" {} +
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0} dpkg-deb --root-owner-group -Z"${COMPRESSION:-xz}" --build "$root" \
    "$out/portico_${version}_$(dpkg --print-architecture).deb" >/dev/null

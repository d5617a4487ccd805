#!/usr/bin/env bash
# The life of the Debian package on a machine with systemd: installed, started, used by a person who signs up, backed up, upgraded,
# restored, removed and purged. It runs in a copy of this machine that has a network of its own, so that nothing remains.
#
#   Scripts/package-check.sh                     builds the package first (`make dist`)
#   EXECUTABLE=FILE Scripts/package-check.sh     with this executable
#   PACKAGE=FILE Scripts/package-check.sh        with this package
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "The check starts systemd in namespaces, and needs root." >&2; exit 1; }
[ -x /lib/systemd/systemd ] || { echo "systemd is missing. Debian, Ubuntu: apt-get install systemd" >&2; exit 1; }

folder=/tmp/portico-package.$$
share=$folder/share
mkdir -p "$share"
systemd=''
cleanup() {
    if [ -n "$systemd" ]; then kill -KILL "$systemd" 2>/dev/null || true; wait "$systemd" 2>/dev/null || true; fi
    rm -rf --one-file-system "$folder"
    rmdir /sys/fs/cgroup/systemd/"${folder##*/}" /sys/fs/cgroup/"${folder##*/}" 2>/dev/null || true
}
trap cleanup EXIT

# The second version differs in its number only.
export COMPRESSION=${COMPRESSION:-gzip}
if [ -z "${PACKAGE:-}" ]; then Scripts/dist.sh >/dev/null; PACKAGE=$(echo .build/dist/portico_*.deb); fi
cp "$PACKAGE" "$share/first.deb"
dpkg-deb -R "$share/first.deb" "$folder/next"
version=$(dpkg-deb -f "$share/first.deb" Version)
sed -i "s/^Version: .*/Version: $version+next/" "$folder/next/DEBIAN/control"
dpkg-deb --root-owner-group -Znone -b "$folder/next" "$share/next.deb" >/dev/null
rm -r "$folder/next"

Scripts/dist/boot.sh "$folder" >"$folder/boot.log" 2>&1 &
systemd=$!
# The first process in the namespaces is the child of `unshare`.
first=''
for _ in $(seq 300); do
    first=$(pgrep -P "$systemd" || true)
    if [ -n "$first" ] && inside=$(nsenter -t "$first" -a -r -w systemctl is-system-running 2>/dev/null || true) &&
        [[ $inside == running || $inside == degraded ]]; then break; fi
    sleep 0.2
done
in_copy() { nsenter -t "$first" -a -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
failures=0
check() {
    local sentence=$1
    shift
    if "$@" >"$folder/output" 2>&1; then
        echo "pass  $sentence"
    else
        echo "FAIL  $sentence"
        sed 's/^/      /' "$folder/output" | tail -20
        failures=$((failures + 1))
    fi
}
not() { ! "$@"; }
ask() { in_copy curl -sS --max-time 30 http://127.0.0.1:8080/graphql -H 'Content-Type: application/json' -d "$1"; }
sign() { ask "{\"query\":\"mutation { $1(input: { username: \\\"$2\\\", password: \\\"correct horse battery\\\" }) { token } }\"}" | grep -q '"token":"'; }
ready() {
    for _ in $(seq 150); do
        ! in_copy portico health >/dev/null 2>&1 || return 0
        sleep 0.2
    done
    in_copy journalctl -u portico -n 20 --no-pager
    return 1
}
exposure() {
    in_copy systemd-analyze security --no-pager portico.service >"$folder/security" || true
    local score
    score=$(sed -nE 's/.*Overall exposure level for portico.service: ([0-9.]+).*/\1/p' "$folder/security")
    echo "exposure level: ${score:-unknown}"
    awk -v score="${score:-10}" 'BEGIN { exit !(score <= 2.0) }' || { grep -v '✓' "$folder/security"; return 1; }
}
restore() {
    in_copy systemctl stop portico
    in_copy portico restore /root/copy.db --data /var/lib/portico --sandbox
    in_copy systemctl start portico
}
if ! in_copy true 2>/dev/null; then
    echo "systemd did not start in the copy of this machine:" >&2
    cat "$folder/boot.log" >&2
    exit 1
fi

check "the package installs" in_copy dpkg -i "$share/first.deb"
check "its unit has no error" in_copy systemd-analyze verify portico.service
check "the service runs after the installation" ready
[ "$failures" = 0 ] || exit 1
check "it runs as its own user, who owns the data" in_copy sh -c '
    [ "$(stat -c %U "/proc/$(systemctl show -p MainPID --value portico)")" = portico ] && [ "$(stat -c %U:%a /var/lib/portico)" = portico:700 ]'
check "its exposure (systemd-analyze security) is at most 2.0" exposure
check "the page at / is in the package" in_copy sh -c 'curl -sSf http://127.0.0.1:8080/ | grep -qi "<title>"'
check "man page and completions are in the package" in_copy sh -c '
    cd /usr/share && zcat man/man1/portico.1.gz | grep -q "^.TH PORTICO" && [ -s bash-completion/completions/portico ]'
in_copy sh -c 'echo PORTICO_SIGN_UP=open >>/etc/portico/portico.env && systemctl restart portico' || in_copy journalctl -u portico -n 20 --no-pager >&2
check "it runs again after a change of its settings" ready
check "a person signs up" sign signUp ann
check "root copies the data while it runs" in_copy portico backup /root/copy.db --data /var/lib/portico --sandbox
check "another person signs up after the copy" sign signUp ben
check "a restore is refused while it runs" not in_copy portico restore /root/copy.db --data /var/lib/portico --sandbox
check "the upgrade installs, and keeps the settings" in_copy sh -c "
    dpkg -i --force-confold $share/next.deb && grep -q SIGN_UP /etc/portico/portico.env"
check "the service runs after the upgrade" ready
check "both persons can sign in after the upgrade" eval 'sign signIn ann && sign signIn ben'
check "root restores the copy" restore
check "the service runs with the restored data" ready
check "the person of the copy can sign in" sign signIn ann
check "the person after the copy is unknown" not sign signIn ben
check "the data has no fault" in_copy portico doctor --data /var/lib/portico --sandbox
check "the package can be removed, and the service stops" in_copy sh -c '
    dpkg -r portico && ! systemctl is-active --quiet portico && [ -e /etc/portico/portico.env ] && [ -e /var/lib/portico/sandbox/portico.db ]'
check "it can be installed again, with its data" eval "in_copy dpkg -i $share/next.deb && ready && sign signIn ann"
check "purging deletes the settings, and keeps the data" in_copy sh -c '
    dpkg -P portico && [ ! -e /etc/portico ] && [ -e /var/lib/portico/sandbox/portico.db ]'
echo "$failures failed"
[ "$failures" = 0 ]

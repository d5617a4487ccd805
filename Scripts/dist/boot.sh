#!/usr/bin/env bash
# Starts systemd as the first process of a copy of this machine, in namespaces of its own: what is installed and written there
# is gone afterwards, its network is a loopback interface, and its control groups are below those of FOLDER's name.
#
#   Scripts/dist/boot.sh FOLDER      FOLDER/root is the root directory; FOLDER/share is FOLDER/share there, too
#
# It needs root, and is stopped with SIGKILL (the kernel then ends all processes in it).
set -euo pipefail
folder=$1
if [ "${2:-}" != inside ]; then
    mkdir -p "$folder"/{root,layer}
    groups=/sys/fs/cgroup/systemd
    [ -d "$groups" ] || groups=/sys/fs/cgroup
    mkdir -p "$groups/${folder##*/}"
    echo $BASHPID >"$groups/${folder##*/}/cgroup.procs"
    exec unshare --mount --pid --fork --uts --ipc --cgroup --net --kill-child=SIGKILL "$0" "$folder" inside
fi
root=$folder/root
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder/layer"
mkdir "$folder"/layer/{upper,work}
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/layer/upper,workdir=$folder/layer/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t sysfs sysfs "$root/sys"
for path in run tmp; do mount -t tmpfs tmpfs "$root/$path"; done
mkdir -p "$root$folder/share"
mount --bind "$folder/share" "$root$folder/share"
if [ -d /sys/fs/cgroup/systemd ]; then
    mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
    mkdir "$root/sys/fs/cgroup/systemd"
    mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
else
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
fi
ip link set lo up 2>/dev/null || true
# No service of this machine starts.
rm -f "$root"/etc/systemd/system/*.wants/*
# Images of containers forbid the start of services during an installation.
rm -f "$root/usr/sbin/policy-rc.d"
mkdir -p "$root/etc/systemd/system"
printf '[Unit]\nRequires=basic.target dbus.socket\nAfter=basic.target\nAllowIsolate=yes\nWants=multi-user.target\n' \
    >"$root/etc/systemd/system/drill.target"
# Not chroot, in which the kernel allows no user namespaces (PrivateUsers=).
cd "$root"
pivot_root . mnt
umount --lazy mnt
exec env -i container=drill PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --system --unit=drill.target --log-target=journal

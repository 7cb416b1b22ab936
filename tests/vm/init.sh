#!/bin/sh
# The first program of the machine: makes its root out of the skeleton and the directories of the host, and leaves to it.
set -eu
mount -t devtmpfs dev /dev
while read -r module; do
	insmod "/modules/$module"
done </modules/order
mount -t tmpfs -o mode=755 root /root
cp -a /skeleton/. /root/
share() {
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro "$1" "$2"
}
# As on any machine, root may write to /usr; what it writes is gone with the machine.
share usr /lower
mount -t tmpfs -o mode=755 upper /upper
mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work usr /root/usr
share source /root/source
share build /root/build
mount --move /dev /root/dev
exec switch_root /root /usr/bin/python3 -B /source/tests/vm/guest.py

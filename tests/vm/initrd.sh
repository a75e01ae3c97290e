#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Make the initramfs of a guest: busybox, and the program that drives devices.
# Usage: initrd.sh GUEST BUSYBOX OUT
#
# Words of the kernel's command line: guest=MODE and seed=N run the program and
# restart the machine, which ends it; without them there is a shell.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/proc" "$work/sys" "$work/dev"
cp "$1" "$work/guest"
cp "$2" "$work/bin/busybox"
cat >"$work/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
if [ -n "$guest" ]; then
    echo # behind what the firmware has left on the line
    /guest "$guest" "$seed"
    echo "TAP end $?"
else
    echo "/guest all|quick SEED tests the devices; poweroff -f ends"
    setsid cttyhack sh
fi
reboot -f
END
chmod +x "$work/init" "$work/guest" "$work/bin/busybox"
ln -s busybox "$work/bin/sh"
(cd "$work" && find . | cpio -o -H newc --quiet) | gzip -1 >"$3"

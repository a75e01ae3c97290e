#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A kernel in a virtual machine with modelled devices, driven by the driver
# library in the guest. Prints TAP.
# Usage: run.sh TRENCH GUEST KERNEL BUSYBOX [SEED]
#   GUEST    tests/vm/guest, linked statically
#   KERNEL   a bzImage for x86-64 with PCI, a serial console and huge pages
#   BUSYBOX  a static one
set -u

# shellcheck source-path=SCRIPTDIR/../cli source=../cli/tap.sh
. "$(dirname "$0")/../cli/tap.sh"
guest=$(absolute "$2")
kernel=$(absolute "$3")
busybox=$(absolute "$4")
seed=${5:-$(od -A n -N 4 -t u4 /dev/urandom | tr -d ' ')}
initrd=$(absolute "$(dirname "$0")/initrd.sh")
cd "$dir" || exit 1

# Seconds; emulation on two busy processors takes about a tenth of it.
limit=180

"$initrd" "$guest" "$busybox" initrd.gz || exit 1

# machine MODE ARG...: a run to its end; leaves console, stderr and $rc.
machine()
{
    mode=$1
    shift
    began=$(date +%s)
    timeout -k 5 $limit "$trench" vm "$@" --unknown-report \
        -- -nodefaults -nographic -serial stdio -no-reboot \
        -kernel "$kernel" -initrd initrd.gz \
        -append "console=ttyS0 quiet panic=-1 hugepages=32 guest=$mode seed=$seed" \
        >raw 2>stderr </dev/null
    rc=$?
    tr -d '\r' <raw >console
    printf '# %s: %d s\n' "$mode $*" $(($(date +%s) - began))
}

# told NAME: what the guest has said, and how it ended.
told()
{
    sed -n 's/^TAP //p' console >tap
    cp stderr said
    : >stdout
    : >stderr
    while read -r line; do
        case $line in
        "ok - "*) verdict "$1: ${line#ok - }" 0 ;;
        "not ok - "*) verdict "$1: ${line#not ok - }" 1 ;;
        "#"*) printf '%s\n' "$line" ;;
        esac
    done <tap
    tail -n 40 console >stdout
    cp said stderr
    grep -q '^end 0$' tap && [ "$rc" -eq 0 ]
    verdict "$1: the guest ends well" $?
}

machine all
told 'one device'
grep -q 'registers that the guest touched' console
verdict 'one device: a report of unknown registers' $?

machine quick --devices 2 --smp 2 --revision silicon --device inf2
told 'two devices, silicon'
test "$(grep -c '^ok - .*: 1d0f:7264 revision 1$' tap)" -eq 2
verdict 'two devices, silicon: the guest has found both' $?
test "$(grep -c '^device [01]: the guest touched no register' console)" -eq 2
verdict 'two devices, silicon: a report of each' $?

plan

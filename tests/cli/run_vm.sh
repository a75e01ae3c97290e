#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench vm with something in place of QEMU: a script that finds its
# sockets in its arguments, as QEMU does.
# Usage: run_vm.sh PATH-OF-TRENCH PATH-OF-CLIENT    (prints TAP)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
client=$(absolute "$2")
cd "$dir" || exit 1

# What the script does is in the file "role".
cat >qemu <<'END'
#!/bin/sh
echo $$ >qemu.pid
echo "$PPID" >trench.pid
ls /proc/$PPID/task/$PPID/children >/dev/null 2>&1 &&
    cat "/proc/$PPID/task/$PPID/children" >family
fds=
for word in "$@"; do
    case $word in
    x-pci-proxy-dev,*fd=*) fds="$fds ${word##*fd=}" ;;
    esac
done
. ./role
END
chmod +x qemu

role()
{
    cat >role
}

# run ARG...: trench vm with the script.
run()
{
    rm -f want
    "$trench" vm --qemu ./qemu "$@" >stdout 2>stderr </dev/null
    rc=$?
}

# dry ARG...: the command line, without the numbers of descriptors.
dry()
{
    rm -f want
    "$trench" vm --dry-run "$@" >raw 2>stderr </dev/null
    rc=$?
    sed 's/fd=[0-9]*/fd=N/g' raw >stdout
}

# fails NAME STATUS TEXT: the run before ended so, and said that.
fails()
{
    test "$rc" -eq "$2" && grep -q -- "$3" stderr
    verdict "$1" $?
}

# prints_dry NAME ARG...: as prints, of dry.
prints_dry()
{
    name=$1
    shift
    dry "$@"
    cat >want
    test "$rc" -eq 0 -a ! -s stderr && cmp -s want stdout
    verdict "$name" $?
}

# gone FILE: within 10 s none of the processes named there is left. One that
# nobody has waited for yet does not count.
gone()
{
    pids=$(cat "$1")
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        left=
        # A list of words, on purpose.
        for pid in $pids; do
            state=$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null)
            case $state in
            "" | Z) ;;
            *) left="$left $pid" ;;
            esac
        done
        [ -n "$left" ] || return 0
        sleep 0.5
    done
    echo "still there:$left" >>stderr
    return 1
}

# appears FILE: within 20 s.
appears()
{
    n=0
    while [ ! -s "$1" ] && [ $n -lt 200 ]; do
        sleep 0.1
        n=$((n + 1))
    done
    [ -s "$1" ]
}

# ---- the command line ---------------------------------------------------------

machine='-machine memory-backend=trench-ram,max-ram-below-4g=1G'
object='-object memory-backend-memfd,id=trench-ram'
single='-accel tcg,thread=single'
device='-device x-pci-proxy-dev,id=trench0,fd=N'
other='-device x-pci-proxy-dev,id=trench1,fd=N'

prints_dry 'the default command line' <<END
qemu-system-x86_64 $machine $object,size=1073741824,share=on -m 1073741824B $single $device
END
prints_dry 'words of the caller, quoted' --qemu /opt/q -- -append "a b" -name "it's" '' <<END
/opt/q $machine $object,size=1073741824,share=on -m 1073741824B $single $device -append 'a b' -name 'it'\\''s' ''
END
prints_dry 'memory by --memory' --memory 512M <<END
qemu-system-x86_64 $machine $object,size=536870912,share=on -m 536870912B $single $device
END
for words in '-m 512' '-m 512M' '--m 0.5G' '-m size=512,slots=2,maxmem=2G' \
    '-m 512m,maxmem=2G'; do
    # shellcheck disable=SC2086
    prints_dry "memory by $words" -- $words <<END
qemu-system-x86_64 $machine $object,size=536870912,share=on $single $device $words
END
done
prints_dry 'two devices, and their firmware' --devices 2 <<END
qemu-system-x86_64 $machine $object,size=1073741824,share=on -m 1073741824B -bios qboot.rom $single $device $other
END
prints_dry 'a firmware of the caller' --devices 2 -- -bios b <<END
qemu-system-x86_64 $machine $object,size=1073741824,share=on -m 1073741824B $single $device $other -bios b
END
prints_dry 'a large BAR 4' --bar4-size 1G <<END
qemu-system-x86_64 $machine $object,size=1073741824,share=on -m 1073741824B -bios qboot.rom $single $device
END
prints_dry 'processors that take turns' --smp 4 <<END
qemu-system-x86_64 $machine $object,size=1073741824,share=on -m 1073741824B $single -smp 4 $device
END
prints_dry 'the same, in words of QEMU' -- -smp 4 -accel tcg,thread=single <<END
qemu-system-x86_64 $machine $object,size=1073741824,share=on -m 1073741824B $device -smp 4 -accel tcg,thread=single
END
prints_dry 'one processor by KVM' --accel kvm <<END
qemu-system-x86_64 $machine $object,size=1073741824,share=on -m 1073741824B -accel kvm $device
END
prints_dry 'a value that looks like an option of ours' -- -append m -name smp <<END
qemu-system-x86_64 $machine $object,size=1073741824,share=on -m 1073741824B $single $device -append m -name smp
END

lost='QEMU drops what another writes'
dry --smp 2 --accel kvm
fails 'two processors by KVM' 2 "2 processors with kvm.*$lost"
dry --smp 2 --accel tcg,thread=multi
fails 'two processors in threads' 2 "$lost"
dry --smp 2 -- -accel tcg
fails 'two processors in threads, as QEMU chooses' 2 "$lost"
dry -- -accel tcg,thread=single -accel kvm -smp cpus=1,maxcpus=2
fails 'a second processor, later, perhaps by KVM' 2 "$lost"
dry -- -smp sockets=1,cores=2,threads=2 -accel kvm
fails 'processors by cores' 2 "4 processors.*$lost"
dry --smp 2 -- -smp 2
fails '-smp twice' 2 '-smp stands behind the --, and before it'
dry --accel kvm -- -accel kvm
fails '-accel twice' 2 '-accel stands behind'
dry --memory 1G -- -m 1G
fails '-m twice' 2 '-m stands behind'
for text in x 0 1Q size= -1; do
    dry -- -m "$text"
    fails "-m $text" 2 'how much is that'
done
dry --memory 1073741825
fails 'memory of an odd size' 2 'multiple of 8 KiB'
for words in '-enable-kvm' '-machine q35,accel=kvm' '-M memory-backend=x' \
    '-mem-path /dev/shm' '-M pc,smp.cpus=2' '-machine smp.maxcpus=2' \
    '-no-kvm' '-machine pc,memory.size=2G' '-readconfig x' '-daemonize'; do
    # shellcheck disable=SC2086
    dry -- $words
    fails "$words" 2 'say --\|devices\|say it'
done
dry --devices 3
fails 'three devices' 2 '--devices'
dry --devices 2 --bar4-size 512M
fails 'BARs without room' 2 'no room below 4 GiB'
dry --devices 2 --routing-id 63
fails 'a routing id too many' 2 'would be 64'
dry --gen cayman
fails 'a generation that does not fit' 2 'at most 1 GiB'
dry -kernel x
fails 'arguments of QEMU without --' 2 '.'
dry kernel -- x
fails 'an argument before --' 2 "'kernel': QEMU's own arguments follow a --"

# ---- running ------------------------------------------------------------------

# The role says more than this file knows.
export client
role <<'END'
exec "$client" copy --fd $fds
END
run --unknown-report
echo 'the guest touched no register that the model lacks' >want
test "$rc" -eq 0 && cmp -s want stdout
verdict 'a copy through a device' $?

role <<'END'
for fd in $fds; do "$client" copy --fd $fd || exit 1; done
END
run --devices 2 --unknown-report
cat >want <<'END'
device 0: the guest touched no register that the model lacks
device 1: the guest touched no register that the model lacks
END
test "$rc" -eq 0 && cmp -s want stdout
verdict 'a copy through each of two' $?

run --devices 2 --json --trace-mmio trace
python3 - <<'END' 2>>stderr
import json
text = open("stdout").read()
d = json.JSONDecoder()
a, at = d.raw_decode(text)
b, _ = d.raw_decode(text[at:].lstrip())
assert a["messages"] == b["messages"] and a["descriptors"] == 1
END
test $? -eq 0 -a "$rc" -eq 0 && test -s trace.0 -a -s trace.1
verdict 'reports as JSON, and a trace each' $?

role <<'END'
exec "$client" identity --fd $fds
END
run --device inf2 --revision silicon
test "$rc" -eq 0 && grep -q 'ids 72641d0f' stdout
verdict 'options of the device' $?

role <<'END'
for fd in /proc/$$/fd/*; do
    case $(readlink "$fd") in socket:*) echo "${fd##*/}" ;; esac
done | sort -n >open
echo $fds | tr ' ' '\n' | sort -n >told
for pid in $(cat family); do
    [ "$pid" = $$ ] ||
        ls -l /proc/"$pid"/fd | grep -c 'socket:'
done >others
END
run --devices 2
printf '1\n1\n' >want
mv others stdout
test "$rc" -eq 0 && cmp -s open told && cmp -s want stdout
verdict 'each process has its own sockets and no more' $?

role <<'END'
exit 3
END
run
test "$rc" -eq 3
verdict 'the exit status is that of QEMU' $?
role <<'END'
kill -9 $$
END
run
test "$rc" -eq 137
verdict 'so is the signal' $?

role <<'END'
i=0
while [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done
END
run --trace-mmio /nowhere/trace
fails 'a device that cannot start stops QEMU' 1 '/nowhere/trace'
rm -f stop

role <<'END'
for pid in $(cat family); do [ "$pid" = $$ ] || kill -9 "$pid"; done
trap 'echo stopped >stop; exit 0' TERM
i=0
while [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done
END
run
fails 'a device that is killed' 1 'device 0 was ended by signal 9'
test "$(cat stop)" = stopped
verdict 'stops QEMU, too' $?

# Signals, to a machine that runs.
role <<'END'
trap 'echo TERM >stop; exit 7' TERM
trap 'echo HUP >stop; exit 8' HUP
echo $$ >running
i=0
while [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done
END
for signal in TERM:7 HUP:8; do
    rm -f running stop
    "$trench" vm --qemu ./qemu --unknown-report >stdout 2>stderr </dev/null &
    job=$!
    appears running
    kill -"${signal%:*}" "$job"
    wait "$job"
    rc=$?
    test "$rc" -eq "${signal#*:}" -a "$(cat stop)" = "${signal%:*}" &&
        gone family && grep -q 'no register' stdout
    verdict "SIG${signal%:*} goes to QEMU" $?
done

# Not even what ignores signals is left.
role <<'END'
trap '' TERM INT HUP
echo $$ >running
i=0
while [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done
END
rm -f running
"$trench" vm --qemu ./qemu --devices 2 >stdout 2>stderr </dev/null &
job=$!
appears running
kill -9 "$job"
wait "$job" 2>/dev/null
test "$(wc -w <family)" -eq 3 && gone family
verdict 'when trench is killed nothing is left' $?

run_path()
{
    PATH=/nowhere "$trench" vm "$@" >stdout 2>stderr </dev/null
    rc=$?
}
run_path
fails 'no QEMU' 1 'install the Debian package qemu-system-x86'
run_path --qemu ./nothing
fails 'no such QEMU' 1 'cannot start ./nothing'
run_path --qemu ./role
fails 'nothing that can be run' 1 'cannot start ./role'

plan

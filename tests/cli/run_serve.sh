#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench serve, with a client of its protocol at the other end.
# Usage: run_serve.sh PATH-OF-TRENCH PATH-OF-CLIENT    (prints TAP)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
client=$(absolute "$2")
cd "$dir" || exit 1

# run SCENARIO [OPTION...]: a server with a client.
run()
{
    scenario=$1
    shift
    rm -f want
    "$client" "$scenario" "$trench" "$@" >stdout 2>stderr
    rc=$?
}

# direct OPTION...: without a client.
direct()
{
    rm -f want
    "$trench" serve "$@" >stdout 2>stderr </dev/null
    rc=$?
}

# fails NAME STATUS TEXT: the run before ended so, and said that.
fails()
{
    test "$rc" -eq "$2" && grep -q -- "$3" stderr
    verdict "$1" $?
}

prints 'identity of a trn1' identity <<'EOF'
ids 71641d0f
class and revision 120000ff
BAR 0 00000000
BAR 1 00000000
BAR 2 c0000000
BAR 3 00000000
BAR 4 f0000008
BAR 5 00000000
EOF

prints 'identity of an inf2 in silicon, with another BAR 4' \
    identity --device inf2 --revision silicon --bar4-size 1M <<'EOF'
ids 72641d0f
class and revision 12000001
BAR 0 c0000000
BAR 1 00000000
BAR 2 00000000
BAR 3 00000000
BAR 4 fff00008
BAR 5 00000000
EOF

prints 'a copy' copy </dev/null
prints 'a copy, revision 240' copy --revision 240 </dev/null
prints 'nothing at all' nothing </dev/null

prints 'a reset is done at once' reset <<'EOF'
taken after 0 reads, done after 0
EOF
prints 'a reset that takes its polls' reset --reset-latency 3,2 <<'EOF'
taken after 3 reads, done after 2
EOF
run reset --reset-latency 400ms,400ms
test "$rc" -eq 0 && ! grep -q 'after 0' stdout
verdict 'a reset that takes its time' $?

run unknown --unknown-report --poll-limit 40
cat >want <<'EOF'
registers that the guest touched and the model lacks:

BAR     offset     reads    writes       last  name
  2   28000000         1         1         22  BAR2+0x28000000
  2   30535100         0         1         11  APB_CORE_NOTIFIC_0.notific_nq[0].base_addr_lo
EOF
test "$rc" -eq 0 && cmp -s want stdout
verdict 'the report of unknown registers' $?
grep -q '40 reads in a row of APB_MISC_RAM.firmware.status' stderr
verdict 'the report of a guest that polls' $?

run copy --unknown-report
printf 'the guest touched no register that the model lacks\n' >want
test "$rc" -eq 0 && cmp -s want stdout
verdict 'no unknown registers' $?

run unknown --json --poll-limit 0
python3 - <<'EOF' 2>>stderr
import json
r = json.load(open("stdout"))
assert r["messages"]["BAR_READ"] == 51 and r["messages"]["SYNC_SYSMEM"] == 1
assert r["wrong_messages"] == 0 and r["descriptors"] == 1
assert [u["offset"] for u in r["unknown"]] == ["0x28000000", "0x30535100"]
assert "address" not in r["unknown"][0]
assert r["unknown"][1]["address"] == "0xffff0535100"
assert r["stuck_polls"] == 0
EOF
test $? -eq 0 -a "$rc" -eq 0
verdict 'the report as JSON' $?

run reset --trace-mmio trace
cat >want <<'EOF'
W 0x30fa01ec 4 0x1  # APB_MISC_RAM.reset.request val=0x1*
W 0x30fa0800 4 0x1  # APB_MISC_RAM.firmware.trigger val=0x1*
R 0x30fa01ec 4 0x0  # APB_MISC_RAM.reset.request val=0x0
R 0x30fa0808 4 0x0  # APB_MISC_RAM.firmware.status busy=0x0
EOF
grep -v '^#' trace >stdout
test "$rc" -eq 0 && cmp -s want stdout
verdict 'a trace' $?
rm -f want
"$trench" reg annotate --bar sunda trace >stdout 2>stderr &&
    test "$(grep -c 'APB_MISC_RAM.reset.request' stdout)" -ge 2
verdict 'reg annotate reads a trace' $?
direct --fd 0 --trace-mmio /nowhere/trace
fails 'a trace that cannot be written' 1 '/nowhere/trace'

run garbage
fails 'garbage' 1 'Malformed input\|malformed'
run cut
fails 'a message that is cut' 1 'descriptor'
run wrong --json
test "$rc" -eq 0 && grep -q '"wrong_messages": 2' stdout &&
    grep -q 'wrong message: command 77 (unknown)' stderr
verdict 'wrong messages are answered, and it goes on' $?
i=0
while [ $i -lt 100 ]; do
    i=$((i + 1))
    run killed
    if [ "$rc" -ne 0 ] || [ -s stderr ]; then
        break
    fi
done
test "$rc" -eq 0 && test ! -s stderr
verdict "a client is killed, $i times" $?
run terminate --unknown-report
test "$rc" -eq 143 && grep -q 'no register that the model lacks' stdout
verdict 'a signal ends it, after the report' $?
run shrink
fails 'guest memory that shrinks' 1 'has shrunk'

direct
fails 'no socket' 2 '--fd is missing'
direct --fd x
fails 'no number' 2 "'x' is not a number"
direct --fd 0
fails 'no socket there' 1 'descriptor 0 is no connected stream socket'
direct --fd 999
fails 'nothing there' 1 'descriptor 999'
direct --fd 0 --gen cayman
fails 'a register BAR that is too large' 2 'at most 1 GiB'
direct --fd 0 --gen mariana
fails 'a function that is not known' 2 'not known'
direct --fd 0 --gen x
fails 'no such generation' 2 'unknown generation'
direct --fd 0 --device trn2
fails 'another product' 2 "'trn2' is no product with a sunda chip"
direct --fd 0 --revision 256
fails 'no such revision' 2 '--revision'
for size in 2K 3M 2G x; do
    direct --fd 0 --bar4-size $size
    fails "BAR 4 of $size" 2 '--bar4-size'
done
for latency in x '1,' ,1 1m 5000s 1,2,3 99999999999; do
    direct --fd 0 --reset-latency $latency
    fails "latency $latency" 2 '--reset-latency'
done
direct --fd 0 --routing-id 64
fails 'routing id 64' 2 '--routing-id'
direct --fd 0 more
fails 'an argument' 2 'too many arguments'

plan

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench watch: its output, letter by letter, and its exit codes.
# Usage: run_watch.sh PATH-OF-TRENCH    (prints TAP)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
data=$(cd "$(dirname "$0")/../data/dump" && pwd) || exit 1
trace=$data/sunda-driver-load.mmio.gz
cd "$dir" || exit 1

# watch ARG...: runs it, into stdout, stderr and $rc.
watch()
{
    "$trench" watch "$@" >stdout 2>stderr
    rc=$?
}

# prints NAME CODE ARG...: nothing on stderr, and our standard input on stdout.
prints()
{
    name=$1
    code=$2
    shift 2
    cat >want
    watch "$@"
    test "$rc" -eq "$code" -a ! -s stderr && cmp -s want stdout
    verdict "$name" $?
}

# complains NAME CODE LINE ARG...: that exit code, and that line on stderr.
complains()
{
    name=$1
    code=$2
    printf 'trench watch: %s\n' "$3" >want
    shift 3
    watch "$@"
    test "$rc" -eq "$code" && cp stderr stdout && cmp -s want stdout
    verdict "$name" $?
}

# refuses NAME LINE ARG...: a usage error, whose first line is that.
refuses()
{
    name=$1
    printf 'trench watch: %s\n' "$2" >want
    shift 2
    watch "$@"
    head -n 1 stderr >stdout
    test "$rc" -eq 2 && cmp -s want stdout
    verdict "$name" $?
}

# has NAME LINE / hasnt NAME PATTERN: about the last output.
has()
{
    printf '%s\n' "$2" >want
    grep -qxF -e "$2" stdout
    verdict "$1" $?
}

hasnt()
{
    : >want
    ! grep -q -e "$2" stdout
    verdict "$1" $?
}

# exits NAME CODE ARG...
exits()
{
    name=$1
    code=$2
    shift 2
    : >want
    watch "$@"
    test "$rc" -eq "$code"
    verdict "$name" $?
}

# json NAME FILTER: the filter is true of the last output.
json()
{
    : >want
    python3 -c '
import json, sys
d = json.load(open("stdout"))
sys.exit(0 if eval(sys.argv[1]) else 1)' "$2" 2>stderr
    verdict "$1" $?
}

# ---- copies ------------------------------------------------------------------

test_copies()
{
    prints 'copies' 0 <<'EOF'
round 1  cayman  h2d  copies of 8192 bytes
  engine 0 queue 0  100 copies

engine 0  APB_SE_0_SDMA_0  0x1002000000  cayman
  side  state     packets            bytes    fetched  completed completions      acked    dropped
  m2s   idle          100           819200        100        100         100        100          -
  s2m   idle            -           819200        100        100         100        100          0
  m2s enabled without a ring: queues 1-15
  s2m enabled without a ring: queues 1-15
  queue       ring                completions            packets  flags
      0  m2s  0x400000000000      0x400000000400             100  pref sched cring
      0  s2m  0x400000000500      0x400000000900             100  pref stream cring
  queue         length        head        tail     current  completion      used  prefetched
      0  m2s        64        36@2        36@2        36@2        36@2         0           0
      0  s2m        64        36@2        36@2        36@2        36@2         0           0
  model  packets 100  bytes 819200  tx_descs 100  rx_descs 100  doorbells 200
EOF
    exits 'every channel and queue' 0 --channel all --queue all --iterations 2
    test "$(grep -c '^engine ' stdout)" -eq 132
    verdict 'every channel is shown' $?
    test "$(grep -c ' copies$' stdout)" -eq $((132 * 16))
    verdict 'every queue has copied' $?
    awk 'length > 100 { exit 1 }' stdout
    verdict 'no line is wider than 100 columns' $?
    exits 'large copies' 0 --bytes 1M --iterations 3 --direction d2d
    has 'large copies: bytes' \
        '  s2m   idle            -          3145728         48         48          48         48          0'
    for gen in sunda mariana mariana_plus; do
        exits "copies on $gen" 0 --gen "$gen" --iterations 1
    done
}

test_faults()
{
    prints 'a fault' 1 --inject m2s-data-read:slverr,after=10,times=1 \
        --queue 0-1 <<'EOF'
round 1  cayman  h2d  copies of 8192 bytes
  engine 0 queue 0  5 copies  stopped: the device answered with an error
  engine 0 queue 1  5 copies  stopped: the device answered with an error
  fault m2s-data-read:slverr  struck 1 of 11

engine 0  APB_SE_0_SDMA_0  0x1002000000  cayman
  side  state     packets            bytes    fetched  completed completions      acked    dropped
  m2s   abort          11            81920         11         10          10         10          -
  s2m   abort           -            81920         11         10          10         10          0
  m2s stages     comp_ctrl abort  stream_if abort  data_rd_ctrl abort  desc_pref abort
  m2s error log  0x0d002000 0x01080003 0x00200000 0x00004000
  m2s enabled without a ring: queues 2-15
  s2m stages     comp_ctrl abort  stream_if abort  data_wr_ctrl abort  desc_pref abort
                 axi_wr_data abort
  s2m enabled without a ring: queues 2-15
  queue       ring                completions            packets  flags
      0  m2s  0x400000000000      0x400000000400               5  pref sched cring
      0  s2m  0x400000000500      0x400000000900               5  pref stream cring
      1  m2s  0x400000000d00      0x400000001100               5  pref sched cring
      1  s2m  0x400000001200      0x400000001600               5  pref stream cring
  queue         length        head        tail     current  completion      used  prefetched
      0  m2s        64         6@1         6@1         5@1         5@1         1           1
      0  s2m        64         6@1         6@1         5@1         5@1         1           1
      1  m2s        64         5@1         6@1         5@1         5@1         1           0
      1  s2m        64         5@1         6@1         5@1         5@1         1           0
  cause  primary A  bit 2   group D  masked
  cause  primary D  bit 8   secondary A
  cause  secondary A  bit 8   data_axi_response  aborts
  vectors  52 secondary group A  66 m2s data_axi_response
  in flight  cme  queues 0
  model  packets 10  bytes 81920  tx_descs 10  rx_descs 10  doorbells 24  errors 1  app_aborts 1
EOF
}

test_rounds()
{
    exits 'rounds' 0 --rounds 3 --iterations 1
    test "$(grep '^round' stdout | cut -c 1-7 | tr '\n' ,)" = \
        'round 1,round 2,round 3,'
    verdict 'rounds are counted' $?
    has 'rounds add up' '  engine 0 queue 0  3 copies'
    hasnt 'no terminal, no escapes' "$(printf '\033')"
    exits 'an interval' 0 --rounds 2 --interval 1
    exits 'rounds as lines of JSON' 0 --rounds 2 --interval 1 --json
    test "$(wc -l <stdout)" -eq 2 && test "$(grep -c '^{.*}$' stdout)" -eq 2
    verdict 'one object a line' $?
    printf 'trench: standard output: write error\n' >want
    "$trench" watch --interval 1 >/dev/full 2>stdout
    test $? -eq 1 && cmp -s want stdout
    verdict 'a full disk ends it' $?
}

# A terminal gets the view in place.
test_terminal()
{
    command -v script >/dev/null || return
    : >want
    script -qec "'$trench' watch --interval 1 --rounds 2" /dev/null \
        >stdout 2>stderr </dev/null
    test "$(grep -c "$(printf '\033\[H\033\[J')round" stdout)" -eq 2
    verdict 'a terminal: in place' $?
    grep -q "$(printf '\033\[1m')engine 0" stdout
    verdict 'a terminal: bold' $?
    NO_COLOR=1 script -qec "'$trench' watch" /dev/null >stdout 2>stderr </dev/null
    hasnt 'NO_COLOR' "$(printf '\033\[1m')"
}

test_json()
{
    exits 'JSON' 1 --json --iterations 5 \
        --inject m2s-data-read:slverr,after=3,times=1
    json 'JSON: the state' 'd["channels"][0]["m2s"]["state"] == "abort"'
    json 'JSON: a pointer' \
        'd["channels"][0]["queues"][0]["head"] == {"index": 4, "lap": 1}'
    json 'JSON: flags' \
        'd["channels"][0]["queues"][1]["flags"] == ["pref", "stream", "cring"]'
    json 'JSON: a cause' \
        '{"bit": 8, "name": "data_axi_response", "masked": False, "aborts": True} in d["channels"][0]["interrupt_groups"][2]["causes"]'
    json 'JSON: vectors' \
        '[v["vector"] for v in d["channels"][0]["vectors"]] == [52, 66]'
    json 'JSON: the fault' 'd["faults"][0]["struck"] == 1'
    json 'JSON: the copies' \
        'd["copies"][0]["copies"] == 3 and d["copies"][0]["error"]'
    json 'JSON: the error log' \
        'd["channels"][0]["m2s"]["error_log"][0] != "0x0"'
}

test_notify()
{
    watch --notify --iterations 1 --channel 3 --queue 4
    has 'notifications: the queue' \
        '  notifications 0  0x1002000  size 0x1000  head 0x0  tail 0x50  5 pending'
    sed -n 's/^ *[0-9]* ps  phase 1  //p' stdout >records
    mv records stdout
    cat >want <<'EOF'
m2s_sop  queue 4  metadata 0x0
s2m_sop  queue 4  metadata 0x0
m2s_eop  queue 4  8192 bytes  crc 0x07f6
s2m_eop  queue 4  8192 bytes  crc 0x07f6
s2m_completion  queue 4
EOF
    cmp -s want stdout
    verdict 'notifications: the records' $?
    exits 'notifications: rounds' 0 --notify --iterations 60 --rounds 2 --json \
        --records 1
    sed -n 2p stdout >second && mv second stdout
    json 'notifications: what was shown is taken' \
        'd["channels"][0]["notifications"]["queues"][0]["head"] == 0xff0'
    exits 'notifications: all records' 0 --notify --iterations 60 --rounds 2 \
        --records 0
    test "$(grep -c 'lost-before' stdout)" -eq 1
    verdict 'notifications: lost ones are told of' $?
}

# ---- logs --------------------------------------------------------------------

test_trace()
{
    # Firmware memory is the only thing that the model does not answer.
    exits 'a recorded driver' 0 --bar sunda --channel 15 "$trace"
    has 'a recorded driver: counts' \
        '42 reads, 13258 writes; 0 answered in another way, 8 refused'
    test "$(grep -c 'APB_MISC_RAM.*: refused, nothing is modelled there' stdout)" \
        -eq 8
    verdict 'a recorded driver: what is refused' $?
    exits 'a recorded driver, strictly' 1 --strict --bar sunda "$trace"
    test "$(grep -c '^engine ' stdout)" -eq 34
    verdict 'a recorded driver: engines that it touches' $?
    zcat "$trace" >plain
    "$trench" watch --bar sunda "$trace" | grep -v '^/' >want
    "$trench" watch --bar sunda - <plain 2>stderr | grep -v '^standard' >stdout
    cmp -s want stdout
    verdict 'standard input' $?
    exits 'a recorded driver, as JSON' 0 --json --bar sunda --gen sunda "$trace"
    json 'a recorded driver, as JSON: counts' \
        'd["replay"]["differed"] == 0 and d["replay"]["refused"] == 8 and len(d["channels"]) == 34'
}

test_differences()
{
    cat >log <<'EOF'
# a comment
R 0x100253a104 4 0x1c360003
R 0x100253a104 4 0x1c360004
R 0x100253a105 1 0x00
R 0x100253a105 1 0x01
W 0x1002501020 1 0x1
R 0x1002543000 4 0x0
W 0x400000000001 1 0x12
W 0x400000000002 2 0xabcd
R 0x400000000000 8 0xabcd1200
0x1002501020: 00000000
EOF
    prints 'differences' 0 log <<'EOF'
log:3: R 0x100253a104 APB_SE_0_SDMA_5.udma_gen.DMA_misc.revision: 0x1c360003, the log has 0x1c360004
log:5: R 0x100253a104 APB_SE_0_SDMA_5.udma_gen.DMA_misc.revision: 0x0, the log has 0x100
log:6: W 0x1002501020 APB_SE_0_SDMA_5.udma_m2s.M2S_Q[0].cfg: refused, a register takes whole words
log:7: R 0x1002543000 APB_SE_0_SDMA_5_MISC_SDMA_UG_RESERVED1: refused, nothing is modelled there
6 reads, 3 writes; 2 answered in another way, 2 refused
1 lines that are no access were left out

engine 5  APB_SE_0_SDMA_5  0x1002500000  cayman
  side  state     packets            bytes    fetched  completed completions      acked    dropped
  m2s   idle            0                0          0          0           0          0          -
  s2m   idle            -                0          0          0           0          0          0
EOF
    exits 'differences, strictly' 1 --strict log
    exits 'a channel that the log leaves alone' 0 --channel 7 log
    has 'that channel' 'engine 7  APB_SE_0_SDMA_7  0x1002700000  cayman'
    exits 'queues that are asked for' 0 --queue 3 log
    has 'that queue' \
        '      3  m2s         0         0@1         0@1         0@1         0@1         0           0'
}

# A cause that a read would clear is not read without --clear.
test_clear()
{
    cat >log <<'EOF'
W 0x100253a028 4 0x10000001
W 0x100253a010 4 0x0
W 0x100253a008 4 0x100
EOF
    exits 'a cause that a read clears' 0 log
    has 'it is not read' \
        '  cause  secondary A  not read, as that would clear it (--clear)'
    has 'its vector is active' \
        '  vectors  66 m2s data_axi_response'
    exits 'a cause that is cleared' 0 --clear log
    has 'it is read' '  cause  secondary A  bit 8   data_axi_response'
}

# w BASE OFFSET VALUE: a line of a log.
w()
{
    printf 'W 0x%x 4 0x%x\n' $(($1 + $2)) "$3"
}

# ring SIDE-OFFSET: a ring of 8, with its memory at $2.
ring()
{
    w $((engine + $1)) 0x1020 0x03000000
    w $((engine + $1)) 0x1028 $(($2 & 0xffffffff))
    w $((engine + $1)) 0x102c $(($2 >> 32))
    w $((engine + $1)) 0x1030 8
    w $((engine + $1)) 0x1020 0x03030000
}

# Packets that ring the doorbells of their own queue never end.
test_perpetual()
{
    engine=0x1002500000
    memory=$((0x400000000000))
    {
        w $engine 0x3c400 0xffffffff
        w $engine 0x3c404 0xffffffff
        w $engine 0x1074 3
        w $memory 0x1000 2
        i=0
        while [ $i -lt 8 ]; do
            bell=$((engine + 0x1038 + (i % 2 ? 0 : 0x20000)))
            w $((memory + 16 * i)) 0 0x0d000004
            w $((memory + 16 * i)) 4 0x01080003
            w $((memory + 16 * i)) 8 0x1000
            w $((memory + 16 * i)) 12 0x4000
            w $((memory + 256 + 16 * i)) 0 0x01000004
            w $((memory + 256 + 16 * i)) 8 $((bell & 0xffffffff))
            w $((memory + 256 + 16 * i)) 12 $((bell >> 32))
            i=$((i + 1))
        done
        ring 0 $memory
        ring 0x20000 $((memory + 256))
        w $engine 0x21038 2
        w $engine 0x1038 2
        w $engine 0x1038 0
    } >log
    complains 'a ring that feeds itself' 1 \
        "log:$(($(wc -l <log) - 1)): the chip does not come to rest; the log ends here" \
        log
}

# ---- bad input ---------------------------------------------------------------

test_bad_files()
{
    complains 'no such file' 1 'nope: No such file or directory' nope
    : >empty
    complains 'an empty file' 1 'empty: no access in it' empty
    head -c 20000 "$trace" >cut.gz
    exits 'a log that ends early' 1 --bar sunda --channel 0 cut.gz
    grep -q '^trench watch: cut.gz:[0-9]*: the compressed data ends early' stderr
    verdict 'it says so' $?
    grep -q '^[0-9]* reads, 9[0-9]* writes' stdout
    verdict 'and shows what came before' $?
    i=0
    while [ $i -lt 300 ]; do
        printf '\377\0\1\2\n'
        i=$((i + 1))
    done >junk
    exits 'binary junk' 1 junk
    test "$(wc -l <stderr)" -lt 30 -a ! -s stdout
    verdict 'binary junk: not a message for each byte' $?
    printf 'R 0x1002501020 3 0\nR 0x1002501020 4 0x3000000\n' >log
    exits 'a line that cannot be read' 1 log
    has 'the others count' \
        '1 reads, 0 writes; 0 answered in another way, 0 refused'
    printf 'R 0xfffffffffffffffc 4 0\nW 0xfffffffffffffffc 4 0\n' >log
    prints 'the end of the address space' 0 log <<'EOF'
log:1: R 0xfffffffffffffffc: refused, nothing is modelled there
log:2: W 0xfffffffffffffffc: refused, nothing is modelled there
1 reads, 1 writes; 0 answered in another way, 2 refused
EOF
}

# Whatever is written anywhere in a channel, the view ends, and is the same
# each time.
test_random_writes()
{
    python3 -c '
import random
random.seed(7)
for i in range(20000):
    print(random.choice("RW"), hex(0x1002500000 + 4 * random.randrange(0x11000)),
          4, hex(random.getrandbits(32)))' >log
    exits 'random accesses' 0 log
    mv stdout first
    watch log
    cp first want
    cmp -s want stdout
    verdict 'random accesses: the same again' $?
    awk 'length > 100 && !/^log:/ { exit 1 }' stdout
    verdict 'random accesses: no line is wider than 100 columns' $?
    exits 'random accesses, cleared' 0 --clear --json log
    json 'random accesses: valid JSON' 'len(d["channels"]) == 1'
}

test_usage()
{
    refuses 'an option of the other kind' '--notify is not for a FILE' \
        --notify log
    refuses 'an interval for a file' '--interval is not for a FILE' \
        --interval 5 log
    refuses 'an option of the first kind' '--strict is for a FILE' --strict
    refuses 'a BAR without a file' '--bar is for a FILE' --bar sunda
    refuses 'another BAR' \
        "--bar: unknown generation 'moon'; known: cayman, sunda, mariana, mariana_plus" \
        --bar moon log
    refuses 'a contradiction' '--bar cayman contradicts --gen sunda' \
        --gen sunda --bar cayman log
    refuses 'two files' 'too many arguments' a b
    refuses 'an engine too many' \
        "--channel: '132' is not a set within 0-131, such as 0,2-3 or all" \
        --channel 132
    refuses 'too much memory' \
        '--bytes: 132 channels with 16 queues and buffers of 64.0 MiB need more than 4.0 GiB' \
        --channel all --queue all --bytes 64M
    refuses 'no rounds' "--rounds: '0' is not a number from 1 to 4294967295" \
        --rounds 0
    complains 'a fault on no engine' 1 \
        '--inject: m2s:data_axi_response on engine 500 of cayman: argument out of range' \
        --inject m2s:data_axi_response,engine=500
}

test_copies
test_faults
test_rounds
test_terminal
test_json
test_notify
test_trace
test_differences
test_clear
test_perpetual
test_bad_files
test_random_writes
test_usage
plan

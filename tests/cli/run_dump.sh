#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench reg dump and annotate.
# Usage: run_dump.sh PATH-OF-TRENCH    (prints TAP; TRENCH_REGS = the schemas)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
data=$(cd "$(dirname "$0")/../data/dump" && pwd) || exit 1
cd "$dir" || exit 1
m2s='APB_SE_0_SDMA_5.udma_m2s.M2S_Q[5]'

# runs NAME CODE ARG...: stdin is the input; the exit code.
runs()
{
    name=$1
    code=$2
    shift 2
    "$trench" reg "$@" >stdout 2>stderr
    rc=$?
    test "$rc" -eq "$code"
    verdict "$name" $?
}

# What comes before the damage is delivered, and the damage is told.
test_damaged_gzip()
{
    i=0
    while [ "$i" -lt 2000 ]; do
        printf '0x1002506020: 0x%08x\n' "$i"
        i=$((i + 1))
    done >good
    gzip -c good >good.gz
    head -c "$(($(wc -c <good.gz) - 8))" good.gz >bad.gz
    printf '\1\2\3\4\5\6\7\10' >>bad.gz
    runs 'a wrong checksum' 1 dump bad.gz
    test "$(wc -l <stdout)" -eq 2000
    verdict 'a wrong checksum: every line is there' $?
    cat good.gz good.gz >two.gz
    runs 'two members' 0 dump two.gz
    test "$(wc -l <stdout)" -eq 4000
    verdict 'two members: every line is there' $?
    cat good.gz good >behind.gz
    runs 'text behind the compressed data' 1 dump behind.gz
    test "$(wc -l <stdout)" -eq 2000
    verdict 'text behind the compressed data: what came before' $?
    { cat good.gz; head -c 512 /dev/zero; } >padded.gz
    runs 'zero padding' 0 dump padded.gz
}

# has NAME LINE: the last output has that line; notes NAME LINE: stderr has.
has()
{
    grep -qxF -e "$2" stdout
    verdict "$1" $?
}

notes()
{
    grep -qxF -e "trench reg: $2" stderr
    verdict "$1" $?
}

# silent NAME: nothing on standard error.
silent()
{
    test ! -s stderr
    verdict "$1" $?
}

# same NAME FILE: the last output is that file.
same()
{
    cmp -s "$2" stdout
    verdict "$1" $?
}

# reads NAME LINE ADDRESS VALUE: the line is that register value.
reads()
{
    printf '%s\n' "$2" >input
    "$trench" reg annotate --json input >stdout 2>stderr
    rc=$?
    test "$rc" -eq 0 -a ! -s stderr &&
        grep -q "\"address\": \"$3\".*\"value\": \"$4\"" stdout
    verdict "reads: $1" $?
}

# keeps NAME LINE: it is text, and printed as it is.
keeps()
{
    printf '%s\n' "$2" >input
    "$trench" reg annotate input >stdout 2>stderr
    rc=$?
    test "$rc" -eq 0 -a ! -s stderr && cmp -s input stdout
    verdict "keeps: $1" $?
}

# refuses NAME LINE WHY: kept, reported, exit 1.
refuses()
{
    printf 'first\n%s\n' "$2" >input
    printf 'trench reg: input:2: %s\n' "$3" >want
    "$trench" reg annotate input >stdout 2>stderr
    rc=$?
    test "$rc" -eq 1 && cmp -s input stdout && cmp -s want stderr
    verdict "refuses: $1" $?
}

test_trace()
{
    trace=$data/sunda-driver-load.mmio.gz
    runs 'the trace of a driver' 0 annotate --bar sunda "$trace"
    silent 'nothing to complain about'
    has 'the routing id' \
        'R 0x30fa0024 4 0x0  # APB_MISC_RAM.info.routing_id val=0x0'
    has 'the scratch word' \
        'W 0x30647010 4 0x1  # APB_EMU_SCRATCH.scratch.reset val=0x1*'
    has 'a doorbell' \
        'W 0x30621038 4 0x2  # APB_SENG_0_D2H.udma_s2m.S2M_Q[0].RDRTP_inc val=0x2*'
    test "$(grep -c '^[RW] .*  # [A-Z]' stdout)" -eq 13300
    verdict 'every access has a name' $?
    grep -q 'no register' stdout
    verdict 'no access without one' $((! $?))
    cp stdout once
    runs 'what annotate prints can be read again' 0 annotate --bar sunda \
        --summary once
    has 'and says the same' '13300 of 13300 decoded, 6622 registers'
    gzip -dc "$trace" | "$trench" reg annotate --bar sunda >stdout 2>stderr
    same 'uncompressed on standard input' once
    "$trench" reg annotate --bar sunda <"$trace" >stdout 2>stderr
    same 'compressed on standard input' once
    runs 'as JSON' 0 annotate --bar sunda --json "$trace"
    has 'the last object counts' \
        '{"accesses": 13300, "decoded": 13300, "registers": 6622, "unknown": []}'
    runs 'a summary' 0 annotate --bar sunda --summary "$trace"
    has 'of the reset request' \
        '         1          1          0  0x30fa01ec         APB_MISC_RAM.reset.request'
    runs 'a folder of schemas' 0 annotate --bar sunda --schema "$TRENCH_REGS" \
        "$trace"
    same 'gives the same' once
}

test_dump()
{
    runs 'a dump' 0 dump "$data/before.txt"
    has 'a comment is kept' \
        "# queue 5 of engine 5, before the driver's first copy"
    has 'the first word' \
        "0x1002506020: 0x03000000  # $m2s.cfg pkt_len_offset=0x0 en_pref=0x0 en_scheduling=0x0 allow_lt_min_pref=0x0 axi_awcache_comp=0x3 AXI_qos=0x0 force_full_line=0x0"
    has 'the third word' "0x1002506028: 0x00001000  # $m2s.TDRBP_low addr=0x40*"
    cp stdout once
    "$trench" reg dump once >stdout 2>stderr
    same 'what dump prints can be read again' once
    runs 'only what is not as after reset' 0 dump --reset-diff \
        "$data/after.txt"
    has 'two fields' \
        "0x1002506020: 0x03110000  # $m2s.cfg en_pref=0x1 (reset 0x0) allow_lt_min_pref=0x1 (reset 0x0)"
    has 'none' "0x1002506024: 0x00000000  # $m2s.status as after reset"
    has 'reserved bits' \
        "0x1002506028: 0x00001002  # $m2s.TDRBP_low addr=0x40 (reset 0x0) (reserved bits 0x2)"
    printf '0x1002506022 1\nR 0x1002506023 1 0x3\n' >input
    "$trench" reg annotate input >stdout 2>stderr
    has 'a byte of a register' \
        "R 0x1002506023 1 0x3  # $m2s.cfg axi_awcache_comp=0x3 AXI_qos=0x0 force_full_line=0x0 (part of the register: bits 0xff000000)"
}

test_diff()
{
    cat >want <<END
~ 0x1002506020 $m2s.cfg.en_pref: 0x0 -> 0x1
~ 0x1002506020 $m2s.cfg.allow_lt_min_pref: 0x0 -> 0x1
~ 0x1002506028 $m2s.TDRBP_low: 0x00001000 -> 0x00001002
- 0x1002506038 $m2s.TDRTP_inc: 0x00000000
+ 0x100250603c $m2s.TDRTP: 0x00000005
END
    runs 'two dumps' 0 dump --diff "$data/before.txt" "$data/after.txt"
    same 'differ by fields' want
    runs 'as JSON' 0 dump --diff --json "$data/before.txt" "$data/after.txt"
    has 'a register' \
        "{\"address\": \"0x1002506020\", \"name\": \"$m2s.cfg\", \"before\": \"0x3000000\", \"after\": \"0x3110000\", \"fields\": [{\"name\": \"en_pref\", \"before\": 0, \"after\": 1}, {\"name\": \"allow_lt_min_pref\", \"before\": 0, \"after\": 1}]}"
    runs 'a dump and itself' 0 dump --diff "$data/after.txt" "$data/after.txt"
    same 'do not differ' /dev/null
}

test_forms()
{
    reads 'a pair' '0x1002506020 0x5' 0x1002506020 0x5
    reads 'without 0x' '1002506020 00000005' 0x1002506020 0x5
    reads 'upper case' '0X100250603C: 0XABCDEF' 0x100250603c 0xabcdef
    reads 'an equals sign' '0x1002506020=0x7' 0x1002506020 0x7
    reads 'commas' '0x1002506020: 0x1,0x2, 0x3' 0x1002506028 0x3
    reads 'a debugger' '0x1002506020 <q+4>:	0x1	0x2' 0x1002506024 0x2
    reads 'a column of characters' \
        '1002506020: 1 2 3 4    12 4' 0x100250602c 0x4
    reads 'bytes' \
        '1002506020  7f 45 4c 46 02 01 01 00  |.ELF|' 0x1002506020 0x464c457f
    reads 'halves' '1002506020 0001 8000' 0x1002506020 0x80000001
    reads 'double words' \
        '1002506020: 8000000000000001' 0x1002506024 0x80000000
    reads 'devmem2' \
        'Value at address 0x1002506038 (0x7f1000): 0x3' 0x1002506038 0x3
    reads 'devmem' '$ devmem 0x1002506038 32
0x00000011' 0x1002506038 0x11
    reads 'devmem that writes' '# devmem 0x1002506038 w 0x2' 0x1002506038 0x2
    reads 'a kernel log' '[   12.345678] W 0x1002506020 4 0x9' 0x1002506020 0x9
    reads 'a print' 'drv: wrote 0x1002506020 -> 0x8, done' 0x1002506020 0x8
    reads 'no size' 'R 0x1002506020 0x8' 0x1002506020 0x8
    reads 'eight bytes' 'W 0x1002506020 8 0x200000001' 0x1002506024 0x2
    reads 'the end of a line as on Windows' '0x1002506020: 0x5
' 0x1002506020 0x5
    printf '\357\273\277R 0x1002506020 4 0x1\r\n' >input
    runs 'a byte order mark' 0 annotate --summary input
    has 'is not in the way' '1 of 1 decoded, 1 register'
}

test_text()
{
    keeps 'an empty line' ''
    keeps 'comments' '# 0x1002506020: 0x5'
    keeps 'words of hexadecimal letters' 'dead beef cafe'
    keeps 'short ones' 'add a bed'
    keeps 'a time' '12:30:45 boot'
    keeps 'R as a word' 'R is a language'
    keeps 'a lone number' '0x1002506020'
    keeps 'a label' '0x1002506020: nothing'
    keeps 'a checksum' 'd41d8cd98f00b204e9800998ecf8427e  file'
    keeps 'numbers that are no register' 'from 0x1000 to 0x2000'
    keeps 'letters of other languages' 'Registerübersicht'
}

test_refusals()
{
    refuses 'three bytes' 'R 0x1002506020 3 0x1' 'a size of 3 bytes'
    refuses 'sixteen bytes' 'W 0x1002506020 16 0x1' 'a size of 16 bytes'
    refuses 'across a word' 'R 0x1002506023 2 0x1' \
        '2 bytes at that address are not in one word'
    refuses 'a value that does not fit' 'R 0x1002506020 1 0x1ff' \
        'the value does not fit into 1 byte'
    refuses 'a value of 33 bits' '1002506020: 1ffffffff' \
        'value 1 has more than 32 bits'
    refuses 'an address of 65 bits' 'R 0x1ffffffffffffffff 4 1' \
        'the address has more than 64 bits'
    refuses 'also in a dump' '1ffffffffffffffff: 1' \
        'the address has more than 64 bits'
    refuses 'no value' 'R 0x1002506020 4' 'there is no value behind the size'
    refuses 'no more' 'R 0x1002506020' 'the line ends early'
    refuses 'no number' 'R 0x1002506020 4 0x1z' "'0x1z' is not a value"
    refuses 'a negative size' 'R 0x1002506020 -4 1' \
        "'-4' is not a size or a value"
    refuses 'half a word' '0x1002506021: 1' \
        'the address is not a multiple of 4'
    refuses 'the end of the world' '0xfffffffffffffffc: 1 2' \
        'the values go past 2^64'
    refuses 'six bytes' '1002506020  01 00 00 00  00 00' \
        '6 values of 1 bytes are no number of words'
}

test_files()
{
    test_damaged_gzip
    head -c 20000 "$data/sunda-driver-load.mmio.gz" >cut.gz
    runs 'a truncated file' 1 annotate --bar sunda cut.gz
    notes 'says where' 'cut.gz:9298: the compressed data ends early'
    has 'and its start is read' \
        'R 0x30fa0024 4 0x0  # APB_MISC_RAM.info.routing_id val=0x0'
    (head -c 20000 "$data/sunda-driver-load.mmio.gz" && head -c 3000 "$trench") \
        >bad.gz
    runs 'a damaged file' 1 annotate --bar sunda bad.gz
    runs 'a program' 1 annotate "$trench"
    notes 'is no text' "$trench:1: not text: byte 0x7f at column 1; left out"
    test "$(wc -l <stderr)" -le 21
    verdict 'and not every line of it is reported' $?
    printf '0x1002506020: 0x5\0\n0x1002506024: 0x6\n' >nul
    runs 'a NUL' 1 dump nul
    notes 'is reported' 'nul:1: not text: byte 0x00 at column 18; left out'
    has 'and the next line is read' \
        "0x1002506024: 0x00000006  # $m2s.status q_used=0x6* prefetch=0x0 scheduler=0x0 q_dmb=0x0 q_full=0x0"
    head -c 5000000 /dev/zero | tr '\0' x >long
    printf '\n0x1002506024: 0x6\n' >>long
    runs 'a line of megabytes' 1 dump --summary long
    notes 'is reported' 'long:1: a line of more than 65536 bytes; left out'
    has 'and the next one is read, too' '1 of 1 decoded, 1 register'
    runs 'a missing file' 1 dump nosuch "$data/after.txt"
    notes 'is reported' 'nosuch: No such file or directory'
    has 'and the other is read' '# and after it'
    runs 'a folder' 1 dump .
    notes 'is no file' '.:1: Is a directory'
    runs 'nothing' 0 dump /dev/null
    same 'gives nothing' /dev/null
}

test_unknown()
{
    printf '0x1002044000: 1\nR 0x1002044000 4 1\n0x10 2\n' >input
    runs 'addresses without a register' 0 annotate input
    has 'are listed' '# 3 of 3 at 2 addresses without a known register:'
    has 'with counts' '#          2  0x1002044000  in APB_SE_0_SDMA_0'
    runs 'in a summary, too' 0 dump --summary input
    has 'none decoded' '0 of 3 decoded, 0 registers'
    printf 'R 0x20000000 4 1\n' >input
    runs 'a gap of the BAR' 0 annotate --bar sunda input
    has 'is said to be one' 'R 0x20000000 4 1  # nothing in this BAR'
    printf '0x50001002506038 1\n' >input
    runs 'another chip' 0 dump input
    has 'is named' "0x50001002506038: 0x00000001  # $m2s.TDRTP_inc (of chip 16) val=0x1*"
    mkdir schemas
    sed 's/TDRTP_inc/MY_BELL/' "$TRENCH_REGS/udma_m2s.cayman.json" \
        >schemas/my.json
    printf '0x1002506038 1\n0x1002520200 1\n' >input
    runs 'a schema of the user' 0 dump --schema schemas input
    has 'names the register' "0x1002506038: 0x00000001  # $m2s.MY_BELL val=0x1*"
    has 'and no other' \
        '0x1002520200: 0x00000001  # no register: in APB_SE_0_SDMA_5.udma_s2m'
}

test_usage()
{
    runs 'two generations' 2 dump --bar sunda --gen cayman input
    runs 'an unknown one' 2 annotate --bar maverick input
    notes 'is named' "there is no address map of 'maverick'"
    runs 'a comparison of one' 2 dump --diff input
    runs 'a comparison with a summary' 2 dump --diff --summary input input
    runs 'annotate does not compare' 2 annotate --diff input input
    runs 'list does not read dumps' 2 list --bar sunda
    runs 'help' 0 --help
    grep -q 'annotate --bar sunda' stdout
    verdict 'has an example' $?
}

test_trace
test_dump
test_diff
test_forms
test_text
test_refusals
test_files
test_unknown
test_usage
plan

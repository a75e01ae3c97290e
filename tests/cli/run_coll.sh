#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench all_reduce and its siblings: tables, schedules, files, traces,
# and what is refused.
# Usage: run_coll.sh PATH-OF-TRENCH    (prints TAP)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
cd "$dir" || exit 1

# run ARG...: sets rc, stdout, stderr.
run()
{
    "$trench" "$@" >stdout 2>stderr
    rc=$?
    rm -f want
}

# complains NAME CODE TEXT ARG...: that exit code, and that text on stderr.
complains()
{
    name=$1
    code=$2
    text=$3
    shift 3
    run "$@"
    tr '\n' ' ' <stderr | sed 's/  */ /g' >stderr.line
    test "$rc" -eq "$code" && grep -qF -- "$text" stderr.line
    verdict "$name" $?
}

# finds NAME TEXT: in a line of the last output.
finds()
{
    grep -qF -- "$2" stdout
    verdict "$1" $?
}

# works NAME: the last run, with nothing on stderr.
works()
{
    test "$rc" -eq 0 -a ! -s stderr
    verdict "$1" $?
}

# rows: the rows of the last table, times and rates as T.
rows()
{
    grep -v '^#' stdout |
        sed -E 's/ +[0-9.]+ +[0-9]+\.[0-9]{2} +[0-9]+\.[0-9]{2} /   T   /g'
}

# absent NAME FILE...: none of them, and no temporary file.
absent()
{
    name=$1
    shift
    gone=0
    for file in "$@"; do
        test ! -e "$file" || gone=1
    done
    test -z "$(find . -name '.trench-*')" || gone=1
    verdict "$name" "$gone"
}

# npy DESCR FORTRAN SHAPE: a file with stdin as its data.
npy()
{
    printf '\223NUMPY\001\000v\000%-117s\n' \
        "{'descr': '$1', 'fortran_order': $2, 'shape': $3, }"
    cat
}

# int32 N...: little-endian, each below 256.
int32()
{
    for n in "$@"; do
        # shellcheck disable=SC2059 # the format is made of digits
        printf "\\$(printf %03o "$n")\\0\\0\\0"
    done
}

# ---- the table ---------------------------------------------------------------

run all_reduce -g 4 -b 1K --engines 2
works 'an all-reduce'
sed -e 's/ *$//' -e '/^# Avg/s/:.*/: T/' stdout >got
rows | sed -n 1p >row
grep -v '^ ' got >stdout
cat >want <<'END'
# all_reduce on cayman: 4 ranks on 1 chip, 2 engines each, by broadcast
# time: wall time of the model, 1 iteration; not that of hardware
#
#                                                     out-of-place                       in-place
#       size         count      type  redop   root      time   algbw   busbw #wrong      time   algbw   busbw #wrong  algorithm
#        (B)    (elements)                              (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
# rdh: one chip, a power of two of ranks
# 4 steps; 24 copies and 24 reductions by DMA, 49 register writes, 6 polls by firmware
# Out of bounds values : 0 OK
# Avg bus bandwidth    : T
END
cmp -s want stdout
verdict 'head and tail' $?
rm -f want
echo '        1024           256      fp32    sum     -1   T        0   T        0  rdh' >want
cp row stdout
cmp -s want stdout
verdict 'a row' $?
rm -f want

# row NAME TEXT ARG...: the only row of a table.
row()
{
    name=$1
    text=$2
    shift 2
    run "$@"
    rows | tr -s ' ' >row
    test "$rc" -eq 0 -a ! -s stderr && test "$(cat row)" = " $text"
    verdict "$name" $?
}

row 'all_gather' '1024 64 fp32 none -1 T 0 T 0 rdh' \
    all_gather -g 4 -b 1K --engines 2
row 'reduce_scatter' '1024 64 fp32 sum -1 T 0 T 0 rdh' \
    reduce_scatter -g 4 -b 1K --engines 2
row 'alltoall' '1024 64 fp32 none -1 T 0 T 0 mesh' \
    alltoall -g 4 -b 1K --engines 2
row 'broadcast' '1024 256 fp32 none 2 T 0 T 0 mesh' \
    broadcast -g 4 -b 1K --engines 2 -r 2
row 'reduce' '1024 512 fp16 max 3 T 0 T 0 rdh' \
    reduce -g 4 -b 1K --engines 2 -r 3 -d half -o max
row 'sendrecv' '1024 256 fp32 none -1 T 0 T 0 mesh' \
    sendrecv -g 4 -b 1K --engines 2
row 'three ranks' '1020 85 fp32 sum -1 T 0 T 0 ring' \
    reduce_scatter -g 3 -b 1K --engines 2 --algo ring --channels 2
row 'a chain of pieces' '1024 1024 int8 none 0 T 0 T 0 chain' \
    broadcast -g 4 -b 1K -d int8 --algo chain --pieces 3 --engines 1
row 'sunda' '1024 256 fp32 sum -1 T 0 T 0 rdh' \
    all_reduce -b 1K --gen sunda --engines 2
grep -q '2 ranks on 1 chip, 2 engines each, one by one' stdout
verdict 'sunda: no broadcast' $?
row 'mariana, one by one' '64 16 fp32 sum -1 T 0 T 0 rdh' \
    all_reduce -b 64 --gen mariana -g 2 --engines 1 --no-broadcast
row 'two chips' '1024 256 fp32 sum -1 T 0 T 0 hier' \
    all_reduce -g 16 -b 1K --engines 1
grep -q '16 ranks on 2 chips' stdout
verdict 'chips as needed' $?
row 'random data' '1024 512 bf16 sum -1 T 0 T 0 rdh' \
    all_reduce -g 4 -b 1K -d bfloat16 --random --seed 7 --engines 2 --queues 3
row 'one rank' '64 16 fp32 sum -1 T 0 T 0 mesh' all_reduce -g 1 -b 64
finds 'one rank: not ranks' 'cayman: 1 rank on 1 chip'
row 'a broadcast by mesh' '64 16 fp32 none 0 T 0 T 0 mesh' broadcast -g 2 -b 64
finds 'one step: not steps' '# 1 step; '
row 'nothing at all' '0 0 fp32 sum -1 T 0 T 0 rdh' all_reduce -g 4 -b 0

# ---- sizes and runs ----------------------------------------------------------

# sizes NAME LIST ARG...: the first column.
sizes()
{
    name=$1
    text=$2
    shift 2
    run all_reduce -g 2 --engines 1 "$@"
    list=$(rows | awk '{ printf "%s%s", n++ ? " " : "", $1 }')
    test "$rc" -eq 0 -a ! -s stderr -a "$list" = "$text"
    verdict "$name" $?
}

sizes 'by a factor' '64 256 1024' -b 64 -e 1K -f 4
sizes 'by two' '64 128 256' -b 64 -e 511
sizes 'by a step' '64 164 264' -b 64 -e 300 -i 100
sizes 'from nothing' '0 0 0 4 8' -b 0 -e 8
sizes 'largest alone' '512' -e 512
sizes 'a factor past all sizes' '4' -b 4 -e 1T -f 4294967295 -e 8
sizes 'types' '100 100 100' -b 100 -e 100 -d int8 -o all
run all_reduce -g 2 --engines 1 -b 64 -d all -o all
rows | awk '{ print $3 }' | sort | uniq -c | sort -k2 >types
test "$rc" -eq 0 -a "$(wc -l <types)" -eq 15 &&
    ! awk '$1 != 3 { print }' types | grep -q .
verdict 'all types and operations' $?
run all_reduce -g 2 --engines 1 -b 64 -n 3 -w 2
test "$rc" -eq 0 && grep -q ' 3 iterations; ' stdout &&
    rows | grep -q ' T  *0  *T  *0 '
verdict 'several iterations' $?
run all_reduce -g 2 --engines 1 -b 64 -n 1 -w 0
test "$rc" -eq 0 && rows | grep -q ' T  *0  *T  *0 '
verdict 'no warm-up' $?
run all_reduce -g 2 --engines 1 -b 64 -c 0
test "$rc" -eq 0 && rows | grep -q ' T  *N/A  *T  *N/A ' &&
    ! grep -q 'Out of bounds' stdout
verdict 'not checked' $?
run all_reduce --algo list
works 'algorithms'
finds 'algorithms: one of them' 'kangaring'

# ---- JSON --------------------------------------------------------------------

run all_reduce -g 4 -b 64 -e 128 --engines 2 --json
works 'JSON'
finds 'JSON: the collective' '"collective": "all_reduce"'
finds 'JSON: a size' '"size_bytes": 128'
finds 'JSON: the algorithm' '"algorithm": "rdh"'
test "$(grep -c '"wrong": 0' stdout)" -eq 4
verdict 'JSON: results both ways' $?
cp stdout all.json
run broadcast -g 4 -b 64 -c 0 --json -r 1
finds 'JSON: not checked' '"wrong": null'
finds 'JSON: the root' '"root": 1'
run reduce -g 2 -b 256 --steps --json -o min
cp stdout steps.json
finds 'JSON: a schedule' '"buffer": "in"'
finds 'JSON: what it does' '"redop": "min"'

# is_json FILE: where there is something that can tell.
is_json()
{
    if command -v python3 >/dev/null; then
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" \
            2>stderr
    fi
}
is_json all.json && is_json steps.json
verdict 'JSON: it is' $?

# ---- schedules ---------------------------------------------------------------

# ncfw-steps 6.3, N = 4: step, rank, the chunk received, from whom, and how.
cat >sheet <<'END'
0 0 c2 3 reduce
0 1 c3 0 reduce
0 2 c0 1 reduce
0 3 c1 2 reduce
1 0 c1 3 reduce
1 1 c2 0 reduce
1 2 c3 1 reduce
1 3 c0 2 reduce
2 0 c0 3 reduce
2 1 c1 0 reduce
2 2 c2 1 reduce
2 3 c3 2 reduce
3 0 c3 3 copy
3 1 c0 0 copy
3 2 c1 1 copy
3 3 c2 2 copy
4 0 c2 3 copy
4 1 c3 0 copy
4 2 c0 1 copy
4 3 c1 2 copy
5 0 c1 3 copy
5 1 c2 0 copy
5 2 c3 1 copy
5 3 c0 2 copy
END
run all_reduce -g 4 -b 512 --algo ring --steps
works 'a schedule'
finds 'a schedule: its head' \
    'all_reduce of 128 elements on 4 ranks: ring, as asked for; 6 steps'
# Chunks of 32 elements; a reduction is with the rank's own.
awk '
    NR > 2 {
        split($5, to, /[.[]+|\]/)
        split($7, from, /[.[]+|\]/)
        split($9, own, /[.[]+|\]/)
        how = NF == 9 ? "reduce" : "copy"
        if (to[1] != $2 || to[2] != "out" || to[3] != from[3] ||
            to[4] - to[3] != 31 || $4 != 32 || $6 != "=" ||
            (NF == 9 && ($8 != "+" || own[1] != $2 || own[2] != "in" ||
                own[3] != to[3])))
            how = "wrongly"
        print $1, $2, "c" to[3] / 32, from[1], how
    }' stdout >table
mv table stdout
cp sheet want
cmp -s want stdout
verdict 'a schedule: the ring of four of the sheets' $?
run reduce -g 3 -b 96 --algo single_step_mesh --steps -o max
finds 'a schedule: max' \
    '0.out[0..23] = max 0.in[0..23] 0.scratch[0..23] 0.scratch['
run all_reduce -g 4 -b 0 --steps
finds 'a schedule of nothing' '0 steps'

# ---- files -------------------------------------------------------------------

int32 1 2 3 4 5 6 7 | npy '<i4' False '(7,)' >in0.npy
int32 10 20 30 40 50 60 70 | npy '<i4' False '(7,)' >in1.npy
int32 11 22 33 44 55 66 77 >sum

# data FILE: the elements of a file that we have written.
data()
{
    tail -c "$2" "$1"
}

run all_reduce -g 2 -d int32 --in 'in%d.npy' --out 'out%d.npy'
works 'files'
data out0.npy 28 | cmp -s - sum && data out1.npy 28 | cmp -s - sum
verdict 'files: the sum' $?
head -c 128 out0.npy | LC_ALL=C grep -aq "'shape': (7,)"
verdict 'files: the shape' $?
run all_reduce -g 2 -d int32 -o max --in 'out%d.npy' --out 'again%d.npy'
test "$rc" -eq 0 && cmp -s out0.npy again0.npy && cmp -s out1.npy again1.npy
verdict 'files: what we write we read' $?
run all_gather -g 2 -d int32 --in 'in%d.npy' --out 'gath%02d.npy'
{ data in0.npy 28; data in1.npy 28; } >both
test "$rc" -eq 0 && data gath00.npy 56 | cmp -s - both &&
    data gath01.npy 56 | cmp -s - both
verdict 'files: all_gather' $?
run reduce -g 2 -d int32 -r 1 --in 'in%d.npy' --out 'red%d.npy'
test "$rc" -eq 0 -a ! -e red0.npy && data red1.npy 28 | cmp -s - sum
verdict 'files: of a reduce the root alone' $?
run broadcast -g 2 -d int32 -r 1 --in 'in%d.npy' --out 'bc%d.npy'
data in1.npy 28 >one
test "$rc" -eq 0 && cmp -s bc0.npy bc1.npy && data bc0.npy 28 | cmp -s - one
verdict 'files: broadcast' $?
int32 1 2 3 4 5 6 | npy '<i4' False '(2, 3)' >even0.npy
int32 10 20 30 40 50 60 | npy '<i4' False '(6,)' >even1.npy
run alltoall -g 2 -d int32 --in 'even%d.npy' --out 'all%d.npy'
int32 1 2 3 10 20 30 >part0
int32 4 5 6 40 50 60 >part1
test "$rc" -eq 0 && data all0.npy 24 | cmp -s - part0 &&
    data all1.npy 24 | cmp -s - part1
verdict 'files: alltoall' $?
run reduce_scatter -g 2 -d int32 --in 'even%d.npy' --out 'rs%d.npy'
int32 44 55 66 >part
test "$rc" -eq 0 && data rs1.npy 12 | cmp -s - part
verdict 'files: reduce_scatter' $?
npy '<i4' False '(0,)' </dev/null >void0.npy
cp void0.npy void1.npy
run sendrecv -g 2 -d int32 --in 'void%d.npy' --out 'novoid%d.npy'
test "$rc" -eq 0 && cmp -s novoid0.npy novoid1.npy
verdict 'files: of nothing' $?

# Each of these is refused, and nothing appears.
refuses()
{
    complains "$@" --out 'none%d.npy'
    absent "$1: no files" none0.npy none1.npy
}

refuses 'files of another type' 1 'in0.npy: ' \
    all_reduce -g 2 -d float --in 'in%d.npy'
int32 1 2 | npy '>i4' False '(2,)' >bad0.npy
cp bad0.npy bad1.npy
refuses 'files of another byte order' 1 'bad0.npy: ' \
    all_reduce -g 2 -d int32 --in 'bad%d.npy'
int32 1 2 3 4 | npy '<i4' True '(2, 2)' >bad0.npy
refuses 'files in Fortran order' 1 'C order' \
    all_reduce -g 2 -d int32 --in 'bad%d.npy'
int32 1 2 3 | npy '<i4' False '(4,)' >bad0.npy
refuses 'a truncated file' 1 'truncated' \
    all_reduce -g 2 -d int32 --in 'bad%d.npy'
head -c 100 in0.npy >bad0.npy
refuses 'a file cut in its header' 1 'bad0.npy: ' \
    all_reduce -g 2 -d int32 --in 'bad%d.npy'
echo text >bad0.npy
refuses 'a file of something else' 1 'bad0.npy: ' \
    all_reduce -g 2 -d int32 --in 'bad%d.npy'
int32 1 2 3 4 5 | npy '<i4' False '(5,)' >bad0.npy
int32 1 2 3 4 | npy '<i4' False '(4,)' >bad1.npy
refuses 'files of unequal length' 1 \
    'bad1.npy: 4 elements, but rank 0 has 5' \
    all_reduce -g 2 -d int32 --in 'bad%d.npy'
cp bad0.npy bad1.npy
refuses 'elements that ranks do not divide' 1 \
    'bad%d.npy: 5 elements are not a multiple of the 2 ranks' \
    reduce_scatter -g 2 -d int32 --in 'bad%d.npy'
rm bad1.npy
refuses 'a file that is missing' 1 'bad1.npy: No such file' \
    all_reduce -g 2 -d int32 --in 'bad%d.npy'
refuses 'files and a size' 2 '--in says how many elements there are' \
    all_reduce -g 2 -d int32 --in 'in%d.npy' -b 4
refuses 'files and a seed' 2 '--in takes neither --random nor --seed' \
    all_reduce -g 2 -d int32 --in 'in%d.npy' --seed 4
refuses 'a pattern without a rank' 2 'there is no %d' \
    all_reduce -g 2 -d int32 --in in.npy
refuses 'a pattern of something else' 2 "after '%' only" \
    all_reduce -g 2 -d int32 --in 'in%s.npy'
complains 'an output that exists' 1 'out0.npy: it exists' \
    all_reduce -g 2 -b 4 --out 'out%d.npy'
rm out0.npy
complains 'an output of which one exists' 1 'out1.npy: it exists' \
    all_reduce -g 2 -b 4 --out 'out%d.npy'
absent 'an output of which one exists: no other' out0.npy
mkdir d0 d1 d2
complains 'a folder that is missing' 1 'd3/o.npy: ' \
    all_reduce -g 4 -b 64 --engines 1 --out 'd%d/o.npy'
absent 'a folder that is missing: no file in others' d0/o.npy d1/o.npy d2/o.npy
complains 'several sizes and files' 2 'want one size, type and operation' \
    all_reduce -g 2 -b 4 -e 8 --out 'none%d.npy'

# ---- traces ------------------------------------------------------------------

run all_reduce -g 2 -b 1K --engines 2 --trace trace.json
works 'a trace'
is_json trace.json
verdict 'a trace: JSON' $?
# An event a line, each of matching braces and quotes.
awk '
    NR == 1 { bad = $0 != "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["; next }
    ended { bad = 1 }
    $0 == "]}" { ended = 1; next }
    {
        line = $0
        comma = sub(/,$/, "", line)
        if (NR > 2 && !last) bad = 1
        last = comma
        if (line !~ /^\{"ph":"[MiCX]","pid":[0-9]+,"tid":[0-9]+,"name":"/) bad = 1
        if (gsub(/"/, "", line) % 2) bad = 1
        if (gsub(/\{/, "", line) != gsub(/\}/, "", line)) bad = 1
    }
    END { exit bad || !ended || last }' trace.json
verdict 'a trace: an event a line' $?
grep -o '"tid":[0-9]*,"name":"thread_name","args":{"name":"engine.*' \
    trace.json >stdout
cat >want <<'END'
"tid":1,"name":"thread_name","args":{"name":"engine 0, rank 0"}},
"tid":2,"name":"thread_name","args":{"name":"engine 1, rank 0"}},
"tid":17,"name":"thread_name","args":{"name":"engine 16, rank 1"}},
"tid":18,"name":"thread_name","args":{"name":"engine 17, rank 1"}},
END
cmp -s want stdout
verdict 'a trace: a track an engine' $?
rm -f want
# Slices of a track follow each other; two parts on each of the four engines.
grep '"ph":"X"' trace.json | sed 's/.*"tid":\([0-9]*\),"name":"\([^"]*\)","ts":\([0-9.]*\),"dur":\([0-9.]*\).*/\1 \3 \4 \2/' >slices
awk '
    $2 + 0.0005 < end[$1] { bad = 1 }
    { end[$1] = $2 + $3; parts += $4 == "part" }
    END { exit bad || parts != 8 }' slices
verdict 'a trace: slices' $?
grep -q '"ph":"C".*"name":"done".*"value":4' trace.json
verdict 'a trace: the semaphore' $?
run sendrecv -g 4 --chips 2 -b 64 --engines 1 --trace chips.json
works 'a trace of two chips'
grep -q '"pid":1,"tid":17,.*"engine 16, rank 3"' chips.json
verdict 'a trace of two chips: the last rank' $?
complains 'a trace among the results' 2 'standard output is for the table' \
    all_reduce -b 4 --trace -
complains 'a trace nowhere' 1 'no/trace.json: ' \
    all_reduce -g 2 -b 4 --engines 1 --trace no/trace.json
rm -f s0.npy s1.npy
run broadcast -g 2 -b 4 --engines 1 --out 's%d.npy'
cp s1.npy want.npy
mkdir -p names
for name in s1.npy ./s1.npy names/../s1.npy; do
    complains "a trace for an input: $name" 1 'it is the file of rank 1, too' \
        all_reduce -g 2 --engines 1 --in 's%d.npy' --trace "$name"
    cmp -s s1.npy want.npy
    verdict "a trace for an input: $name: it stays" $?
done
rm -f s0.npy s1.npy
for name in s1.npy ./s1.npy names/../s1.npy; do
    complains "a trace for a result: $name" 1 'it is the file of rank 1, too' \
        all_reduce -g 2 -b 4 --engines 1 --out 's%d.npy' --trace "$name"
    test ! -e s0.npy -a ! -e s1.npy
    verdict "a trace for a result: $name: no file" $?
done
complains 'a trace of several sizes' 2 'want one size' \
    all_reduce -b 4 -e 8 --trace several.json

# ---- failures ----------------------------------------------------------------

complains 'an engine in abort' 1 \
    'engine 1 queue 0 is in abort at descriptor 0 of its S2M ring and was started up to 2 (RCRHP at 0x100212104c)' \
    all_reduce -g 2 -b 256 --engines 2 --out 'fail%d.npy' --trace fail.json \
    --inject s2m-data-write:slverr,engine=1
absent 'an engine in abort: no files' fail0.npy fail1.npy fail.json
! grep -qv '^#' stdout
verdict 'an engine in abort: no row' $?
complains 'an engine in abort, as JSON' 1 'engine 0 queue 0 is in abort' \
    all_reduce -g 2 -b 256 --engines 2 --json \
    --inject m2s-desc-read:decerr,engine=0
test ! -s stdout
verdict 'an engine in abort, as JSON: no output' $?

# Wherever it fails, also when in place: all files or none.
bad=0
fine=0
failures=0
late=0
for after in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    rm -f p0.npy p1.npy p.json
    run all_reduce -g 2 -b 256 --engines 1 -w 0 --out 'p%d.npy' \
        --trace p.json --inject "s2m-data-write:slverr,engine=16,after=$after"
    files=$(find . -name 'p[01].npy' -o -name p.json -o -name '.trench-*' |
        wc -l)
    case $rc:$files in
    0:3) fine=$((fine + 1)) ;;
    1:0) failures=$((failures + 1)) ;;
    *) bad=$((bad + 1)) ;;
    esac
    grep -q 'engine 16 queue 0' stderr && late=$after
done
test "$bad" -eq 0 -a "$fine" -gt 0 -a "$failures" -gt 0 -a "$late" -gt 4
verdict 'all files or none' $?

# ---- completion ---------------------------------------------------------------

run completion bash
works 'completion'
finds 'completion: the commands' \
    ' all_gather all_reduce alltoall broadcast completion'
finds 'completion: algorithms' '--algo) words="auto ring single_cycle_ring '
finds 'completion: algorithms of a hierarchy' '--inter) words="auto ring '
finds 'completion: types' '--datatype | -d) words="uint64 int8 '
finds 'completion: operations' '--op | -o) words="sum max min all '

# ---- refusals ----------------------------------------------------------------

complains 'nine ranks on a chip' 2 '9 ranks a chip: cayman has 8 NeuronCores' \
    all_reduce -g 9 --chips 1
complains 'nine ranks' 2 \
    '9 ranks do not divide by 2 chips; --chips 3 would do' all_reduce -g 9
complains 'a prime of ranks' 2 \
    '67 ranks do not divide by 9 chips Try' all_reduce -g 67
complains 'three ranks of sunda' 2 '3 ranks do not divide by 2 chips Try' \
    all_reduce -g 3 --gen sunda
complains 'no ranks' 2 "'0' is not a number from 1 to 512" all_reduce -g 0
complains 'too many ranks' 2 "'513' is not a number from 1 to 512" \
    all_reduce -g 513
complains '65 chips' 2 "'65' is not a number from 1 to 64" \
    all_reduce --chips 65
complains 'chips of sunda' 2 '2 chips: addresses of sunda name no chip' \
    all_reduce --gen sunda --chips 2
complains 'ranks of sunda' 2 '2 chips: addresses of sunda name no chip' \
    all_reduce --gen sunda -g 4
complains 'a root out of range' 2 '--root 8: the ranks are 0-7' broadcast -r 8
complains 'a type that there is not' 2 "the CCE has no type 'double'" \
    all_reduce -d double
complains 'prod' 2 "the CCE has sum, max and min across ranks, not 'prod'" \
    all_reduce -o prod
complains 'avg' 2 "the CCE has sum, max and min across ranks, not 'avg'" \
    all_reduce -o avg
complains 'an operation without one' 2 'all_gather reduces nothing' \
    all_gather -o sum
complains 'sizes the wrong way round' 2 '--minbytes is larger than --maxbytes' \
    all_reduce -b 2K -e 1K
complains 'a factor of one' 2 "'1' is not a number from 2" all_reduce -f 1
complains 'a step and a factor' 2 'exclude each other' all_reduce -i 4 -f 2
complains 'a step of nothing' 2 '--stepbytes: ' all_reduce -i 0
complains 'too many sizes' 2 'more than 100000 sizes' \
    all_reduce -b 0 -e 1G -i 1
complains 'a size that is none' 2 "'1X'" all_reduce -b 1X
complains 'a negative size' 2 "'-1'" all_reduce -b -1
complains 'past the memory' 1 'do not fit in HBM_0 of cayman' all_reduce -b 1T
complains 'past the machine' 1 'of memory, and the machine has' all_reduce \
    --chips 64 -b 2G
# A file with a hole of 32 GiB, which is that of each of 64 ranks.
header="{'descr': '<f4', 'fortran_order': False, 'shape': (8589934592,), }"
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "$header"
} >hole
if truncate -s $((128 + 8589934592 * 4)) hole 2>stderr; then
    rank=0
    while [ $rank -lt 64 ]; do
        ln -sf hole "hole$rank"
        rank=$((rank + 1))
    done
    complains 'files past the machine' 1 'expected at most' \
        all_reduce -g 64 --engines 1 --in 'hole%d'
fi
rm -f hole hole*
complains 'no such algorithm' 2 "there is no algorithm 'tree'" \
    all_reduce --algo tree
complains 'an algorithm of others' 1 'all_reduce by chain on 8 ranks: ' \
    all_reduce --algo chain -b 4
complains 'an algorithm of other ranks' 1 'all_reduce by rdh on 6 ranks: ' \
    all_reduce --algo rdh -g 6 -b 4
complains 'no engines' 2 "'0' is not a number from 1 to 16" \
    all_reduce --engines 0
complains 'no iterations' 2 "'0' is not a number from 1" all_reduce -n 0
complains 'a check of two' 2 "'2' is not a number from 0 to 1" all_reduce -c 2
complains 'an argument' 2 'too many arguments' all_reduce x
complains 'a fault of no kind' 2 'is not PLACE:WHAT' all_reduce --inject x
complains 'a schedule that is run' 2 '--steps runs nothing' \
    all_reduce -b 4 --steps --trace x
complains 'a schedule of files' 2 '--steps runs nothing' \
    all_reduce -g 2 --steps --in 'in%d.npy'
plan

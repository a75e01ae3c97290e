#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench ctxlog. Usage: run_ctxlog.sh PATH-OF-TRENCH    (prints TAP)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
cd "$dir" || exit 1

# runs NAME CODE ARG...: the exit code.
runs()
{
    name=$1
    code=$2
    shift 2
    "$trench" ctxlog "$@" >stdout 2>stderr
    rc=$?
    test "$rc" -eq "$code"
    verdict "$name" $?
}

# has NAME LINE: the last output has that line; notes NAME LINE: stderr has.
has()
{
    grep -qxF -e "$2" stdout
    verdict "$1" $?
}

notes()
{
    grep -qxF -e "trench ctxlog: $2" stderr
    verdict "$1" $?
}

# silent NAME: nothing on standard error.
silent()
{
    test ! -s stderr
    verdict "$1" $?
}

# same NAME A B: two files are alike.
same()
{
    cmp -s "$2" "$3"
    verdict "$1" $?
}

# poke FILE OFFSET OCTAL...: put bytes into a file.
poke()
{
    file=$1
    at=$2
    shift 2
    for byte in "$@"; do
        # The octal digits are the format.
        # shellcheck disable=SC2059
        printf "\\$byte" | dd of="$file" bs=1 seek="$at" conv=notrunc 2>/dev/null
        at=$((at + 1))
    done
}

# image FILE BYTES
image()
{
    head -c "$2" /dev/zero >"$1"
}

# Not random: the same bytes in every run, all values, no period that matters.
noise()
{
    awk -v n="$1" 'BEGIN {
        s = 12345
        for (i = 0; i < n; i++) {
            s = (s * 16807) % 2147483647
            printf "%c", 1 + s % 127
        }
    }'
}

image zero 17640
cp zero ctx
poke ctx $((0x424F)) 1                     # leader
poke ctx $((0x427C)) 120                   # tpb_id 0, seng_id 5
poke ctx $((0x4281)) 261                   # algo 1, sub 3, trigger_next
poke ctx $((0x78)) 70 300 10 2 20          # 0x10020_8C038
poke ctx $((0x3448)) 13 0 0 0 377 377      # bundle 0
noise 17640 >noisy

# ---- decode ------------------------------------------------------------------

runs 'decode' 0 decode ctx
silent 'decode: silent'
has 'decode: model' '  "model_name": "cayman",'
has 'decode: an address' \
    '                  "soc_addr": "0x000000100208C038"'
has 'decode: an allocation word (seed 000 3.4)' \
    '          "0x0000FFFF0000000B",'
has 'decode: a flag is a number' '        "leader": 1,'
has 'decode: a nibble' '        "seng_id": 5,'
cp stdout ctx.json
runs 'decode --alloc fields' 0 decode --alloc fields ctx
has 'decode --alloc fields: queue' '            "queue_id": 11,'
has 'decode --alloc fields: engines' '            "dma_engines_bitmap": 65535'
runs 'decode --alloc words' 0 decode --alloc words ctx
same 'decode --alloc words is the default' stdout ctx.json
runs 'decode --json' 0 decode --json ctx
same 'decode --json prints the same' stdout ctx.json
runs 'decode --output' 0 decode --output out.json ctx
same 'decode --output: the file' out.json ctx.json
test ! -s stdout
verdict 'decode --output: nothing else' $?
runs 'decode: standard input' 0 decode - <ctx
same 'decode: standard input, the same' stdout ctx.json
runs 'decode --compat' 0 decode --compat ctx
has 'decode --compat: a flag' '        "leader": 0x1,'
has 'decode --compat: no flag' '        "tpb_id": (nil),'
has 'decode --compat: a place' '          "pring_base_addr": 0x4210,'
runs 'decode --compat-base' 0 decode --compat --compat-base 0x7f0000000000 ctx
has 'decode --compat-base: a place' \
    '          "pring_base_addr": 0x7f0000004210,'

# ---- sizes and generations ---------------------------------------------------

head -c 17639 zero >short
runs 'truncated' 1 decode short
notes 'truncated: says so' \
    'short: 17639 bytes; a context of cayman has 17640'
head -c 17641 /dev/zero >long
runs 'oversized' 1 decode long
notes 'oversized: says so' 'long: 17641 bytes; a context of cayman has 17640'
runs 'another generation' 1 decode --gen sunda ctx
notes 'another generation: says so' \
    'ctx: 17640 bytes are a context of cayman, not of sunda'
image sunda 13000
runs 'sunda' 0 decode --gen sunda sunda
has 'sunda: model' '  "model_name": "sunda",'
test "$(grep -c '"event_type"' stdout)" -eq 50
verdict 'sunda: 50 mesh events' $?
runs 'mariana_plus' 0 decode --gen mariana_plus ctx
test "$(grep -c '"event_type"' stdout)" -eq 108
verdict 'mariana_plus: 108 mesh events' $?
image dram 19968
poke dram 0 231 23
poke dram $((0xB0)) 40 74
dd if=ctx of=dram bs=1 seek=$((0x408)) conv=notrunc 2>/dev/null
runs 'a memory without --at' 1 decode dram
notes 'a memory without --at: says so' 'dram: 19968 bytes are a data memory of cayman; say where the context is in it'
runs 'decode --at' 0 decode --at 0x408 dram
same 'decode --at: the same' stdout ctx.json
runs 'decode --at, the end' 1 decode --at 0x919 dram
runs 'a memory of another generation' 1 decode --gen mariana --at 0x408 dram
notes 'a memory of another generation: says so' \
    'dram: this is the data memory of cayman, not of mariana'
runs 'no such file' 1 decode nothing
notes 'no such file: says so' 'nothing: No such file or directory'
runs 'a folder' 1 decode .
head -c 16777217 /dev/zero >huge
runs 'a huge file' 1 decode huge
notes 'a huge file: says so' 'huge: too large'
runs 'an empty file' 1 decode /dev/null

# ---- encode ------------------------------------------------------------------

runs 'encode' 0 encode --output new ctx.json
silent 'encode: silent'
runs 'encode: what differs' 0 diff ctx new
test "$(grep -c 'channel_id: 0 -> ' stdout)" -eq 31 -a "$(wc -l <stdout)" -eq 31
verdict 'encode: only the channel ids, which are not printed' $?
runs 'encode --base' 0 encode --base ctx --output new ctx.json
same 'encode --base: lossless' ctx new
runs 'encode: standard output' 0 encode --base ctx ctx.json
same 'encode: standard output, the same' stdout ctx
for gen in cayman mariana sunda; do
    file=noisy
    [ "$gen" = sunda ] && head -c 13000 noisy >noisy.sunda && file=noisy.sunda
    for alloc in words fields; do
        "$trench" ctxlog decode --gen "$gen" --alloc "$alloc" $file >noisy.json
        runs "round trip: $gen $alloc" 0 encode --gen "$gen" --base $file \
            --output new --strict noisy.json
        same "round trip: $gen $alloc, lossless" $file new
    done
done
cp dram dram2
runs 'encode --at' 0 encode --at 0x408 --base dram --output dram2 ctx.json
same 'encode --at: lossless' dram dram2
runs 'encode in place' 0 encode --base dram2 --at 0x408 --output dram2 ctx.json
same 'encode in place: lossless' dram dram2

sed 's/"op_num": 0/"op_num": 77/' ctx.json >edit.json
runs 'encode an edit' 0 encode --base ctx --output new edit.json
runs 'diff of an edit' 0 diff ctx new
printf 'ncfw_ctx_top_sp.configs.neff.op_num: 0 -> 77\n' >want
same 'diff of an edit: one line' stdout want
runs 'diff --json' 0 diff --json ctx new
tr -d ' \n' <stdout >flat
printf '{"changes":[{"path":"ncfw_ctx_top_sp.configs.neff.op_num","offset":"0x4248","bytes":4,"before":0,"after":77}]}' >want
same 'diff --json: the change' flat want
poke new $((0x3490)) 1 2
runs 'diff of hidden bytes' 0 diff zero new
has 'diff of hidden bytes: told' '[0x3490..0x3491]: 2 bytes outside of all fields'
has 'diff of an address' 'ncfw_ctx_top_sp.configs.algo.ring.channels[0].dma_apb_bcast.m2s_tail_ptr: 0x0000000000000000 -> 0x000000100208C038'
runs 'diff of equals' 0 diff ctx ctx
test ! -s stdout
verdict 'diff of equals: nothing' $?
runs 'diff of two sizes' 1 diff ctx short

# ---- JSON that is wrong ------------------------------------------------------

# bad NAME REASON SED: the edit is refused, and the target stays as it was.
bad()
{
    sed "$3" ctx.json >bad.json
    printf 'old' >target
    runs "$1" 1 encode --base ctx --output target bad.json
    notes "$1: says so" "bad.json: $2"
    printf 'old' >want
    same "$1: no file" target want
}

bad 'mistyped number' 'ncfw_ctx_top_sp.configs.neff.op_num: not a number from 0 to 4294967295' \
    's/"op_num": 0/"op_num": "0"/'
bad 'number too large' 'ncfw_ctx_top_sp.configs.neff.leader: not a number from 0 to 1' \
    's/"leader": 1/"leader": 2/'
bad 'mistyped address' 'ncfw_ctx_top_sp.configs.algo.hierarchical.__stub: not an address such as "0x0000001002081038"' \
    's/"__stub": "0x0000000000000000"/"__stub": 0/'
bad 'another model' 'model_name: this is sunda, not cayman' \
    's/"model_name": "cayman"/"model_name": "sunda"/'
bad 'not JSON' "line 2: invalid token near 'cayman'" 's/"cayman"/cayman/'
runs 'compat text is not JSON' 1 encode --output target want
sed 's/"op_num"/"opnum"/' ctx.json >extra.json
runs 'an extra and a missing key' 0 encode --base ctx --output new extra.json
notes 'an extra key: a warning' 'extra.json: warning: ncfw_ctx_top_sp.configs.neff.opnum: no such key'
notes 'a missing key: a warning' 'extra.json: warning: 1 parts are missing and were taken from the base'
same 'an extra and a missing key: the base' new ctx
runs 'an extra key, --strict' 1 encode --strict --base ctx --output new extra.json
notes 'an extra key, --strict: an error' 'extra.json: ncfw_ctx_top_sp.configs.neff.opnum: no such key'
notes 'a missing key, --strict: an error' 'extra.json: ncfw_ctx_top_sp.configs.neff.op_num: missing'
printf '{}' >empty.json
runs 'an empty object' 0 encode --output new empty.json
notes 'an empty object: a warning' 'empty.json: warning: 2 parts are missing and were set to 0'
same 'an empty object: zeros' new zero
runs 'encode --json' 1 encode --json --base ctx --output new bad.json
has 'encode --json: not written' '  "written": false,'
has 'encode --json: a finding' '      "kind": "error",'
runs 'encode --json, well' 0 encode --json --base ctx --output new ctx.json
has 'encode --json, well: written' '  "written": true,'
has 'encode --json, well: bytes' '  "bytes": 17640,'
runs 'sunda JSON as cayman' 1 encode --gen cayman --output new noisy.json
awk 'BEGIN { printf "{\"a\":"; for (i = 0; i < 100000; i++) printf "[" }' >deep
runs 'huge JSON' 1 encode --output new huge
notes 'huge JSON: says so' 'huge: too large'
runs 'deep nesting' 1 encode --output new deep

# ---- the command line --------------------------------------------------------

# usage NAME MESSAGE ARG...
usage()
{
    name=$1
    message=$2
    shift 2
    runs "$name" 2 "$@"
    notes "$name: says so" "$message"
}

usage 'no subcommand' 'which subcommand? see --help'
usage 'unknown subcommand' \
    "unknown subcommand 'print'; known: decode, encode, diff" print
usage 'no image' 'usage: trench ctxlog decode IMAGE' decode
usage 'two images' 'usage: trench ctxlog decode IMAGE' decode a b
usage 'diff of one' 'usage: trench ctxlog diff BEFORE AFTER' diff a
usage '--base to decode' '--base is not for decode' decode --base a b
usage '--compat to encode' '--compat is not for encode' encode --compat a
usage '--compat and --base' '--base is not for decode' decode --compat --base a b
usage '--output to diff' '--output is not for diff' diff --output a b c
usage '--compat --json' 'what --compat prints is not JSON' \
    decode --compat --json a
usage '--compat-base alone' '--compat-base needs --compat' \
    decode --compat-base 1 a
usage '--at without --base' '--at needs --base here' encode --at 8 a
usage '--at 0' "--at: '0' is not a number from 1 to 4294967295" decode --at 0 a
usage '--alloc' "--alloc: 'x' is neither words nor fields" decode --alloc x a
usage 'encode --json to standard output' 'where to? give --output FILE' \
    encode --json ctx.json
runs 'an unknown generation' 2 decode --gen maverick ctx
runs '--help' 0 --help
has '--help: decode' 'Usage: trench ctxlog [OPTION...] decode IMAGE'
runs 'a full device' 1 decode --output /dev/full ctx
plan

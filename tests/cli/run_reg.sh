#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench reg from the outside. Outputs are compared with the files in
# tests/data/csr/expect, letter by letter.
# Usage: run_reg.sh PATH-OF-TRENCH    (prints TAP)
# TRENCH_REGS names the folder of the schemas; TRENCH_WRITE=1 writes the
# expected outputs anew, for a look at the difference.
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
data=$(cd "$(dirname "$0")/../data/csr" && pwd) || exit 1
cd "$dir" || exit 1
cp "$data"/sample/*.json . || exit 1

# report OK NAME: one line of TAP.
report()
{
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        printf 'ok %d - %s\n' "$count" "$2"
    else
        failed=$((failed + 1))
        printf 'not ok %d - %s\n' "$count" "$2"
        sed 's/^/# stdout: /' stdout
        sed 's/^/# stderr: /' stderr
        [ ! -f why ] || sed 's/^/# /' why
    fi
    rm -f why
}

skip()
{
    count=$((count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$count" "$1" "$2"
}

check()
{
    check_name=$1
    shift
    "$@" >why 2>&1
    report $? "$check_name"
}

# run ARG...: leaves stdout, stderr and $rc.
run()
{
    "$trench" reg "$@" >stdout 2>stderr
    rc=$?
}

# prints NAME CODE ARG...: standard output is that of expect/NAME, and there
# is nothing else.
prints()
{
    name=$1
    want=$2
    shift 2
    run "$@"
    if [ -n "${TRENCH_WRITE:-}" ]; then
        cp stdout "$data/expect/$name"
    fi
    check "$name: exit $want" test "$rc" -eq "$want"
    check "$name: output" diff "$data/expect/$name" stdout
    check "$name: no messages" test ! -s stderr
}

# complains CODE LINE ARG...: exactly this line as the message, and no output.
complains()
{
    want=$1
    line=$2
    shift 2
    run "$@"
    printf 'trench reg: %s\n' "$line" >line
    check "reg $*: exit $want" test "$rc" -eq "$want"
    check "reg $*: one line" diff line stderr
    check "reg $*: no output" test ! -s stdout
}

# refused PATTERN ARG...: a usage error.
refused()
{
    pattern=$1
    shift
    run "$@"
    check "refused: reg $*: exit 2" test "$rc" -eq 2
    check "refused: reg $*: message" grep -q -e "$pattern" stderr
    check "refused: reg $*: no output" test ! -s stdout
}

test_show()
{
    prints list 0 list --schema . --gen beta
    prints list_json 0 list --schema . --gen beta --json
    prints list_block 0 list --schema . --gen alpha uart
    prints list_block_json 0 list --schema . --gen alpha uart --json
    prints show_block 0 show --schema . --gen alpha UART
    prints show_block_json 0 show --schema . --gen alpha uart --json
    prints show_bundle 0 show --schema . --gen alpha uart.port
    prints show_bundle_json 0 show --schema . --gen alpha uart.port --json
    prints show_index 0 show --schema . --gen alpha 'uart.port[1]'
    prints show_opaque 0 show --schema . --gen alpha magic
    prints show_opaque_json 0 show --schema . --gen alpha magic --json
    prints show_reg 0 show --schema . --gen alpha port.cfg
    prints show_reg_json 0 show --schema . --gen alpha 'port[1].kick' --json
    prints show_field 0 show --schema . --gen alpha 'PORT[1].CFG.Baud'
    prints show_field_json 0 show --schema . --gen alpha cfg.baud --json
    prints show_nested 0 show --schema . --gen beta 'timer.chan[1].val.count'
    prints show_offset 0 show --schema . --gen alpha uart+0x94
    prints find 0 find --schema . --gen alpha NUMBER
    prints find_glob 0 find --schema . --gen alpha 'm*r'
    prints find_json 0 find --schema . --gen alpha magic --json
}

test_values()
{
    prints decode 0 decode --schema . --gen alpha port.cfg 0x80010a3
    prints decode_field 0 decode --schema . --gen alpha rev.major 258
    prints decode_json 0 decode --schema . --gen alpha port.cfg 0x80010a3 --json
    prints encode 0 encode --schema . --gen alpha port.cfg baud=0x123 EN=0
    prints encode_reset 0 encode --schema . --gen alpha port.cfg
    prints encode_base 0 encode --schema . --gen alpha port.cfg --base \
        0xffffffff baud=0 en=0
    prints encode_json 0 encode --schema . --gen alpha rev minor=9 --json
}

test_sets()
{
    prints diff 0 diff --schema . alpha beta
    prints diff_json 0 diff --schema . beta alpha uart --json
    prints diff_same 0 diff --schema . alpha ALPHA
    prints stats 0 stats --schema . --gen alpha
    prints stats_json 0 stats --schema . --gen alpha --json
    prints header 0 header --schema . --gen alpha
    prints header_block 0 header --schema . --gen beta timer
    run header --schema . --gen alpha --output out.h
    check 'header --output: exit 0' test "$rc" -eq 0
    check 'header --output: the same text' diff "$data/expect/header" out.h
    check 'header --output: silent' test ! -s stdout -a ! -s stderr
    run header --schema . --gen alpha --json
    check 'header --json: a string' grep -q '"header": "/\* Generated' stdout
}

test_check()
{
    prints check_good 0 check uart.alpha.json uart.beta.json timer.json
    sed -e 's/"3:1", "AccessType": "RO"/"3:0", "AccessType": "R0"/' \
        -e 's/"0x0", "AccessType": "RO"/"0x0", "AccessType": "RW"/' \
        -e 's/"send", "Position": "0"/"send", "Position": "NUM_PORT"/' \
        uart.alpha.json >bad.json
    prints check_bad 1 check bad.json timer.json
    prints check_bad_json 1 check bad.json --json
    sed 's/"AddrWidth": "8"/"AddrWidth": "9"/' timer.json >warn.json
    prints check_warning 0 check warn.json
    head -c 200 timer.json >cut.json
    prints check_cut 1 check cut.json nowhere.json
    rm bad.json warn.json cut.json
}

# One broken file does not stop the others.
test_broken()
{
    mkdir broken
    cp ./*.json broken
    echo '{"RegFile": {' >broken/uart.beta.json
    run show --schema broken --gen beta timer.chan.val
    check 'broken file: the others are there' test "$rc" -eq 0
    check 'broken file: reported' grep -q \
        '^trench reg: broken/uart.beta.json:[12]: not JSON: ' stderr
    check 'broken file: one line' test "$(wc -l <stderr)" -eq 1
    for sub in list stats header 'find chan'; do
        # A word or two.
        # shellcheck disable=SC2086
        run $sub --schema broken --gen beta
        check "broken file: $sub fails" test "$rc" -eq 1
        check "broken file: $sub prints" test -s stdout
    done
    rm broken/manifest.json broken/uart.alpha.json
    run list --schema broken
    check 'folder without a manifest: one set' grep -q '^timer ' stdout
    complains 1 'empty: no schemas there' list --schema empty
    mkdir empty
    complains 1 'empty: no schemas there' list --schema empty
    complains 2 "unknown generation 'x'; known: alpha, beta" \
        list --schema . --gen x
    complains 2 "unknown generation 'cayman'; known: alpha, beta" \
        list --schema .
    rm broken/uart.beta.json
    complains 2 "unknown generation 'x'; known: none, the folder has no manifest.json" \
        list --schema broken --gen x
}

test_messages()
{
    complains 1 "alpha has no block, bundle or register 'uarts'; did you mean 'uart'?" \
        show --schema . --gen alpha uarts
    complains 1 "uart.port has no register 'cgf'; did you mean 'cfg'?" \
        show --schema . --gen alpha port.cgf
    complains 1 'index 2 of uart.port is not within 0-1' \
        decode --schema . --gen alpha 'uart.port[2].cfg' 0
    complains 1 'uart.port is not a register' \
        decode --schema . --gen alpha port 0
    complains 1 'uart.port.cfg.en is not a register' \
        encode --schema . --gen alpha cfg.en
    complains 1 'uart.magic is opaque: only the name is known' \
        show --schema . --gen alpha magic.x
    complains 1 'timer.chan holds only bundles, such as chan.Val' \
        show --schema . --gen beta timer.chan
    complains 1 'uart.port is not a block' list --schema . --gen alpha port
    complains 1 'uart.port is not a block' header --schema . --gen alpha port
    complains 1 "nothing fits 'xyzzy'" find --schema . --gen alpha xyzzy
    complains 2 "'0x100000000' is not a number of 32 bits" \
        decode --schema . --gen alpha cfg 0x100000000
    complains 2 "'1k' is not a number of 32 bits" \
        decode --schema . --gen alpha cfg 1k
    complains 2 "'' is not a number of 32 bits" \
        decode --schema . --gen alpha cfg ''
    complains 2 "' 1' is not a number of 32 bits" \
        decode --schema . --gen alpha cfg ' 1'
    complains 2 "'baud' is not FIELD=VALUE" \
        encode --schema . --gen alpha cfg baud
    complains 2 "'=1' is not FIELD=VALUE" encode --schema . --gen alpha cfg =1
    complains 2 "'' is not a number of 32 bits" \
        encode --schema . --gen alpha cfg baud=
    complains 2 'baud is given twice' \
        encode --schema . --gen alpha cfg baud=1 BAUD=2
    complains 2 "'x' is not a number of 32 bits" \
        encode --schema . --gen alpha cfg --base x
    complains 1 'baud: 0x1000 does not fit into 12 bits' \
        encode --schema . --gen alpha cfg baud=0x1000
    complains 1 'en: 2 does not fit into 1 bit' \
        encode --schema . --gen alpha cfg en=2
    complains 1 "uart.port.cfg has no field 'bauds'; did you mean 'baud'?" \
        encode --schema . --gen alpha cfg bauds=1
    complains 1 "neither generation has a block 'x'" \
        diff --schema . alpha beta x
    complains 2 "unknown generation 'gamma'; known: alpha, beta" \
        diff --schema . alpha gamma
}

# A folder or its manifest stands for the files that the manifest names.
test_check_library()
{
    mkdir lib
    printf '%s\n' '{"generations":{"x":{"gone":"gone.json"}}}' \
        >lib/manifest.json
    for path in lib lib/manifest.json; do
        run check "$path"
        check "check $path: exit 1" test "$rc" -eq 1
        check "check $path: names the file" \
            grep -q 'lib/gone.json: error: cannot be opened' stdout
    done
    mkfifo lib/gone.json
    run check lib
    check 'check of a FIFO: does not wait' test "$rc" -eq 1
    escape=$(printf '\033')
    run find "${escape}[31m"
    check 'control bytes stay out of messages' \
        test "$(grep -c "$escape" stderr)" -eq 0
    run check nowhere/manifest.json
    check 'check nowhere: exit 1' test "$rc" -eq 1
    check 'check nowhere: message' grep -q 'nowhere/manifest.json' stderr
    if [ -n "${TRENCH_REGS:-}" ]; then
        run check "$TRENCH_REGS"
        check 'check of the shipped schemas: exit 0' test "$rc" -eq 0
    fi
}

test_usage()
{
    refused 'which subcommand' --json
    refused "unknown subcommand 'lst'; known: list, show" lst
    refused 'usage: trench reg show NAME' show
    refused 'usage: trench reg show NAME' show a b
    refused 'usage: trench reg decode NAME VALUE' decode a
    refused 'usage: trench reg encode NAME' encode
    refused 'usage: trench reg diff GEN GEN' diff cayman
    refused 'usage: trench reg diff GEN GEN' diff a b c d
    refused 'usage: trench reg stats' stats x
    refused 'usage: trench reg check FILE' check
    refused 'base is for encode' list --base 1
    refused 'output is for header' list --output x
    refused 'gen is not for diff' diff --gen cayman a b
    refused 'gen is not for check' check --gen cayman x
    refused 'schema is not for check' check --schema . x
    refused 'unrecognized option' list --frob
    run list --help
    check 'reg --help: exit 0' test "$rc" -eq 0
    check 'reg --help: examples' grep -q 'trench reg decode udma_gen' stdout
    if [ -w /dev/full ]; then
        "$trench" reg list >/dev/full 2>stderr
        check 'full output: exit 1' test $? -eq 1
    fi
}

# The registers of the real thing.
test_cayman()
{
    run list
    check 'cayman is the default' grep -q '^udma_m2s  *0x20000  *11  *100 ' stdout
    run decode udma_gen+0x2104 0x1c360003
    check 'seed 002 3.2: major_id' grep -q '31:24  RO  *0x1c  *28  *major_id ' \
        stdout
    check 'seed 002 3.2: minor_id' grep -q '23:12  RO  *0x360 .* minor_id ' stdout
    run show section_ctrl.drop_addr_msb --json
    check 'seed 002 4.2: poison default' grep -q '"reset": "0xdeadbeef"' stdout
    run encode tdma_model.tdma.tdma_rob_cfg en=1 rid_base=0x40
    check 'seed 002 5.3: rid_base is [12:4]' grep -qx 0x00000401 stdout
    run stats
    check 'seed 002 1: udma_gen' grep -q \
        '^udma_gen  *22/22  *69/69  *203/203  *2956/2956  *100.0%' stdout
    check 'seed 002 1: udma_gen_ex' grep -q \
        '^udma_gen_ex  *5/5  *29/29  *68/68  *284/284  *100.0%' stdout
    check 'seed 002 1: tdma_model' grep -q \
        '^tdma_model  *8/8  *44/44  *59/59  *148/148  *100.0%' stdout
}

# All generations: built in, or from the manifest beside the built-in one.
test_generations()
{
    if [ ! -f "${TRENCH_REGS:-}/udma_gen.sunda.json" ]; then
        skip 'all generations' 'TRENCH_REGS has them not'
        return
    fi
    mkdir regs
    cp "$TRENCH_REGS"/*.json regs
    [ ! -f regs/manifest.next.json ] || mv regs/manifest.next.json regs/manifest.json
    prints seed_002_6 0 diff --schema regs sunda cayman udma_gen
    run diff --schema regs sunda cayman tdma_model
    printf '+ tdma_model.robert\n+ tdma_model.strongly_ordered_write\n' >want
    check 'seed 002 6: tdma_model' diff want stdout
    run diff --schema regs cayman mariana udma_gen
    check 'seed 002 6: mariana has the udma_gen of cayman' \
        grep -qx 'no difference' stdout
    run check regs/cce.json regs/*_*.json
    check 'our own schemas have no errors' test "$rc" -eq 0
    for gen in sunda cayman mariana mariana_plus; do
        run header --schema regs --gen $gen --output $gen.h
        check "header of $gen" test "$rc" -eq 0
    done
    compile cc c11 c
    compile c++ c++17 cc
}

# compile COMPILER STANDARD SUFFIX: all headers together, each macro of an
# instance used.
compile()
{
    if ! command -v "$1" >/dev/null; then
        skip "headers as $2" "no $1"
        return
    fi
    {
        printf '#include "%s.h"\n' sunda cayman mariana mariana_plus sunda
        echo 'extern const unsigned all[];'
        echo 'const unsigned all[] = {'
        sed -n -e 's/^#define \([A-Z0-9_]*\)(i) .*/\1(1),/p' \
            -e 's/^#define \([A-Z0-9_]*\) [0-9(].*/\1,/p' ./*mariana*.h sunda.h \
            cayman.h
        echo '};'
    } >"all.$3"
    check "headers of all generations as $2" "$1" "-std=$2" -Wall -Wextra \
        -Wpedantic -Werror -c -o all.o "all.$3"
}

: >stdout
: >stderr
test_show
test_values
test_sets
test_check
test_broken
test_messages
test_check_library
test_usage
test_cayman
test_generations
plan

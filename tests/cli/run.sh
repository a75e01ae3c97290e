#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of the trench program from the outside: real files, real exit codes.
# Usage: run.sh PATH-OF-TRENCH    (prints TAP)
# shellcheck disable=SC2012 # the names that ls lists are our own
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
cd "$dir" || exit 1
mkdir in out

# pass NAME / fail NAME / skip NAME REASON: one line of TAP.
pass()
{
    count=$((count + 1))
    printf 'ok %d - %s\n' "$count" "$1"
}

fail()
{
    count=$((count + 1))
    failed=$((failed + 1))
    printf 'not ok %d - %s\n' "$count" "$1"
    sed 's/^/# stdout: /' stdout
    sed 's/^/# stderr: /' stderr
    [ ! -f why ] || sed 's/^/# /' why
}

skip()
{
    count=$((count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$count" "$1" "$2"
}

# check NAME COMMAND...: the command must succeed.
check()
{
    check_name=$1
    shift
    if "$@" >why 2>&1; then
        pass "$check_name"
    else
        echo "failed: $*" >>why
        fail "$check_name"
    fi
    rm -f why
}

# run ARG...: run trench; leaves stdout, stderr and $rc.
run()
{
    "$trench" "$@" >stdout 2>stderr
    rc=$?
}

# exits NAME CODE ARG...: run trench and compare the exit code.
exits()
{
    exits_name=$1
    want=$2
    shift 2
    run "$@"
    check "$exits_name" test "$rc" -eq "$want"
}

# refused NAME ARG...: a usage error, with nothing on standard output.
refused()
{
    refused_name=$1
    shift
    run "$@"
    check "refused: $refused_name" test "$rc" -eq 2 -a -s stderr -a ! -s stdout
}

# complains NAME LINE ARG...: exit 1, and exactly this line as the message.
complains()
{
    complains_name=$1
    line=$2
    shift 2
    run "$@"
    printf '%s\n' "$line" >want
    check "$complains_name: exit 1" test "$rc" -eq 1
    check "$complains_name: one line names it" cmp want stderr
}

# field NAME: value of a member of the JSON object in stdout.
field()
{
    sed -n 's/^  "'"$1"'": \(.*[^,]\),\{0,1\}$/\1/p' stdout
}

# is FIELD VALUE
is()
{
    got=$(field "$1")
    [ "$got" = "$2" ] || {
        echo "$1 is $got, not $2"
        return 1
    }
}

# The output directory holds what is named, and no temporary file.
holds()
{
    got=$(ls -A out | tr '\n' ' ')
    [ "$got" = "$* " ] || {
        echo "out holds '$got', not '$*'"
        return 1
    }
}

lines()
{
    got=$(grep -c "$2" "$3")
    [ "$got" -eq "$1" ] || {
        echo "$got lines match '$2', not $1"
        return 1
    }
}

# random BYTES FILE
random()
{
    head -c "$1" /dev/urandom >"$2"
}

test_program()
{
    exits 'no command is a usage error' 2
    check 'no command shows the commands' grep -q 'dmatest' stderr
    exits '--help succeeds' 0 --help
    check '--help lists copy' grep -q '^  copy  ' stdout
    exits '--version succeeds' 0 --version
    check '--version names the program' grep -q '^trench [0-9]' stdout
    exits 'help without a command' 0 help
    exits 'help of a command' 0 help copy
    check 'help of a command shows options' grep -q -e '--queue-depth' stdout
    exits 'help option of a command' 0 dmatest --help
    refused 'help of an unknown command' help nonsense
    refused 'unknown option' --nonsense
    refused 'unknown command' cpoy
    echo "trench: unknown command 'cpoy'; did you mean 'copy'?" >want
    check 'a slip is recognised' cmp want stderr
    refused 'letters in another order' setp
    echo "trench: unknown command 'setp'; did you mean 'step'?" >want
    check 'the first letter decides' cmp want stderr
    refused 'a command like no other' frobnicate
    "$trench" --help >/dev/full 2>stderr
    check 'lost help is a failure' test $? -eq 1
    exits 'completion for bash' 0 completion bash
    check 'completion knows an option' grep -q -e '--queue-depth' stdout
    check 'completion knows a subcommand' grep -q 'words=" list show' stdout
    check 'completion knows the generations of --bar' \
        grep -q -e '--bar) words="cayman ' stdout
    check 'completion offers no placeholder' \
        test "$(grep -c 'FAULT' stdout)" -eq 0
    if command -v bash >/dev/null; then
        check 'completion is a script' bash -n stdout
    else
        skip 'completion is a script' 'no bash'
    fi
    refused 'completion for another shell' completion zsh
    refused 'completion without a shell' completion
}

test_info()
{
    exits 'info succeeds' 0 info
    check 'info shows engines' grep -q '^engines  *132 (0-131)$' stdout
    check 'info shows a cluster' \
        grep -q '^APB_SE_3  *805004000000  *100000  *32 96-127 ' stdout
    check 'info shows a memory' \
        grep -q '^HBM_1  *hbm  *4000000000  *24.0 GiB' stdout
    exits 'info --json succeeds' 0 info --json
    check 'info: generation' is generation '"cayman"'
    check 'info: 132 engines' is engines 132
    check 'info: 16 queues' is queues_per_engine 16
    check 'info: 8 cores' is cores 8
    check 'info: 264 unicast nodes' is unicast_nodes 264
    check 'info: 16 broadcast nodes' is broadcast_nodes 16
    check 'info: 12 clusters' lines 12 '"privileged":' stdout
    check 'info: 16 broadcast addresses' lines 16 '"cluster":' stdout
    check 'info: broadcast block 7' grep -q '"0x805005080000"' stdout
    check 'info: a privileged cluster' grep -q '"0x20808004000000"' stdout
    check 'info: GEN_EX at 0x3c000' grep -q '"0x3c000"' stdout
    check 'info: M2S has 550 instances' grep -q '"instances": 550' stdout
    check 'info: S2M has 373 instances' grep -q '"instances": 373' stdout
    exits 'a generation in any case' 0 info --gen CAYMAN
    refused 'unknown generation' info --gen nonsense
    check 'known generations are listed' grep -q 'known:.*cayman' stderr
    refused 'info takes no arguments' info cayman
    "$trench" info >/dev/full 2>stderr
    check 'lost results are a failure' test $? -eq 1
}

# round NAME ARG...: copy in/f to out/f; the files must be the same.
round()
{
    round_name=$1
    shift
    rm -f out/f
    exits "$round_name: exit 0" 0 copy "$@" in/f out/f
    check "$round_name: same bytes" cmp in/f out/f
}

test_copy_sizes()
{
    for size in 0 1 65535 65536 65537 3145728; do
        random "$size" in/f
        round "copy of $size bytes" --json
        check "copy of $size bytes: counted" is bytes "$size"
        check "copy of $size bytes: packets" \
            is packets $(((size + 65535) / 65536))
    done
    random 33554432 in/f
    round 'copy of exactly one window'
    random 34000001 in/f
    round 'copy of more than one window'
    check 'nothing but the copy is left' holds f
}

test_copy_options()
{
    random 3145728 in/f
    for direction in h2d d2h d2d; do
        round "direction $direction" --direction $direction --json
        check "direction $direction: named" is direction "\"$direction\""
        check "direction $direction: verified" is verified true
    done
    round 'all engines and queues' --bs 1K --json
    check 'all 132 engines take part' is engines_used 132
    check 'all 2112 queues take part' is queues_used 2112
    check 'no engine is idle' test "$(field engine_bytes_least)" -gt 0
    check 'every descriptor is counted, transmit' is tx_descriptors 3072
    check 'every descriptor is counted, receive' is rx_descriptors 3072
    round 'some engines and queues' --channels 0,5-7,131 --queues 3,15 --json
    check 'only selected engines' is engines 5
    check 'only selected queues' is queues 10
    round 'one queue' --channels 131 --queues 15 --bs 4K --queue-depth 32
    round 'odd block size' --bs 4099 --queue-depth 48 --channels 0-3
    round 'block size with suffix' --bs 64KiB --json
    check 'block size is understood' is block_bytes 65536
    random 10000 in/f
    round 'block size 1' --bs 1 --json
    check 'block size 1: a packet a byte' is packets 10000
    round 'verbose' -v --channels 0-1
    check 'verbose names engines' grep -q 'APB_SE_0_SDMA_1 ' stdout
    check 'summary says verified' grep -q 'copied and verified, h2d' stdout
    check 'no progress without a terminal' test ! -s stderr
}

test_copy_pipes()
{
    random 3145728 in/f
    rm -f out/*
    "$trench" copy - - <in/f >out/f 2>stderr
    check 'pipe: exit 0' test $? -eq 0
    check 'pipe: same bytes' cmp in/f out/f
    check 'pipe: summary on standard error' grep -q 'verified' stderr
    tail -c +1 in/f | "$trench" copy --json - - 2>stderr | cat >out/f
    check 'two pipes: same bytes' cmp in/f out/f
    check 'two pipes: JSON on standard error' grep -q '"bytes": 3145728' stderr
    exits 'to /dev/null' 0 copy in/f /dev/null
    check 'to /dev/null: summary on standard output' grep -q verified stdout
    "$trench" copy in/f /dev/stdout 2>stderr | cat >out/f
    check 'to /dev/stdout: same bytes' cmp in/f out/f
    mkfifo fifo
    cat fifo >out/f &
    exits 'to a named pipe' 0 copy in/f fifo
    wait $!
    check 'to a named pipe: same bytes' cmp in/f out/f
    check 'to a named pipe: it stays one' test -p fifo
    rm -f fifo
}

test_copy_places()
{
    random 100000 in/f
    cp in/f in/g
    exits 'onto itself' 0 copy in/g in/g
    check 'onto itself: same bytes' cmp in/f in/g
    rm -f out/*
    (umask 027 && run copy in/f out/f)
    check 'mode follows the umask' test "$(stat -c %a out/f)" = 640
    echo old >out/target
    ln -s target out/link
    exits 'through a link' 0 copy in/f out/link
    check 'through a link: link stays' test -L out/link
    check 'through a link: same bytes' cmp in/f out/target
    ln -s nowhere out/dangling
    complains 'dangling link' \
        'trench copy: out/dangling: it is a dangling symbolic link' \
        copy in/f out/dangling
    rm -f out/*
    name=$(printf '%0255d' 0)
    exits 'longest name' 0 copy in/f "out/$name"
    check 'longest name: same bytes' cmp in/f "out/$name"
    name=$(printf 'caf\351')
    exits 'name that is not UTF-8' 0 copy --json in/f "out/$name"
    check 'name that is not UTF-8: JSON' is destination '"out/caf?"'
    rm -f out/*
}

# Every way to fail leaves an existing destination alone, and no other file.
test_copy_bad_files()
{
    random 200000 in/f
    echo precious >out/old
    cp out/old old
    complains 'missing source' \
        'trench copy: in/none: No such file or directory' copy in/none out/f
    complains 'missing source, with a destination' \
        'trench copy: in/none: No such file or directory' copy in/none out/old
    complains 'directory as source' 'trench copy: in: Is a directory' \
        copy in out/f
    complains 'directory as destination' 'trench copy: out: Is a directory' \
        copy in/f out
    complains 'directory on standard input' \
        'trench copy: -: Is a directory' copy - out/f <in
    complains 'no such directory' \
        'trench copy: out/no/f: cannot create a temporary file beside it: No such file or directory' \
        copy in/f out/no/f
    complains 'file as a directory' \
        'trench copy: out/old/f: Not a directory' copy in/f out/old/f
    complains 'empty name' 'trench copy: : No such file or directory' \
        copy in/f ''
    complains 'full device' \
        'trench copy: /dev/full: No space left on device' copy in/f /dev/full
    complains 'read error' \
        'trench copy: /proc/self/mem: Input/output error' \
        copy /proc/self/mem out/old
    complains 'byte damaged by the DMA' \
        "$(damage 123456)" copy --inject 123456 in/f out/old
    check 'failures leave the old file' cmp old out/old
    check 'failures leave no other file' holds old
    test_copy_unreadable
}

# damage OFFSET: the message about a byte of in/f with the lowest bit wrong.
damage()
{
    byte=$(od -An -tu1 -j "$1" -N 1 in/f)
    printf 'trench copy: out/old: byte %d is wrong after the DMA: ' "$1"
    printf 'expected %02x, got %02x' $((byte)) $((byte ^ 1))
}

test_copy_unreadable()
{
    if [ "$(id -u)" -eq 0 ]; then
        skip 'unreadable source' 'root may read everything'
        skip 'read-only destination' 'root may write everything'
        return
    fi
    echo secret >in/secret
    chmod 0 in/secret
    complains 'unreadable source' 'trench copy: in/secret: Permission denied' \
        copy in/secret out/f
    rm -f in/secret
    chmod a-w out/old
    complains 'read-only destination' \
        'trench copy: out/old: Permission denied' copy in/f out/old
    chmod u+w out/old
}

test_copy_full()
{
    (
        ulimit -f 100
        "$trench" copy in/f out/old >stdout 2>stderr
    )
    check 'file size limit: exit 1' test $? -eq 1
    check 'file size limit: message' \
        grep -q '^trench copy: out/old: File too large$' stderr
    if unshare -m true 2>/dev/null; then
        # shellcheck disable=SC2016 # for the inner shell
        unshare -m sh -c 'mount -t tmpfs -o size=64k none out &&
            echo precious >out/old && "$1" copy in/f out/old
            echo $? >rc; ls -A out >listing' sh "$trench" >stdout 2>stderr
        check 'full disk: exit 1' test "$(cat rc)" -eq 1
        check 'full disk: message' \
            grep -q '^trench copy: out/old: No space left on device$' stderr
        check 'full disk: no file left' test "$(cat listing)" = old
    else
        skip 'full disk' 'cannot mount'
    fi
    { "$trench" copy in/f - 2>stderr; echo $? >rc; } | head -c 1 >/dev/null
    check 'reader gone: exit 1' test "$(cat rc)" -eq 1
    check 'reader gone: message' \
        grep -q '^trench copy: standard output: Broken pipe$' stderr
    "$trench" copy in/f - >&- 2>stderr
    check 'closed output: exit 1' test $? -eq 1
    cp in/f in/g
    # shellcheck disable=SC2094 # that is the point
    "$trench" copy in/g - >>in/g 2>stderr
    check 'output that feeds the source: exit 1' test $? -eq 1
    check 'output that feeds the source: unharmed' cmp in/f in/g
    check 'full: old file untouched' cmp old out/old
    check 'full: no other file' holds old
}

# The copy is whatever was there; it must be a prefix of the source.
test_copy_changing()
{
    random 8000000 in/f
    cp in/f in/grow
    (
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            cat in/f >>in/grow
        done
    ) &
    exits 'growing source: exit 0' 0 copy in/grow out/f
    wait $!
    size=$(wc -c <out/f)
    check 'growing source: not less than at the start' test "$size" -ge 8000000
    head -c "$size" in/grow >in/prefix
    check 'growing source: what was read' cmp in/prefix out/f
    cp in/grow in/shrink
    (
        for size in 80000000 50000000 1000; do
            truncate -s $size in/shrink
        done
    ) &
    exits 'shrinking source: exit 0' 0 copy in/shrink out/f
    wait $!
    size=$(wc -c <out/f)
    head -c "$size" in/grow >in/prefix
    check 'shrinking source: what was read' cmp in/prefix out/f
    rm -f out/f in/*
    cp old out/old
}

# interrupted SIGNAL CODE: end a copy that waits for its source.
interrupted()
{
    mkfifo fifo
    exec 3<>fifo
    # A shell ignores SIGINT for its background jobs; env undoes that.
    env --default-signal="$1" "$trench" copy fifo out/old >stdout 2>stderr 3>&- &
    pid=$!
    echo data >&3
    tries=0
    while [ "$(ls -A out | wc -l)" -lt 2 ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    check "$1: temporary file beside the destination" \
        test -f "$(echo out/.trench-??????)"
    kill -s "$1" "$pid"
    wait "$pid"
    check "$1: dies of it" test $? -eq "$2"
    exec 3>&-
    rm -f fifo
    check "$1: old file untouched" cmp old out/old
    check "$1: no other file" holds old
}

test_copy_signals()
{
    if ! env --default-signal=INT true 2>/dev/null; then
        skip 'signals' 'env cannot set them'
        return
    fi
    interrupted INT 130
    interrupted TERM 143
    interrupted HUP 129
}

test_copy_usage()
{
    random 1000 in/f
    refused 'no files' copy
    refused 'one file' copy in/f
    refused 'three files' copy in/f out/f out/g
    refused 'unknown option' copy --nonsense in/f out/f
    refused 'unknown generation' copy --gen nonsense in/f out/f
    for value in 0 65537 64.5K 1X 1KiX -1 +1 ' 1' '' \
        99999999999999999999 18014398509481985K; do
        refused "--bs '$value'" copy --bs "$value" in/f out/f
    done
    for value in 132 0-132 5-3 '1,' ',1' '1,,2' -1 1- a allx '' ' 1' \
        99999999999999999999; do
        refused "--channels '$value'" copy --channels "$value" in/f out/f
    done
    for value in 16 0-16 x; do
        refused "--queues '$value'" copy --queues "$value" in/f out/f
    done
    for value in 0 16 31 33 16777216 x; do
        refused "--queue-depth '$value'" copy --queue-depth "$value" in/f out/f
    done
    refused '--direction' copy --direction up in/f out/f
    check 'usage errors make no files' holds old
    complains 'rings that do not fit' \
        'trench copy: rings of 2.1 TiB are too much; at most 4.0 GiB' \
        copy --queue-depth 16777200 in/f out/f
}

test_dmatest()
{
    exits 'dmatest succeeds' 0 dmatest
    check 'dmatest: summary of a thread' \
        lines 1 '^dmatest: e0q0-copy0: summary 100 tests, 0 failures [0-9]*\.[0-9][0-9] iops [0-9]* KB/s (0)$' stdout
    check 'dmatest: total' \
        lines 1 '^dmatest: Threads finished: 1 threads on 1 channels, 100 tests, 0 failures' stdout
    check 'dmatest: seed' grep -q 'seed 0x[0-9a-f]*$' stdout
    exits 'dmatest of everything' 0 \
        dmatest --channel all --threads-per-chan 16 --iterations 2 --json
    check 'dmatest of everything: channels' is channels 132
    check 'dmatest of everything: threads' is threads 2112
    check 'dmatest of everything: tests' is tests 4224
    check 'dmatest of everything: failures' is failures 0
    for direction in h2d d2h d2d; do
        exits "dmatest $direction" 0 dmatest --direction $direction \
            --channel 0,127,131 --queue 0,15 --json
        check "dmatest $direction: threads" is threads 6
    done
    exits 'dmatest --max-channels' 0 \
        dmatest --channel all --max-channels 3 --json
    check 'dmatest --max-channels: channels' is channels 3
    exits 'dmatest --queue and threads' 0 \
        dmatest --queue 3,5,7 --threads-per-chan 2
    check 'dmatest --queue and threads: first' grep -q 'e0q3-copy0: sum' stdout
    check 'dmatest --queue and threads: second' grep -q 'e0q5-copy1: sum' stdout
    exits 'dmatest large buffers' 0 \
        dmatest --test-buf-size 1M --iterations 20 --json
    check 'dmatest large buffers: failures' is failures 0
    exits 'dmatest --test-buf-size 1' 0 dmatest --test-buf-size 1
    exits 'dmatest --noverify' 0 dmatest --noverify --json
    check 'dmatest --noverify: said so' is verified false
}

test_dmatest_lengths()
{
    exits 'dmatest --norandom' 0 \
        dmatest --norandom --test-buf-size 1000 --iterations 10 -v
    check 'dmatest --norandom: whole buffers' \
        lines 10 "'test passed' with src_off=0x0 dst_off=0x0 len=0x3e8 (0)$" stdout
    exits 'dmatest --transfer-size' 0 \
        dmatest --transfer-size 999 --iterations 10 -v
    check 'dmatest --transfer-size: length' lines 10 ' len=0x3e7 ' stdout
    exits 'dmatest --alignment' 0 dmatest --alignment 4 --iterations 50 -v
    check 'dmatest --alignment: multiples of 16' \
        lines 50 'src_off=0x[0-9a-f]*0 dst_off=0x[0-9a-f]*0 len=0x[0-9a-f]*0 ' stdout
    exits 'dmatest --seed' 0 dmatest --seed 42 -v
    grep result stdout >first
    exits 'dmatest --seed, hexadecimal' 0 dmatest --seed 0x2a --channel 0-1 -v
    grep 'e0.*result' stdout >second
    check 'dmatest --seed: same tests again' cmp first second
    exits 'dmatest, other seed' 0 dmatest --seed 43 -v
    grep result stdout >second
    check 'dmatest, other seed: other tests' test -n "$(diff first second)"
}

# The checker must notice each kind of damage, and name it.
test_dmatest_faults()
{
    while read -r kind word; do
        exits "dmatest --inject $kind" 1 \
            dmatest --inject "$kind" --iterations 3 --seed 1
        check "dmatest --inject $kind: $word" \
            grep -q "buf\[0x[0-9a-f]*\] $word! Expected .., got ..$" stdout
        check "dmatest --inject $kind: counted" \
            grep -q 'summary 3 tests, 3 failures' stdout
    done <<END
missing not copied
spill was copied
wrong mismatch
source overwritten
END
    run dmatest --inject missing --iterations 1 --norandom
    check 'dmatest: 32 wrong bytes are printed' lines 32 'not copied' stdout
    check 'dmatest: the others are counted' \
        grep -q ': 16352 errors suppressed$' stdout
    exits 'dmatest --json of a failure' 1 dmatest --inject wrong --json
    check 'dmatest --json of a failure: counted' is failures 100
    check 'dmatest --json of a failure: lines on standard error' \
        lines 100 'data error' stderr
    exits 'dmatest --noverify does not look' 0 dmatest --inject wrong --noverify
}

# Faults that the engine meets: each strikes once, is named by its cause, and
# the queue goes on afterwards.
test_dmatest_engine_faults()
{
    while read -r fault causes; do
        exits "dmatest --inject $fault" 1 dmatest --seed 1 --iterations 6 \
            --inject "$fault,after=2,times=1"
        check "dmatest --inject $fault: strikes once" \
            grep -q "fault $fault: struck 1 of" stdout
        check "dmatest --inject $fault: one test fails" \
            grep -q 'summary 6 tests, 1 failures' stdout
        check "dmatest --inject $fault: named" grep -q "$causes" stderr
    done <<END
m2s-desc-read:slverr pref_axi_response, s2m 0x00000000)
m2s-desc-read:timeout+parity pref_axi_parity pref_axi_tout, s2m 0x00000000)
m2s-data-read:decerr data_axi_response, s2m 0x00000000)
m2s-data-read:parity data_axi_parity, s2m 0x00000000)
m2s-cmpl-write:timeout comp_axi_tout, s2m 0x00000000)
s2m-desc-read:slverr m2s 0x00000000, s2m 0x00000200 pref_axi_response)
s2m-data-write:parity m2s 0x00000000, s2m 0x00000001 data_axi_parity)
s2m-cmpl-write:slverr+timeout s2m 0x0000c000 comp_axi_response comp_axi_tout)
m2s:stream_axi_tout m2s 0x00000008 stream_axi_tout, s2m 0x00000000)
m2s:pref_hdr_parity m2s 0x02000000 pref_hdr_parity, s2m 0x00000000)
s2m:comp_ack_tout m2s 0x00000000, s2m 0x00010000 comp_ack_tout)
s2m:table_info_parity s2m 0x80000000 table_info_parity)
END
    exits 'dmatest --inject, on another engine' 0 \
        dmatest --inject m2s-data-read:slverr,engine=1
    exits 'dmatest --inject, on another queue' 0 \
        dmatest --inject m2s-data-read:slverr,queue=1
    exits 'dmatest --inject twice' 1 dmatest --iterations 9 --json \
        --inject m2s:0,times=1 --inject s2m:31,after=5,times=2
    check 'dmatest --inject twice: failures' is failures 3
    run dmatest --inject m2s:0,engine=132
    check 'dmatest --inject: an engine that is not there' test "$rc" -eq 1
}

test_dmatest_usage()
{
    refused 'dmatest with an argument' dmatest 0
    refused 'dmatest --iterations 0' dmatest --iterations 0
    refused 'dmatest --threads-per-chan 0' dmatest --threads-per-chan 0
    refused 'dmatest --threads-per-chan 17' dmatest --threads-per-chan 17
    refused 'dmatest: more threads than queues' \
        dmatest --queue 0-1 --threads-per-chan 3
    refused 'dmatest --test-buf-size 0' dmatest --test-buf-size 0
    refused 'dmatest --test-buf-size 2G' dmatest --test-buf-size 2G
    refused 'dmatest: too much memory' \
        dmatest --test-buf-size 1G --channel all
    refused 'dmatest: transfer larger than buffer' dmatest --transfer-size 16385
    refused 'dmatest: alignment larger than buffer' dmatest --alignment 15
    refused 'dmatest --alignment -2' dmatest --alignment -2
    exits 'dmatest --alignment -1' 0 dmatest --alignment -1
    refused 'dmatest --timeout 0' dmatest --timeout 0
    refused 'dmatest --max-channels 0' dmatest --max-channels 0
    refused 'dmatest --channel 132' dmatest --channel 132
    refused 'dmatest --queue 16' dmatest --queue 16
    refused 'dmatest --seed word' dmatest --seed word
    refused 'dmatest --inject word' dmatest --inject word
    for fault in up:slverr m2s-data-read: m2s-data-read:up m2s:up m2s:32 \
        m2s-data-read:slverr+up m2s:1,up m2s:1,up=1 m2s:1,queue=16 \
        m2s:1,after=-1 m2s:1,times= "m2s:$(printf %0200d 1)"; do
        refused "dmatest --inject $fault" dmatest --inject "$fault"
    done
    refused 'dmatest: 17 faults' dmatest --inject m2s:1 --inject m2s:1 \
        --inject m2s:1 --inject m2s:1 --inject m2s:1 --inject m2s:1 \
        --inject m2s:1 --inject m2s:1 --inject m2s:1 --inject m2s:1 \
        --inject m2s:1 --inject m2s:1 --inject m2s:1 --inject m2s:1 \
        --inject m2s:1 --inject m2s:1 --inject m2s:1
    refused 'dmatest --direction' dmatest --direction up
    refused 'dmatest --gen' dmatest --gen nonsense
}

: >stdout
: >stderr
test_program
test_info
test_copy_sizes
test_copy_options
test_copy_pipes
test_copy_places
test_copy_bad_files
test_copy_full
test_copy_changing
test_copy_signals
test_copy_usage
test_dmatest
test_dmatest_lengths
test_dmatest_faults
test_dmatest_engine_faults
test_dmatest_usage
plan

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench icache: its output, letter by letter but for the time, and
# its exit codes.
# Usage: run_icache.sh PATH-OF-TRENCH SMALL-ELF-FILE    (prints TAP)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
elf=$(absolute "$2")
cd "$dir" || exit 1

# run ARG...: sets rc; stdout and stderr, times taken out of both.
run()
{
    "$trench" icache "$@" >stdout.full 2>stderr
    rc=$?
    grep -v ' million records a second$' stdout.full | sed '/"seconds"/d' >stdout
    : >want
}

# complains NAME CODE TEXT ARG...: that exit code, and that text on stderr.
complains()
{
    name=$1
    code=$2
    text=$3
    shift 3
    run "$@"
    test "$rc" -eq "$code" && grep -qF -- "$text" stderr
    verdict "$name" $?
}

# finds NAME PATTERN: a line of the last output.
finds()
{
    grep -q -- "$2" stdout
    verdict "$1" $?
}

# 64 KiB of bytes that differ, and a walk through them with one way back.
awk 'BEGIN { for (i = 0; i < 8192; i++) printf "%07x\n", i }' >image
awk 'BEGIN {
    for (i = 0; i < 65536; i += 4) printf "%x,4\n", 4194304 + i
    for (i = 0; i < 4096; i += 4) printf "%x,4\n", 4194304 + i
}' >walk

# ---- the result --------------------------------------------------------------

prints 'a walk' -i image --base 0x400000 -t walk <<'END'
image      image, 65536 bytes at 0x400000
sequencer  POOL of NeuronCore 0, cayman; fills by mailbox
trace      17408 records, 0 outside the image
cache      4 lines of 8192 bytes, prefetch none

look-ups          17408
hits              17399   99.948 %
misses                9    0.052 %
fills                 9 72.0 KiB, 0 ahead of use
stalls                9 0 polls
evictions             5
bytes                 0 records differ from the image
END

prints 'the next line ahead, by ring, on a late sequencer' -i image \
    --base 0x400000 -t walk --prefetch next --backend ring --engine SP \
    --core 7 --gen mariana <<'END'
image      image, 65536 bytes at 0x400000
sequencer  SP of NeuronCore 7, mariana; fills by ring
trace      17408 records, 0 outside the image
cache      4 lines of 8192 bytes, prefetch next

look-ups          17408
hits              17406   99.989 %
misses                2    0.011 %
fills                10 72.0 KiB, 8 ahead of use
stalls                9 0 polls
evictions             6
bytes                 0 records differ from the image
END

run -i image --base 0x400000 -t walk --latency 5
finds 'polls are counted' '^stalls  *9 45 polls$'
run -i image --base 0x400000 -t walk --lines 1
finds 'one line' '^cache  *1 lines of 8192 bytes, prefetch none; no firmware'
finds 'one line: misses' '^misses  *9 '
run -i image --base 0x400000 -t walk --block 3K --iram 9K
finds 'a block that is no power of two' '^cache  *3 lines of 3072 bytes'
finds 'its bytes' '^bytes  *0 records differ'
run -i image --base 0x400000 -t walk --words source-first --mode sunda
finds 'the other reading' '^bytes  *0 records differ'

# Eight blocks, four lines: from the second lap on it is known where each pair
# goes.
awk 'BEGIN {
    split("0 1 4 5 2 3 6 7", block)
    for (lap = 0; lap < 3; lap++)
        for (i = 1; i <= 8; i++) printf "%x,4\n", 4194304 + block[i] * 8192
}' >jumps
prints 'branch targets ahead' -i image --base 0x400000 -t jumps \
    --prefetch hint <<'END'
image      image, 65536 bytes at 0x400000
sequencer  POOL of NeuronCore 0, cayman; fills by mailbox
trace      24 records, 0 outside the image
cache      4 lines of 8192 bytes, prefetch hint

look-ups             24
hits                  7   29.167 %
misses               17   70.833 %
fills                31 248.0 KiB, 14 ahead of use
stalls               17 0 polls
evictions            27
bytes                 0 records differ from the image
END
prints 'a histogram' -i image --base 0x400000 -t walk --histogram=2 <<'END'
image      image, 65536 bytes at 0x400000
sequencer  POOL of NeuronCore 0, cayman; fills by mailbox
trace      17408 records, 0 outside the image
cache      4 lines of 8192 bytes, prefetch none

look-ups          17408
hits              17399   99.948 %
misses                9    0.052 %
fills                 9 72.0 KiB, 0 ahead of use
stalls                9 0 polls
evictions             5
bytes                 0 records differ from the image

block                     fills
0x400000                      2 ########################################
0x402000                      1 ####################
END

prints 'a sweep' -i image --base 0x400000 -t walk --sweep block=512:16K \
    --svg plot.svg <<'END'
image      image, 65536 bytes at 0x400000
sequencer  POOL of NeuronCore 0, cayman; fills by mailbox
trace      17408 records, 0 outside the image
cache      32768 bytes, prefetch none

   block  lines       misses        fills    miss % bytes filled
     512     64          136          136     0.781        69632 *
    1024     32           68           68     0.391        69632
    2048     16           34           34     0.195        69632
    4096      8           17           17     0.098        69632
    8192      4            9            9     0.052        73728
   16384      2            5            5     0.029        81920

* no firmware would accept this block size
END
cp plot.svg stdout
finds 'the plot' '^<svg .*</svg>$\|<polyline'
finds 'its points' '<circle .*fill="white"'
tail -n 1 plot.svg >stdout
finds 'its end' '^</svg>$'

prints 'JSON' -i image --base 0x400000 -t walk --json --histogram=1 <<'END'
{
  "generation": "cayman",
  "image": "image",
  "image_address": "0x400000",
  "image_bytes": 65536,
  "engine": "pool",
  "core": 0,
  "backend": "mailbox",
  "prefetch": "none",
  "trace": "walk",
  "records": 17408,
  "out_of_bounds": 0,
  "lines_not_understood": 0,
  "runs": [
    {
      "block_bytes": 8192,
      "lines": 4,
      "lookups": 17408,
      "hits": 17399,
      "misses": 9,
      "fills": 9,
      "prefetches": 0,
      "evictions": 5,
      "stalls": 9,
      "polls": 0,
      "fill_bytes": 73728,
      "failed_fills": 0,
      "mismatches": 0,
      "miss_rate": 0.000517003676,
      "hardware_geometry": true
    }
  ],
  "histogram": [
    {
      "address": "0x400000",
      "fills": 2
    }
  ]
}
END

# ---- the firmware's own words -------------------------------------------------

head -n 1 walk >one
run -i image --base 0x400000 -t one --log --control

cp stderr stdout.log
cat >want <<'END'
S: BEGIN on cayman
S: NX in HW Decode mode
S: IRAM cache init, block_size=0x2000
S: query addr 0x40000000, tag 0x40000000, vld=0x0
S: I$ Miss
S: replace: orig victim=0x3
S: wait_for_dma_fill: idx=0x0
S: replace: idx(updated victim_idx)=0x0, addr=0x40000000
S: start_fill_siram: fetch_addr=0x0
S: wait_for_dma_fill: idx=0x0
S: wait_for_cache_line: pc=0x40000000, mask=0x7fff, blk_sz=8192, idx=0x0, nxt_idx=0x1
END
cmp -s want stdout.log
verdict 'the log' $?
finds 'the control structure' '^  +36 victim           0$'
finds 'its lines' '^  line 0    valid     0x40000000$'
run -i image --base 0x400000 -t one --log --gen sunda --backend ring
test "$rc" -eq 0 -a ! -s stderr
verdict 'sunda logs nothing' $?

# ---- images ------------------------------------------------------------------

printf '1010,4\n103f,1\n1040,1\n' >elf.trace
prints 'an ELF file, and an address behind its code' -i "$elf" -t elf.trace \
    --block 1K <<END
image      $elf, 64 bytes at 0x1000
sequencer  POOL of NeuronCore 0, cayman; fills by mailbox
trace      3 records, 1 outside the image
cache      32 lines of 1024 bytes, prefetch none

look-ups              2
hits                  1   50.000 %
misses                1   50.000 %
fills                 1 1.0 KiB, 0 ahead of use
stalls                1 0 polls
evictions             0
bytes                 0 records differ from the image
END
run -i "$elf" --section .text -t elf.trace
finds 'by section' '^image .* 64 bytes at 0x1000$'
complains 'no such section' 1 "it has no section '.init'" -i "$elf" \
    --section .init -t walk
complains 'a raw file has no section' 1 'has no sections' -i image \
    --section .text -t walk
complains 'no image' 1 'none: No such file' -i none -t walk
: >empty
complains 'an empty image' 1 'empty: it is empty' -i empty -t walk
complains 'a folder' 1 'it is not a regular file' -i . -t walk
truncate -s 4294967297 huge
complains 'an image past 2^32' 1 'are more than 2^32' -i huge -t walk
printf 'x' >byte
printf '0\n1\nffffffffffffffff\n' >byte.trace
run -i byte -t byte.trace --block 16K
finds 'an image of one byte' '^trace  *3 records, 2 outside the image$'
head -c 100 "$elf" >cut.elf
complains 'an ELF file that is cut' 1 'cut.elf: ' -i cut.elf -t walk
printf '\177ELF' >header.elf
complains 'an ELF header that is cut' 1 'its ELF header is damaged' \
    -i header.elf -t walk

# ---- traces ------------------------------------------------------------------

gzip -c walk >walk.gz
run -i image --base 0x400000 -t walk.gz
finds 'a compressed trace' '^misses  *9 '
"$trench" icache -i image --base 0x400000 -t - <walk.gz >stdout 2>stderr
finds 'standard input' '^misses  *9 '
head -c 1000 walk.gz >cut.gz
complains 'a compressed trace that is cut' 1 'the compressed data ends early' \
    -i image --base 0x400000 -t cut.gz
finds 'what came before is shown' '^trace  *[1-9][0-9]* records'
complains 'an empty trace' 1 'it holds no executed address' -i image -t empty
head -c 65536 /dev/urandom | tr -d '\n' >garbage
complains 'garbage' 1 'it holds no executed address' -i image -t garbage
printf 'I  400000,4\nI  4000\nI  400004,4\nwhat\n' >mixed
run -i image --base 0x400000 -t mixed
test "$rc" -eq 0 && grep -q '2 of 4 lines not understood, the first is line 2' stderr
verdict 'records that are cut' $?
complains 'nothing inside' 1 'no address of the trace (0x400000 to 0x40fffc) is in the image (0x0 to 0xffff)' \
    -i image -t walk
printf 'ffffffffffffffff\nfffffffffffffffe,4\n400000\n' >far
run -i image --base 0x400000 -t far
finds 'the last address' '^trace  *3 records, 2 outside the image$'

# ---- options -----------------------------------------------------------------

complains 'no options' 2 'both --image and --trace are needed'
complains 'block 0' 2 "--block: '0' is not a size from 64" -i image -t walk --block 0
complains 'a block larger than the RAM' 2 \
    'a block of 65536 bytes is larger than the 32768 of the instruction RAM' \
    -i image -t walk --block 64K
complains 'a block that does not divide' 2 'a block is a multiple of 64' \
    -i image -t walk --block 3K
complains 'too many lines' 2 'do not fit 128 KiB' -i image -t walk --lines 17
complains 'a block larger than a descriptor' 2 'moves at most 65536 bytes' \
    -i image -t walk --block 128K --iram 128K --backend ring
complains 'hints for too many lines' 2 'hints are for at most 32 lines' \
    -i image -t walk --block 512 --prefetch hint
complains 'no lines' 2 "'0' is not a number from 1" -i image -t walk --lines 0
complains 'a bad sweep' 2 'is not block=MIN:MAX' -i image -t walk --sweep 4K
complains 'a sweep backwards' 2 'is not a size from' -i image -t walk \
    --sweep block=4K:1K
complains 'a plot of one point' 2 '--svg needs --sweep' -i image -t walk \
    --svg x.svg
complains 'Q7' 2 'Q7 images hold no instruction cache' -i image -t walk \
    --engine q7_pool
complains 'no such engine' 2 "'cpu' is not a sequencer" -i image -t walk \
    --engine cpu
complains 'sunda by mailbox' 1 'no fill mailbox is known; use --backend ring' \
    -i image -t walk --gen sunda --backend mailbox
run -i image --base 0x400000 -t walk --gen sunda
finds 'sunda takes the ring by itself' 'sunda; fills by ring$'
complains 'sunda has two cores' 1 'sunda has NeuronCores 0 to 1' -i image \
    -t walk --gen sunda --core 2
complains 'an unknown word' 2 "--backend: 'fast' is none of mailbox, ring" \
    -i image -t walk --backend fast
complains 'too many arguments' 2 'too many arguments' -i image -t walk more
complains 'a plot that cannot be written' 1 'nowhere/x.svg' -i image \
    --base 0x400000 -t walk --sweep block=1K:2K --svg nowhere/x.svg
plan

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench step: its output, letter by letter, and its exit codes.
# Usage: run_step.sh PATH-OF-TRENCH    (prints TAP)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
cd "$dir" || exit 1

# run ARG...: sets rc, stdout, stderr.
run()
{
    "$trench" step "$@" >stdout 2>stderr
    rc=$?
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

# finds NAME TEXT: in a line of the last output.
finds()
{
    grep -qF -- "$2" stdout
    verdict "$1" $?
}

awk 'BEGIN { for (i = 0; i < 30001; i++) printf "%x\n", i * 7919 }' >data

# ---- the result --------------------------------------------------------------

prints 'a step' --seed 42 <<'END'
1048576 bytes (1.0 MiB) moved and verified, HBM_0 -> HBM_1 of cayman, seed 42
16 engines, 1 queue each, 1 step; up to 65536 bytes a queue and step

                                            broadcast   one by one
register writes of the firmware                    16           78
  of these doorbells                                4           34
polls of the firmware                               3            3
descriptors that reprogram                        130          128
descriptors that move data or signal               32           32
register accesses on the bus, software             19           81
register accesses on the bus, engines             146          144
END

prints 'explained' --seed 1 --explain --engines 5 --queues 11 --steps 2 \
    --bytes 100 <<'END'
alloc: bundle 0, word 0x0000ffff0000000b
  * seed    low 0x0000000b: engine apertures 0-1,3; high 0x0000ffff: queues 0-15, queue 0
    sheets  low 0x0000000b: queue 11; high 0x0000ffff: engines 0-15
    bitmap  0x00000020 of 0xffffffff valid: engines 5; queues 11
    group   pcore 0, lanes 0x0020, region 0 at 0x1002080000, re-arm word 0xffdf0100
reprogram: 10 descriptors, TopLevel rings 0x1200a00 and 0x1200c00, by engine 131 queue 11
  reset   s2m_apb_bcast 0x0010020ac064 = 0xffdf0100  APB_SE_0_SDMA_0_BCAST.udma_s2m.S2M_Q[11].q_sw_ctrl
  reset   m2s_apb_bcast 0x00100208c0b0 = 0xffdf0100  APB_SE_0_SDMA_0_BCAST.udma_m2s.M2S_Q[11].q_sw_ctrl
  SDMA    m2s_low       0x00100250c028 = 0x01200000  APB_SE_0_SDMA_5.udma_m2s.M2S_Q[11].TDRBP_low
  SDMA    m2s_high      0x00100250c02c = 0x00000000  APB_SE_0_SDMA_5.udma_m2s.M2S_Q[11].TDRBP_high
  SDMA    m2s_size      0x00100250c030 = 0x00000020  APB_SE_0_SDMA_5.udma_m2s.M2S_Q[11].TDRL
  SDMA    s2m_low       0x00100252c028 = 0x01200200  APB_SE_0_SDMA_5.udma_s2m.S2M_Q[11].RDRBP_low
  SDMA    s2m_high      0x00100252c02c = 0x00000000  APB_SE_0_SDMA_5.udma_s2m.S2M_Q[11].RDRBP_high
  SDMA    s2m_size      0x00100252c030 = 0x00000020  APB_SE_0_SDMA_5.udma_s2m.S2M_Q[11].RDRL
  re-arm  m2s_rearm     0x00100250c0b0 = 0x00000012  APB_SE_0_SDMA_5.udma_m2s.M2S_Q[11].q_sw_ctrl
  re-arm  s2m_rearm     0x00100252c064 = 0x00000002  APB_SE_0_SDMA_5.udma_s2m.S2M_Q[11].q_sw_ctrl
broadcast: 4 writes, the resets from the TopLevel ring
  0x0010020ac064 = 0xffdf0100  APB_SE_0_SDMA_0_BCAST.udma_s2m.S2M_Q[11].q_sw_ctrl
    mask 0xffdf, payload 0x0100 -> engines 5 (1)
  0x00100208c0b0 = 0xffdf0100  APB_SE_0_SDMA_0_BCAST.udma_m2s.M2S_Q[11].q_sw_ctrl
    mask 0xffdf, payload 0x0100 -> engines 5 (1)
  0x0010020ac038 = 0xffdf0002  APB_SE_0_SDMA_0_BCAST.udma_s2m.S2M_Q[11].RDRTP_inc
    mask 0xffdf, payload 0x0002 -> engines 5 (1)
  0x00100208c038 = 0xffdf0002  APB_SE_0_SDMA_0_BCAST.udma_m2s.M2S_Q[11].TDRTP_inc
    mask 0xffdf, payload 0x0002 -> engines 5 (1)
step 2: the same with the next rings: engine 5 has 0x1200500 and 0x1200700, 2 descriptors

100 bytes (100 B) moved and verified, HBM_0 -> HBM_1 of cayman, seed 1
1 engine, 1 queue each, 2 steps; up to 64 bytes a queue and step

                                            broadcast   one by one
register writes of the firmware                    29           33
  of these doorbells                                8            8
polls of the firmware                               5            5
descriptors that reprogram                         20           16
descriptors that move data or signal                4            4
register accesses on the bus, software             34           38
register accesses on the bus, engines              22           18
END

prints 'a dry run' --dry-run --engines 4 --queues 2 --gen mariana <<'END'
block phase                  address          word  register
    0 trigger   await 0x0082802615a0 >= 0x00000001  TOP_SP_0_LOCAL_REG.general[45].lr
    0 trigger   write 0x0082802615a0  = 0x00000000  TOP_SP_0_LOCAL_REG.general[45].lr
    0 reset     write 0x808006923064  = 0x00000100  APB_IO_1_USER_IO_H2D.udma_s2m.S2M_Q[2].q_sw_ctrl
    0 reset     write 0x8080069030b0  = 0x00000100  APB_IO_1_USER_IO_H2D.udma_m2s.M2S_Q[2].q_sw_ctrl
    0 reprogram write 0x808006903028  = 0x01200700  APB_IO_1_USER_IO_H2D.udma_m2s.M2S_Q[2].TDRBP_low
    0 reprogram write 0x80800690302c  = 0x00000000  APB_IO_1_USER_IO_H2D.udma_m2s.M2S_Q[2].TDRBP_high
    0 reprogram write 0x808006903030  = 0x00000020  APB_IO_1_USER_IO_H2D.udma_m2s.M2S_Q[2].TDRL
    0 reprogram write 0x808006923028  = 0x01200900  APB_IO_1_USER_IO_H2D.udma_s2m.S2M_Q[2].RDRBP_low
    0 reprogram write 0x80800692302c  = 0x00000000  APB_IO_1_USER_IO_H2D.udma_s2m.S2M_Q[2].RDRBP_high
    0 reprogram write 0x808006923030  = 0x00000020  APB_IO_1_USER_IO_H2D.udma_s2m.S2M_Q[2].RDRL
    0 reprogram write 0x808006923038  = 0x0000000a  APB_IO_1_USER_IO_H2D.udma_s2m.S2M_Q[2].RDRTP_inc
    0 reprogram write 0x808006903038  = 0x0000000a  APB_IO_1_USER_IO_H2D.udma_m2s.M2S_Q[2].TDRTP_inc
    0 reprogram await 0x80800692304c >= 0x0000000a  APB_IO_1_USER_IO_H2D.udma_s2m.S2M_Q[2].RCRHP
    0 reset     write 0x008280001440  = 0x00000000  TOP_SP_0_EVT_SEM_SET[16]
    0 broadcast write 0x0010020a3038  = 0xffef0011  APB_SE_0_SDMA_0_BCAST.udma_s2m.S2M_Q[2].RDRTP_inc
    0 broadcast write 0x001002083038  = 0xffef0011  APB_SE_0_SDMA_0_BCAST.udma_m2s.M2S_Q[2].TDRTP_inc
    0 wait      await 0x008280001040 >= 0x00000001  TOP_SP_0_EVT_SEM_READ[16]
    0 wait      write 0x008280001c40  = 0x00000001  TOP_SP_0_EVT_SEM_DEC[16]
    0 complete  write 0x008280001804  = 0x00000001  TOP_SP_0_EVT_SEM_INC[1]
END

# A file, any number of engines, queues, steps and bundles; and back.
moves()
{
    name=$1
    shift
    rm -f out
    run --in data --out out "$@"
    test "$rc" -eq 0 -a ! -s stderr && cmp -s data out
    verdict "$name" $?
}
moves 'a file'
moves 'a file, 32 engines' --engines all
moves 'a file, one engine' --engines 15
moves 'a file, four queues of 20 engines' --engines 3-22 --queues 12-15
moves 'a file, many steps' --steps 255 --engines 0-1
moves 'a file, an upper bundle' --bundle 5
moves 'a file, its queue' --bundle 5 --reading sheets --explain
finds 'queue of the sheets' 'APB_SE_0_SDMA_16.udma_m2s.M2S_Q[12].TDRBP_low'
finds 'group of the upper half' 'group   pcore 1, lanes 0xffff, region 1 at 0x1003080000'
moves 'a file, the last NeuronCore' --core 7
moves 'a file, one by one' --no-broadcast
moves 'a file, on sunda' --no-broadcast --gen sunda --engines all
moves 'a file, on mariana_plus' --gen mariana_plus --manager 40
: >data.empty
run --in data.empty --out out.empty
test "$rc" -eq 0 -a -f out.empty -a ! -s out.empty
verdict 'an empty file' $?
"$trench" step --in - --out - <data >stdout 2>stderr && cmp -s data stdout
verdict 'from standard input to standard output' $?
grep -q 'bytes (.*) moved and verified' stderr
verdict 'the summary goes elsewhere then' $?

# ---- JSON --------------------------------------------------------------------

run --json --engines 0-1 --explain --seed 7 --bytes 64
test "$rc" -eq 0
verdict 'JSON' $?
finds 'JSON: costs' '"doorbells": 4'
finds 'JSON: a register' '"register": "APB_SE_0_SDMA_1.udma_s2m.S2M_Q[0].RDRL"'
finds 'JSON: a word' '"word": "0xfffc0002"'
finds 'JSON: the seed' '"seed": "0x7"'
run --json --dry-run
finds 'JSON: an operation' '"phase": "broadcast"'
finds 'JSON: nothing was run' '"verified": false'

# ---- errors ------------------------------------------------------------------

complains 'bundle 8' 2 "'8' is not a number from 0 to 7" --bundle 8
complains 'pcore 2' 2 "'2' is not a number from 0 to 1" --pcore 2
complains 'the other pcore' 1 'the broadcast of pcore 1 does not reach the engines 0x0000ffff of 0x0000ffff' --pcore 1
complains 'engine 32' 2 'is not a set within 0-31' --engines 32
complains 'no engine' 2 'is not a set within 0-31' --engines ''
complains 'past the chip' 1 'engine 128: cayman has engines 0-127' --core 7 --engines all
complains 'queue 16' 2 'is not a set within 0-15' --queues 16
complains 'sunda' 1 'sunda has no known broadcast window for engines 0-15: start the engines one by one (--no-broadcast)' --gen sunda
complains 'the pool of the sheets' 1 'an engine that the virtual core or the allocation word does not have' --gen sunda --no-broadcast --reading sheets
complains 'the manager works' 1 "engine 3 queue 0 is the manager's" --manager 3
complains 'no such manager' 1 'cayman has engines 0-131' --manager 132
complains 'no steps' 2 'is not a number from 1 to 255' --steps 0
complains 'too many bytes' 2 'is not a size from 1 to 1073741824' --bytes 2G
complains 'no such file' 1 'nowhere: No such file or directory' --in nowhere
complains 'a folder' 1 'Is a directory' --in .
complains 'a file and bytes' 2 '--in takes neither --bytes nor --seed' --in data --bytes 5
complains 'a dry run to a file' 2 '--dry-run moves nothing' --dry-run --out x
complains 'a dry run that fails' 2 '--dry-run runs nothing' --dry-run --inject s2m-data-write:slverr
complains 'no such reading' 2 "'x' is none of seed, sheets" --reading x
complains 'an argument' 2 'too many arguments' data

# An engine fails: it is named, and no file appears.
complains 'an engine in abort' 1 \
    'wait of block 0: engine 5 queue 0 is in abort at descriptor 0 of its S2M ring and was started up to 2 (RCRHP at 0x100252104c): the device answered with an error' \
    --inject s2m-data-write:slverr,engine=5,times=1 --in data --out failed
test ! -e failed && test -z "$(find . -name '.trench-*')"
verdict 'no file appears' $?
run --explain --out - --inject s2m-data-write:slverr,engine=5,times=1
test "$rc" -eq 1 -a ! -s stdout && grep -q '^broadcast: 4 writes' stderr
verdict 'nor anything else on standard output' $?
complains 'the manager in abort' 1 \
    'reprogram of block 0: engine 131 queue 0 is in abort at descriptor 30' \
    --inject s2m-data-write:slverr,engine=131,after=30
complains 'in a later step' 1 'wait of block 1: engine 1 queue 0 is in abort' \
    --steps 4 --engines 0-1 --bytes 64 \
    --inject m2s-desc-read:decerr,engine=1,after=2
complains 'a fault of no kind' 2 'is not PLACE:WHAT' --inject x
plan

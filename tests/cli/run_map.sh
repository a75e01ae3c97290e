#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of trench map: its output, letter by letter, and its exit codes.
# Usage: run_map.sh PATH-OF-TRENCH    (prints TAP)
set -u

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"
cd "$dir" || exit 1

run()
{
    "$trench" map "$@" >stdout 2>stderr
    rc=$?
}

# complains NAME CODE LINE ARG...: that exit code and that line, no more.
complains()
{
    name=$1
    code=$2
    printf 'trench map: %s\n' "$3" >want
    shift 3
    "$trench" map "$@" >/dev/null 2>stdout
    rc=$?
    : >stderr
    test "$rc" -eq "$code" && cmp -s want stdout
    verdict "$name" $?
}

# exits NAME CODE ARG...
exits()
{
    name=$1
    code=$2
    shift 2
    : >want
    "$trench" map "$@" >stdout 2>stderr
    rc=$?
    test "$rc" -eq "$code"
    verdict "$name" $?
}

# finds NAME PATTERN: a line of the last output.
finds()
{
    grep -q -e "$2" stdout
    verdict "$1" $?
}

test_addresses()
{
    prints 'the example of the issue' 0x1002506038 <<'END'
0x1002506038: APB_SE_0_SDMA_5.udma_m2s.M2S_Q[5].TDRTP_inc
  engine 5 of NeuronCore 0, M2S queue 5, TDRTP_inc, plain route
  window     APB_SE_0 (APB), 0x1000000000 + 0x2506038
  cluster    APB_SE_0, channel 5, lane 5 of its NeuronCore, 0x1002500000 + 0x6038
  block      UDMA_M2S (udma_m2s), 0x1002500000 + 0x6038
  register   M2S_Q[5].TDRTP_inc, RW, reset 0x00000000
             Transmit doorbell; reads as 0.
  also       0x1002086038 (broadcast to engines 0-15, plain route)
             0x20008002506038 (privileged route)
             0x20008002086038 (broadcast to engines 0-15, privileged route)
  PCIe       main BAR 0 + 0x82506038
  model      modelled
END
    prints 'without 0x, in the middle of a semaphore' 2802701816 <<'END'
0x2802701816: TPB_0_EVT_SEM_INC[5]
  NeuronCore 0, semaphore 5
  window     TPB_0 (mixed), 0x2000000000 + 0x802701816
  in         TPB_0_EVT_SEM_INC[5], 0x2802701814 + 0x2
  PCIe       main BAR 0 + 0xd2701816
  model      modelled
END
    prints 'the gap behind a partition' 2000038004 <<'END'
0x2000038004: TPB_0_STATE_BUF_PARTITION[0]
  NeuronCore 0, partition 0
  window     TPB_0 (mixed), 0x2000000000 + 0x38004
  in         TPB_0_STATE_BUF_PARTITION[0], 0x2000000000 + 0x38004
  memory     TPB_0_STATE_BUF (sbuf)
  PCIe       main BAR 0 + 0xd0038004
  model      not populated
END
    prints 'a neighbour behind a link' 18008006C84038 <<'END'
0x18008006c84038: PCIE_B0_2_APB_IO_0_MISC_RAM.info.serial_lo
  of the chip behind link 2, serial_lo
  window     PCIE_B0_2 (neighbour), 0x18000000000000 + 0x8006c84038
  register   info.serial_lo, RO, reset 0x00000000
             Serial number, lower half.
  bits       LOCAL view: LOCAL 0x8006c84038, CAYMAN_ID 0x18
             NEIGHBOR view: LOCAL 0x8006c84038, EXIT_DIE 0x1, NEIGHBOR_ROUTE 0x1
  model      not modelled
END
    prints 'the check value with a chip' 0x58800000100000 <<'END'
0x58800000100000: HBM_2
  chip 24, HBM 2
  window     HBM_2 (memory), 0x800000000000 + 0x100000
  memory     HBM_2 (hbm)
  bits       LOCAL view: LOCAL 0x100000, DIE 0x1, CAYMAN_ID 0x18, CAYMAN_ID_VALID 0x1
             NEIGHBOR view: LOCAL 0x100000, DIE 0x1, EXIT_DIE 0x1, NEIGHBOR_ROUTE 0x1, ID_VALID 0x1
  model      not modelled
END
    prints 'the misc RAM of sunda' --gen sunda FFFF0FA0808 <<'END'
0xffff0fa0808: APB_MISC_RAM.firmware.status
  status
  window     APB (APB), 0xffff0000000 + 0xfa0808
  register   firmware.status, RO, reset 0x00000000
             State of the firmware.
  PCIe       main BAR 0 + 0x30fa0808
  model      not modelled
END
    prints 'an offset of BAR 0' --bar0 f2800000 <<'END'
0x808280000000: TOP_SP_10_EVT_SEM_EVENT[0]
  event 0, TOP_SP 10
  window     TOP_SP_10 (device), 0x808280000000 + 0x0
  in         TOP_SP_10_EVT_SEM_EVENT[0], 0x808280000000 + 0x0
  PCIe       main BAR 0 + 0xf2800000
  model      modelled
END
}

test_names()
{
    prints 'a name by both routes, with twins' --twins \
        'ENGINE5.m2s.m2s_q[5].tdrtp_INC' <<'END'
ENGINE5.m2s.m2s_q[5].tdrtp_INC
  0x1002506038, 4 B, plain route
  0x20008002506038, 4 B, privileged route
  0x1002086038, 4 B, broadcast to engines 0-15, plain route
  0x20008002086038, 4 B, broadcast to engines 0-15, privileged route
END
    prints 'a name by its place' 'APB_SE_0_SDMA_5.udma_m2s' HBM_1+1000 <<'END'
APB_SE_0_SDMA_5.udma_m2s
  0x1002500000, 128.0 KiB, plain route
HBM_1+1000
  0x4000001000, 64.0 GiB, plain route
END
    prints 'to PCIe' --to-bar engine131 0x20008002000000 <<'END'
0x808006900000 is main BAR 0 + 0x46900000 (APB_IO_1)
0x20008002000000 is amzn0 BAR 3 + 0x2000000 (PEB_APB_IO_0)
END
    prints 'from a BAR of another function' --to-bar --bar amzn1.3:0 <<'END'
0x20808000000000 is amzn1 BAR 3 + 0x0 (PEB_APB_IO_1)
END
}

test_tables()
{
    prints 'totals' --totals <<'END'
engines                    132
unicast, plain + privileged 132 + 132 = 264
broadcast                  16
UDMA nodes                 264 + 16 = 280
udma_m2s                   280
udma_s2m                   280
udma_gen                   280
udma_gen_ex                280
tdma_model                 264
notific_10_queue           264
END
    prints 'broadcast nodes' --broadcast <<'END'
node            plain       privileged engines  NeuronCore
   0       1002080000   20008002080000 0-15     0
   1       1003080000   20008003080000 16-31    1
   2       5004080000   20008004080000 32-47    2
   3       5005080000   20008005080000 48-63    3
   4     801002080000   20808002080000 64-79    4
   5     801003080000   20808003080000 80-95    5
   6     805004080000   20808004080000 96-111   6
   7     805005080000   20808005080000 112-127  7
END
    prints 'windows of sunda' --gen sunda --windows <<'END'
window                             base       size kind      model
HBM_0                                 0   16.0 GiB memory    modelled
HBM_1                        1000000000   16.0 GiB memory    modelled
TPB_0                       fffc0000000   64.0 MiB mixed     modelled in part
TPB_1                       fffc4000000   64.0 MiB mixed     modelled in part
TOP_SP_0                    fffd0000000    4.0 MiB device    not modelled
TOP_SP_1                    fffd0400000    4.0 MiB device    not modelled
TOP_SP_2                    fffd0800000    4.0 MiB device    not modelled
TOP_SP_3                    fffd0c00000    4.0 MiB device    not modelled
TOP_SP_4                    fffd1000000    4.0 MiB device    not modelled
TOP_SP_5                    fffd1400000    4.0 MiB device    not modelled
APB                         ffff0000000  256.0 MiB APB       modelled in part
PCIE_HOST                  100000000000   16.0 TiB host      modelled
END
    prints 'clusters of sunda' --gen sunda --clusters <<'END'
cluster                             first             last    stride  ch engines  die route       holds
APB_SENG_0                    ffff0000000      ffff03c0000     40000  16 0-15       0 plain       UDMA_M2S UDMA_S2M UDMA_GEN UDMA_GEN_EX
APB_SENG_0                    ffff0400000      ffff0469000      7000  16 0-15       0 plain       MISC_SDMA_APP MISC_NOTIFIC
APB_SENG_1                    ffff0700000      ffff0ac0000     40000  16 16-31      0 plain       UDMA_M2S UDMA_S2M UDMA_GEN UDMA_GEN_EX
APB_SENG_1                    ffff0b00000      ffff0b69000      7000  16 16-31      0 plain       MISC_SDMA_APP MISC_NOTIFIC
APB_SENG_0                    ffff0600000      ffff0600000     40000   1 32-32      0 plain       UDMA_M2S UDMA_S2M UDMA_GEN UDMA_GEN_EX
APB_SENG_0                    ffff0640000      ffff0640000      7000   1 32-32      0 plain       MISC_SDMA_APP MISC_NOTIFIC
APB_SENG_1                    ffff0d00000      ffff0d00000     40000   1 33-33      0 plain       UDMA_M2S UDMA_S2M UDMA_GEN UDMA_GEN_EX
APB_SENG_1                    ffff0d40000      ffff0d40000      7000   1 33-33      0 plain       MISC_SDMA_APP MISC_NOTIFIC
END
    prints 'a range of channels' --range 1002500000..1002700000 <<'END'
           first             last       size model           name
      1002500000       10025fffff    1.0 MiB modelled in part APB_SE_0_SDMA_5
      1002600000       10026fffff    1.0 MiB modelled in part APB_SE_0_SDMA_6
END
    prints 'a range of one channel' --range 0x1002500000+0x100000 <<'END'
           first             last       size model           name
      1002500000       100251ffff  128.0 KiB modelled        APB_SE_0_SDMA_5.udma_m2s
      1002520000       1002537fff   96.0 KiB modelled        APB_SE_0_SDMA_5.udma_s2m
      1002538000       100253bfff   16.0 KiB modelled        APB_SE_0_SDMA_5.udma_gen
      100253c000       100253ffff   16.0 KiB modelled        APB_SE_0_SDMA_5.udma_gen_ex
      1002540000       1002540fff    4.0 KiB modelled        APB_SE_0_SDMA_5.tdma_model
      1002541000       1002541fff    4.0 KiB modelled        APB_SE_0_SDMA_5.notific_10_queue
      1002542000       1002543fff    8.0 KiB not modelled    APB_SE_0_SDMA_5_MISC_SDMA_UG_RESERVED1
      1002544000       10025fffff  752.0 KiB -               -
END
}

test_json()
{
    prints 'totals and a place as JSON' --json --totals HBM_1 <<'END'
{
  "generation": "cayman",
  "totals": {
    "engines": 132,
    "plain": 132,
    "privileged": 132,
    "unicast": 264,
    "broadcast": 16,
    "udma_nodes": 280,
    "blocks": {
      "udma_m2s": 280,
      "udma_s2m": 280,
      "udma_gen": 280,
      "udma_gen_ex": 280,
      "tdma_model": 264,
      "notific_10_queue": 264
    }
  },
  "results": [
    {
      "name": "HBM_1",
      "places": [
        {
          "address": "0x4000000000",
          "bytes": "0x1000000000",
          "route": "plain",
          "broadcast": false
        }
      ]
    }
  ]
}
END
    exits 'errors are in the JSON, too' 1 --json 1002506038 zzz
    finds 'the good one' '"name": "APB_SE_0_SDMA_5.udma_m2s.M2S_Q\[5\].TDRTP_inc"'
    finds 'the bad one' '"error": "zzz: cayman has nothing called'
    exits 'every table as JSON' 0 --json --clusters --windows --broadcast \
        --range 0..1000000000000
    finds 'the range' '"first": "0x0"'
}

test_errors()
{
    complains 'a hole, with its neighbours' 1 \
        '0x1002044000: nothing known in APB_SE_0_SDMA_0 from 0x1002044000 to 0x100207ffff; before it APB_SE_0_SDMA_0_MISC_SDMA_UG_RESERVED1; after it APB_SE_0_SDMA_0_BCAST' \
        0x1002044000
    complains 'the end of the map' 1 \
        '0xffffffffffffffff: chip 63: nothing known from 0x20c10000000000 to 0xffffffffffffffff; before it PCIE_M0_1' \
        ffffffffffffffff
    complains 'a hole on another chip' 1 \
        '0x16a923456789abc: chip 42: nothing known from 0x809000000008 to 0xbfffffffffff; before it EVT_ACCEL_SET_1; after it PCIE_A0_1' \
        016A923456789ABC
    complains 'more than 64 bits' 2 "'11112222333344445' has more than 64 bits" \
        11112222333344445
    complains 'a negative number' 2 "'-5' is negative" -- -5
    complains 'not a number' 2 "'0x12z' is not a hexadecimal number" 0x12z
    complains 'an empty argument' 2 "'' is not a hexadecimal number" ''
    complains 'an unknown name' 1 \
        "APB_SE_0_SDM_5: cayman has nothing called 'APB_SE_0_SDM_5'; did you mean 'APB_SE_0_SDMA_5'?" \
        APB_SE_0_SDM_5
    complains 'an unknown block' 1 \
        "engine5.m3s: an engine has no block 'm3s'; did you mean 'm2s'?" \
        engine5.m3s
    complains 'an engine too many' 1 'engine34: sunda has engines 0-33' \
        --gen sunda engine34
    complains 'a gap of a BAR' 1 'BAR 0 + 0x20000000: nothing is shown there' \
        --bar0 20000000
    complains 'no such BAR' 1 "cayman has no BAR '7'" --bar 7:0
    complains 'no BAR at all' 2 "--bar: 'x' is not BAR:OFFSET" --bar x
    complains 'no PCIe view' 1 '0x2004000000: no PCIe BAR shows this' --to-bar \
        TPB_0_SCRATCH_RAM
    complains 'an empty range' 2 "--range: '5..5' is empty" --range 5..5
    complains 'a range past the end' 2 \
        "--range: 'ffffffffffffffff+2' goes past 2^64" \
        --range ffffffffffffffff+2
    complains 'no range' 2 "--range: '5' is not A..B or A+SIZE" --range 5
    exits 'the last byte is a range' 0 --range ffffffffffffffff+1
    exits 'nothing asked for' 2
    exits 'an unknown generation' 2 --gen maverick 0
    exits 'one bad of two' 1 0x0 700000000000000
    finds 'the good one is printed' '^0x0: HBM_0$'
    exits 'help' 0 --help
    finds 'help has examples' 'trench map --bar0 82506038'
}

test_addresses
test_names
test_tables
test_json
test_errors
plan

/* SPDX-License-Identifier: BSD-3-Clause */
#include <trench/cause.h>

#include <stddef.h>
#include <string.h>

#define BITS 32u

static const char *const names[TRENCH_NR_CAUSE_GROUPS][BITS] = {
    [TRENCH_CAUSE_M2S] = {
        "comp_pkt_mismatch",
        "stream_axi_parity",
        "stream_axi_response",
        "stream_axi_tout",
        "comp_axi_parity",
        "comp_axi_response",
        "comp_axi_tout",
        "data_axi_parity",
        "data_axi_response",
        "data_axi_tout",
        "pref_axi_parity",
        "pref_axi_response",
        "pref_axi_tout",
        "pref_pkt_len_overflow",
        "pref_max_desc_cnt",
        "pref_first",
        "pref_last",
        "pref_ring_id",
        "data_buff_parity",
        "ack_pkt_parity",
        "unack_pkt_parity",
        "comp_coal_parity",
        "hdr_parity",
        "data_parity",
        "pref_desc_parity",
        "pref_hdr_parity",
        "msix_tout",
        "msix_response",
    },
    [TRENCH_CAUSE_S2M] = {
        "data_axi_parity",
        "data_axi_response",
        "data_axi_tout",
        "hdr_buf2_short",
        "hdr_no_buf2",
        "promotion_hint",
        "no_desc_tout",
        "no_desc_hint",
        "pref_axi_parity",
        "pref_axi_response",
        "pref_axi_tout",
        "pref_ring_id",
        "pkt_len_saturated",
        "comp_axi_parity",
        "comp_axi_response",
        "comp_axi_tout",
        "comp_ack_tout",
        "comp_unack_tout",
        "stream_hdr_parity",
        "stream_hdr_error",
        "stream_data_parity",
        "stream_data_error",
        "stream_first",
        "stream_last",
        "stream_pkt_len",
        "data_hdr_parity",
        "data_parity",
        "unack_parity",
        "pre_unack_parity",
        "comp_coal_parity",
        "pref_desc_parity",
        "table_info_parity",
    },
    [TRENCH_CAUSE_FIFO] = {
        "m2s_data_cmd",
        "m2s_data_req",
        "m2s_pref_cmd",
        "m2s_pref_req",
        "m2s_comp_cmd",
        "m2s_comp_req",
        "s2m_data_wr",
        "s2m_data_req",
        "s2m_comp_wr",
        "s2m_comp_req",
        "s2m_pref_cmd",
        "s2m_pref_req",
    },
};

const char *trench_cause_name(enum trench_cause_group group, unsigned bit)
{
    return group < TRENCH_NR_CAUSE_GROUPS && bit < BITS ? names[group][bit]
                                                        : NULL;
}

int trench_cause_find(enum trench_cause_group group, const char *name)
{
    for (unsigned bit = 0; group < TRENCH_NR_CAUSE_GROUPS && bit < BITS;
         bit++) {
        if (names[group][bit] && strcmp(names[group][bit], name) == 0) {
            return (int)bit;
        }
    }
    return TRENCH_ERR_NOENT;
}

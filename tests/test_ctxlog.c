/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The firmware's context as JSON: seed 000 1.5, 2.4, 3.4; ncfw-steps 5. Every
 * offset below is copied from there, in both geometries.
 */
#include "ctxlog_rig.h"

/* Decode, and take what was printed apart with jansson. */
static json_t *decode(const struct trench_ctxlog_conf *conf, const void *ctx)
{
    json_error_t err;
    json_t *root;
    int len = trench_ctxlog_decode(conf, ctx, text, sizeof(text));

    assert_true(len > 0);
    CHECK_EQ(len, strlen(text), "length");
    root = json_loads(text, JSON_REJECT_DUPLICATES, &err);
    if (!root) {
        fail_msg("line %d: %s", err.line, err.text);
    }
    return root;
}

/* Follow "a.b[3].c" below ncfw_ctx_top_sp; borrowed. */
static json_t *at_path(json_t *root, const char *path)
{
    json_t *j = json_object_get(root, "ncfw_ctx_top_sp");

    while (*path) {
        size_t n = strcspn(path, ".[");
        char key[64];

        if (*path == '[') {
            j = json_array_get(j, strtoul(path + 1, NULL, 10));
            path = strchr(path, ']') + 1;
        } else {
            snprintf(key, sizeof(key), "%.*s", (int)n, path);
            j = json_object_get(j, key);
            path += n;
        }
        path += *path == '.';
        if (!j) {
            return NULL;
        }
    }
    return j;
}

/* The number that a value stands for, with its wrappers counted. */
static uint64_t number(const json_t *j, int *wraps)
{
    *wraps = 0;
    while (json_is_object(j)) {
        json_t *in = json_object_get(j, *wraps == 0 ? "addr" : "soc_addr");

        if (!in) {
            in = json_object_get(j, "soc_addr");
        }
        assert_int_equal(json_object_size(j), 1);
        j = in;
        ++*wraps;
    }
    if (json_is_string(j)) {
        CHECK_EQ(strlen(json_string_value(j)), 18, "16 digits");
        return strtoull(json_string_value(j), NULL, 16);
    }
    assert_true(json_is_integer(j));
    return (uint64_t)json_integer_value(j);
}

/* ---- 5.3 to 5.8: where everything is ------------------------------------- */

#define N (-1) /* a number */
#define W 0    /* a bare word */
#define A 1    /* { soc_addr } */
#define S 2    /* { addr { soc_addr } } */

static const struct row {
    const char *path;
    uint32_t sunda;
    uint32_t v3;
    uint8_t bytes;
    int8_t form;
} rows[] = {
/* 5.3, rows 0, 1 and 31; fold_n needs its array, see below */
#define C "configs.algo.ring.channels"
    { C "[0].next_neigh.fold_n", 0x18, 0x18, 1, N },
    { C "[1].next_neigh.fold_n", 0xAC, 0xAC, 1, N },
    { C "[31].next_neigh.fold_n", 0x1204, 0x1204, 1, N },
    { C "[0].next_neigh.type", 0x19, 0x19, 1, N },
    { C "[31].next_neigh.type", 0x1205, 0x1205, 1, N },
    { C "[0].prev_neigh.fold_n", 0x34, 0x34, 1, N },
    { C "[1].prev_neigh.type", 0xC9, 0xC9, 1, N },
    { C "[0].recv_sema", 0x38, 0x38, 8, S },
    { C "[1].recv_sema", 0xCC, 0xCC, 8, S },
    { C "[31].recv_sema", 0x1224, 0x1224, 8, S },
    { C "[0].send_sema", 0x40, 0x40, 8, S },
    { C "[1].post_sema", 0xDC, 0xDC, 8, S },
    { C "[31].dma_compl_sema", 0x123C, 0x123C, 8, S },
    { C "[1].kring_peer_semas.mine", 0xEC, 0xEC, 8, S },
    { C "[1].kring_peer_semas.peers[0].addr", 0xF4, 0xF4, 8, A },
    { C "[1].kring_peer_semas.peers[2].addr", 0x104, 0x104, 8, A },
    /* seed 000 2.4; 5.3 */
    { C "[0].dma_apb_bcast.m2s_tail_ptr", 0x78, 0x78, 8, A },
    { C "[1].dma_apb_bcast.m2s_tail_ptr", 0x10C, 0x10C, 8, A },
    { C "[31].dma_apb_bcast.m2s_tail_ptr", 0x1264, 0x1264, 8, A },
    { C "[31].dma_apb_bcast.s2m_tail_ptr", 0x126C, 0x126C, 8, A },
    { C "[31].dma_apb_bcast.mask", 0x1274, 0x1274, 4, N },
    { C "[1].spad_slot_idx", 0x121, 0x121, 1, N },
    { C "[1].fold_n", 0x122, 0x122, 1, N },
    { C "[31].kangaring_is_primary", 0x127B, 0x127B, 1, N },
    { C "[31].kangaring_num_peers", 0x127C, 0x127C, 1, N },
#undef C
/* 5.4: 0x1280 + 80 e */
#define M "configs.algo.mesh.events"
    { M "[0].dma_apb_bcast_0.m2s_tail_ptr", 0x1280, 0x1280, 8, A },
    { M "[0].dma_apb_bcast_0.s2m_tail_ptr", 0x1288, 0x1288, 8, A },
    { M "[0].dma_apb_bcast_0.mask", 0x1290, 0x1290, 4, N },
    { M "[0].dma_apb_bcast_1.m2s_tail_ptr", 0x1294, 0x1294, 8, A },
    { M "[0].dma_apb_bcast_1.mask", 0x12A4, 0x12A4, 4, N },
    { M "[0].direct_trigger_sema_0", 0x12A8, 0x12A8, 8, S },
    { M "[0].direct_trigger_sema_1", 0x12B0, 0x12B0, 8, S },
    { M "[0].direct_trigger_sema_2", 0x12B8, 0x12B8, 8, S },
    { M "[0].event_wait_sema", 0x12C0, 0x12C0, 8, S },
    { M "[0].wait_val", 0x12C8, 0x12C8, 4, N },
    { M "[0].event_type", 0x12CC, 0x12CC, 1, N },
    { M "[0].dma_trigger", 0x12CD, 0x12CD, 1, N },
    { M "[0].direct_trigger", 0x12CE, 0x12CE, 1, N },
    { M "[0].wait_event", 0x12CF, 0x12CF, 1, N },
    { M "[49].dma_apb_bcast_0.m2s_tail_ptr", 0x21D0, 0x21D0, 8, A },
    { M "[107].dma_apb_bcast_0.m2s_tail_ptr", 0, 0x33F0, 8, A },
#undef M
    { "configs.algo.hierarchical.__stub", 0x2220, 0x3440, 8, W },
/* 5.5; seed 000 3.4: words, stride 8 */
#define F "configs.neff."
    { F "dma_alloc_bitmap[0]", 0x2228, 0x3448, 8, W },
    { F "dma_alloc_bitmap[7]", 0x2260, 0x3480, 8, W },
    { F "slot_spad_base_0", 0x2A88, 0x3CA8, 8, A },
    { F "slot_spad_base_5", 0x2AB0, 0x3CD0, 8, A },
    { F "ctrl_spad_base", 0x2AB8, 0x3CD8, 8, A },
#define B F "barrier_configs."
    { B "host_barrier.barrier_start", 0x2AC0, 0x3CE0, 8, A },
    { B "host_barrier.barrier_done", 0x2AC8, 0x3CE8, 8, S },
#define D B "device_barrier."
    { D "barrier_step_config[0].m2s_val", 0x2AC0, 0x3CE0, 2, N },
    { D "barrier_step_config[0].s2m_val", 0x2AC2, 0x3CE2, 2, N },
    { D "barrier_step_config[0].barrier_sema[0]", 0x2AC4, 0x3CE4, 8, S },
    { D "barrier_step_config[3].barrier_sema[3]", 0x2B78, 0x3D98, 8, S },
    { D "barrier_step_config[0].target_sema_val[0]", 0x2AE4, 0x3D04, 4, N },
    { D "barrier_step_config[3].target_sema_val[3]", 0x2B8C, 0x3DAC, 4, N },
    { D "dma_sync_sema[0]", 0x2B90, 0x3DB0, 8, S },
    { D "dma_sync_sema[3]", 0x2BA8, 0x3DC8, 8, S },
    { D "dma_apb_bcast.m2s_tail_ptr", 0x2BB0, 0x3DD0, 8, A },
    { D "dma_apb_bcast.s2m_tail_ptr", 0x2BB8, 0x3DD8, 8, A },
    { D "dma_apb_bcast.mask", 0x2BC0, 0x3DE0, 4, N },
    { D "start_network_proxy", 0x2BC4, 0x3DE4, 8, A },
    { D "dma_sync_sema_value", 0x2BCC, 0x3DEC, 4, N },
    { D "tdrbp_low", 0x2BD0, 0x3DF0, 4, N },
    { D "tdrbp_high", 0x2BD4, 0x3DF4, 4, N },
    { D "desc_count", 0x2BD8, 0x3DF8, 4, N },
    { D "dma_engines_bitmap", 0x2BE0, 0x3E00, 2, N },
    { D "queue_id", 0x2BE2, 0x3E02, 1, N },
#undef D
#undef B
    { F "basic_block_configs.table[0].desc_count", 0x2BE8, 0x3E08, 2, N },
    { F "basic_block_configs.switch_completed", 0x2FE8, 0x4208, 8, S },
    { F "basic_block_configs.pring_base_addr", 0x2FF0, 0x4210, 8, A },
    { F "basic_block_configs.pring_total_desc_num", 0x2FF8, 0x4218, 4, N },
    { F "trigger", 0x3000, 0x4220, 8, S },
    { F "trigger_next", 0x3008, 0x4228, 8, S },
    { F "complete", 0x3010, 0x4230, 8, S },
    { F "complete_prev", 0x3018, 0x4238, 8, S },
    { F "tpb_stop_sema", 0x3020, 0x4240, 8, S },
    { F "op_num", 0x3028, 0x4248, 4, N },
    { F "tpb_compl_addr_num", 0x302E, 0x424E, 1, N },
#undef F
    /* 5.6 */
    { "configs.dev.tsync.dma_apb_rsvd_addr", 0x3030, 0x4250, 8, A },
    { "configs.dev.tsync.eng_tpb", 0x3038, 0x4258, 8, S },
    { "configs.dev.tsync.timestamp_local", 0x3040, 0x4260, 8, S },
    { "configs.dev.tsync.timestamp_tpb", 0x3048, 0x4268, 8, S },
    { "configs.dev.tsync.timestamp_tpb_val", 0x3050, 0x4270, 4, N },
    { "configs.dev.tpb_ctrl_ack", 0x3054, 0x4274, 8, N },
    /* 5.7 */
    { "neff.op.tpb_compl[0]", 0x3068, 0x4288, 8, S },
    { "neff.op.tpb_compl[1]", 0x3070, 0x4290, 8, S },
    { "neff.op.id", 0x3078, 0x4298, 4, N },
    { "neff.op.reporter", 0x307C, 0x429C, 1, N },
    { "neff.basic_block.slot_spad_addr_0", 0x3080, 0x42A0, 8, A },
    { "neff.basic_block.slot_spad_addr_1", 0x3088, 0x42A8, 8, A },
    { "neff.basic_block.slot_spad_addr_5", 0x30A8, 0x42C8, 8, A },
    { "neff.basic_block.ctrl_spad_addr", 0x30B0, 0x42D0, 8, A },
    { "neff.basic_block.curr_id", 0x30B8, 0x42D8, 4, N },
    { "neff.barrier_completed", 0x30BC, 0x42DC, 1, N },
    /* 5.8 */
    { "algo.ring.channels[0].recv_cnt", 0x30C0, 0x42E0, 2, N },
    { "algo.ring.channels[0].send_credit", 0x30C2, 0x42E2, 2, N },
    { "algo.ring.channels[0].repeat_cnt", 0x30C4, 0x42E4, 2, N },
    { "algo.ring.channels[0].m2s_val", 0x30C6, 0x42E6, 2, N },
    { "algo.ring.channels[0].s2m_val", 0x30C8, 0x42E8, 2, N },
    { "algo.ring.channels[0].slot_idx", 0x30CE, 0x42EE, 1, N },
    { "algo.ring.channels[0].run_state", 0x30CF, 0x42EF, 1, N },
    { "algo.ring.channels[31].run_state", 0x32BF, 0x44DF, 1, N },
    { "algo.hierarchical.run_state", 0x32C0, 0x44E0, 1, N },
    { "algo.mesh.event_index", 0x32C4, 0x44E4, 2, N },
};

/* One field at a time: its bytes alone show up, and only there. */
static void test_every_offset(void **state)
{
    uint8_t *ctx = calloc(1, V3_BYTES);
    uint8_t *back = calloc(1, V3_BYTES);

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        const struct trench_ctxlog_conf conf = { .gen = gen_of(gens[g]) };
        const struct trench_ctxlog_encode_conf enc = { .gen = conf.gen };
        bool v3 = g < 3;

        /* the marianas are laid out as cayman is: a few rows will do */
        for (size_t i = 0; i < ARRAY_LEN(rows); i += g % 3 == 0 ? 1 : 17) {
            uint32_t offset = v3 ? rows[i].v3 : rows[i].sunda;
            uint64_t want = UINT64_C(0x7182838485868788);
            json_t *root;
            int wraps;

            if (offset == 0) {
                continue; /* not in this generation */
            }
            memset(ctx, 0, V3_BYTES);
            for (unsigned b = 0; b < rows[i].bytes; b++) {
                ctx[offset + b] = (uint8_t)(want >> 8 * b);
            }
            want = rows[i].bytes < 8
                       ? want & ((UINT64_C(1) << 8 * rows[i].bytes) - 1)
                       : want;
            root = decode(&conf, ctx);
            CHECK_EQ(number(at_path(root, rows[i].path), &wraps), want, "%s %s",
                     gens[g], rows[i].path);
            CHECK_EQ(wraps, rows[i].form == N ? 0 : rows[i].form, "%s",
                     rows[i].path);
            json_decref(root);
            CHECK_EQ(trench_ctxlog_encode(&enc, text, strlen(text), back, NULL),
                     0, "%s", rows[i].path);
            for (unsigned c = 0; c < 32; c++) {
                CHECK_EQ(back[148 * c + 140], c, "channel id");
                back[148 * c + 140] = 0;
            }
            CHECK_MEM(back, ctx, v3 ? V3_BYTES : SUNDA_BYTES, "%s",
                      rows[i].path);
        }
    }
    free(back);
    free(ctx);
}

/* 5.2: the parts follow each other; 0. */
static void test_sizes(void **state)
{
    (void)state;
    CHECK_EQ(trench_ctxlog_size(gen_of("cayman")), 0x44E8, "cayman");
    CHECK_EQ(trench_ctxlog_size(gen_of("mariana")), 0x44E8, "mariana");
    CHECK_EQ(trench_ctxlog_size(gen_of("mariana_plus")), 0x44E8, "plus");
    CHECK_EQ(trench_ctxlog_size(gen_of("sunda")), 0x32C8, "sunda");
    CHECK_EQ(gen_of("sunda")->ncfw->arch_id, 0x05, "arch");
    CHECK_EQ(gen_of("cayman")->ncfw->arch_id, 0x0C, "arch");
    CHECK_EQ(gen_of("mariana")->ncfw->arch_id, 0x14, "arch");
    CHECK_EQ(gen_of("mariana_plus")->ncfw->arch_id, 0x1C, "arch");
    CHECK_EQ(gen_of("sunda")->ncfw->dram_bytes, 0x36C0, "image");
    CHECK_EQ(gen_of("cayman")->ncfw->dram_bytes, 0x4E00, "image");
}

/* 5.5 to 5.9: fields of less than a byte. */
static void test_bit_fields(void **state)
{
    static const struct {
        const char *path;
        uint32_t offset;
        uint8_t lsb;
        uint8_t max;
    } bits[] = {
        { "configs.neff.barrier_configs.execute_device_barrier", 0x3E04, 0, 1 },
        { "configs.neff.leader", 0x424F, 0, 1 },
        { "configs.dev.tpb_id", 0x427C, 0, 15 },
        { "configs.dev.seng_id", 0x427C, 4, 15 },
        { "configs.dev.dev_id", 0x427D, 0, 15 },
        { "neff.op.ctrl_entry.header.cc_op", 0x4280, 0, 1 },
        { "neff.op.ctrl_entry.cc_op.algo_type", 0x4281, 0, 15 },
        { "neff.op.ctrl_entry.cc_op.algo_sub_type", 0x4281, 4, 7 },
        { "neff.op.ctrl_entry.cc_op.trigger_next", 0x4281, 7, 1 },
        { "neff.op.ctrl_entry.cc_op.reporter", 0x4282, 0, 1 },
        { "neff.op.ctrl_entry.cc_op.ring_wait_complete", 0x4282, 1, 1 },
        { "neff.op.ctrl_entry.cc_op.ring_send_complete", 0x4282, 2, 1 },
    };
    const struct trench_ctxlog_conf conf = { 0 };
    uint8_t *ctx = calloc(1, V3_BYTES);
    int wraps;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
        for (unsigned on = 0; on < 2; on++) {
            json_t *root;
            uint8_t mask = (uint8_t)(bits[i].max << bits[i].lsb);

            memset(ctx, 0, V3_BYTES);
            ctx[bits[i].offset] = on ? mask : (uint8_t)~mask;
            root = decode(&conf, ctx);
            CHECK_EQ(number(at_path(root, bits[i].path), &wraps),
                     on ? bits[i].max : 0, "%s", bits[i].path);
            json_decref(root);
        }
    }
    free(ctx);
}

/* 5.9, the worked words and examples. */
static void test_control_entries(void **state)
{
    static const struct {
        uint8_t bytes[8];
        int val[10]; /* cc_op type sub next reporter wait send list shift mask
                      */
    } examples[] = {
        { { 0x01, 0x00, 0x03, 0, 0xFF, 0, 0, 0 },
          { 1, 0, 0, 0, 1, 1, 0, 255, 255, 0 } },
        { { 0x01, 0xB1, 0x14, 0, 0x03, 0, 0, 0 },
          { 1, 1, 3, 1, 0, 0, 1, 3, 3, 0 } },
        { { 0x01, 0x02, 0x01, 0, 0x04, 0, 0xF0, 0xFF },
          { 1, 2, 0, 0, 1, 0, 0, (int)0xFFF00004, 4, 0xFFF0 } },
        { { 0x01, 0x80 }, { 1, 0, 0, 1, 0, 0, 0, 0, 0, 0 } },
        { { 0x01, 0x31 }, { 1, 1, 3, 0, 0, 0, 0, 0, 0, 0 } },
        { { 0x01, 0xA1 }, { 1, 1, 2, 1, 0, 0, 0, 0, 0, 0 } },
        { { 0x01, 0xA8 }, { 1, 8, 2, 1, 0, 0, 0, 0, 0, 0 } },
    };
    static const char *const paths[10] = {
        "header.cc_op",
        "cc_op.algo_type",
        "cc_op.algo_sub_type",
        "cc_op.trigger_next",
        "cc_op.reporter",
        "cc_op.ring_wait_complete",
        "cc_op.ring_send_complete",
        "cc_op.ring.channel_list",
        "cc_op.mesh.sema_shift_offset",
        "cc_op.mesh.sema_mask",
    };
    const struct trench_ctxlog_conf conf = { 0 };
    uint8_t *ctx = calloc(1, V3_BYTES);
    int wraps;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
        json_t *root;

        memcpy(ctx + 0x4280, examples[i].bytes, 8);
        root = decode(&conf, ctx);
        for (size_t p = 0; p < 10; p++) {
            char path[80];

            snprintf(path, sizeof(path), "neff.op.ctrl_entry.%s", paths[p]);
            CHECK_EQ((uint32_t)number(at_path(root, path), &wraps),
                     (uint32_t)examples[i].val[p], "example %zu %s", i, path);
        }
        json_decref(root);
    }
    free(ctx);
}

/* ---- 5.10, 5.11: what the text looks like -------------------------------- */

/* jansson prints the same, but for empty arrays. */
static void test_text_is_what_jansson_makes_of_it(void **state)
{
    uint8_t *ctx = calloc(1, V3_BYTES);
    uint64_t rnd = SEED;

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        for (unsigned reading = 0; reading < 2; reading++) {
            const struct trench_ctxlog_conf conf = {
                .gen = gen_of(gens[g]),
                .reading = (enum trench_ncfw_reading)reading,
            };
            json_t *root;
            char *again;

            fill_random(ctx, V3_BYTES, &rnd);
            for (unsigned c = 0; c < 32; c++) {
                ctx[148 * c + 24] |= 1; /* fold_n: no empty array */
                ctx[148 * c + 52] |= 1;
            }
            ctx[0x2BE8] |= 1;
            ctx[0x3E08] |= 1;
            root = decode(&conf, ctx);
            again = json_dumps(root, JSON_INDENT(2));
            assert_non_null(again);
            CHECK_EQ(strlen(text), strlen(again) + 1, "%s", gens[g]);
            CHECK_MEM(text, again, strlen(again), "%s", gens[g]);
            free(again);
            json_decref(root);
        }
    }
    free(ctx);
}

/* Lines between the two that hold these texts; for a look at the format. */
static void check_lines(const char *first, const char *want)
{
    const char *at = strstr(text, first);

    assert_non_null(at);
    if (strncmp(at, want, strlen(want)) != 0) {
        fail_msg("got:\n%.*s", (int)strlen(want), at);
    }
}

static void test_text_of_the_original(void **state)
{
    const struct trench_ctxlog_conf conf = { .model_name = "a \"b\"" };
    uint8_t *ctx = calloc(1, V3_BYTES);

    (void)state;
    ctx[0x4274] = 77;
    trench_ctxlog_decode(&conf, ctx, text, sizeof(text));
    check_lines("{", "{\n"
                     "  \"model_name\": \"a \\\"b\\\"\",\n"
                     "  \"ncfw_ctx_top_sp\": {\n"
                     "    \"configs\": {\n"
                     "      \"algo\": {\n"
                     "        \"ring\": {\n"
                     "          \"channels\": [\n"
                     "            {\n"
                     "              \"next_neigh\": {\n"
                     "                \"fold_n\": 0,\n"
                     "                \"type\": 0,\n"
                     "                \"net_idx_addrs\": [\n"
                     "                ]\n"
                     "              },\n");
    check_lines("\"recv_sema\"",
                "\"recv_sema\": {\n"
                "                \"addr\": {\n"
                "                  \"soc_addr\": \"0x0000000000000000\"\n"
                "                }\n"
                "              },\n");
    check_lines("\"peer_id\": 2", "\"peer_id\": 2,\n"
                                  "                    \"addr\": {\n");
    check_lines("\"dma_alloc_bitmap\"", "\"dma_alloc_bitmap\": [\n"
                                        "          \"0x0000000000000000\",\n");
    check_lines("\"tpb_id\"", "\"tpb_id\": 0,\n"
                              "        \"seng_id\": 0,\n"
                              "        \"dev_id\": 0,\n"
                              "        \"tpb_ctrl_ack\": 77\n"
                              "      }\n");
    check_lines("\"event_index\"", "\"event_index\": 0\n"
                                   "      }\n"
                                   "    }\n"
                                   "  }\n"
                                   "}\n");
    free(ctx);
}

/* 5.10: pointers where numbers should be. */
static void test_compat_lines(void **state)
{
    struct trench_ctxlog_conf conf = { .compat = true };
    uint8_t *ctx = calloc(1, V3_BYTES);

    (void)state;
    ctx[0x427C] = 0x50; /* tpb_id 0, seng_id 5 */
    ctx[0x424F] = 1;
    memset(ctx + 0x4274, 0xFF, 8);
    trench_ctxlog_decode(&conf, ctx, text, sizeof(text));
    check_lines("\"execute_device_barrier\"",
                "\"execute_device_barrier\": (nil),\n");
    check_lines("\"leader\"", "\"leader\": 0x1,\n");
    check_lines("\"tpb_id\"", "\"tpb_id\": (nil),\n"
                              "        \"seng_id\": 0x5,\n"
                              "        \"dev_id\": (nil),\n"
                              "        \"tpb_ctrl_ack\": "
                              "18446744073709551615\n");
    check_lines("\"pring_base_addr\"",
                "\"pring_base_addr\": 0x4210,\n"
                "          \"pring_total_desc_num\": 0x4218\n");
    conf.compat_base = 0x7F0000001000;
    trench_ctxlog_decode(&conf, ctx, text, sizeof(text));
    check_lines("\"pring_base_addr\"",
                "\"pring_base_addr\": 0x7f0000005210,\n");
    conf.compat = false;
    trench_ctxlog_decode(&conf, ctx, text, sizeof(text));
    check_lines("\"pring_base_addr\"", "\"pring_base_addr\": {\n");
    check_lines("\"tpb_ctrl_ack\"",
                "\"tpb_ctrl_ack\": \"0xFFFFFFFFFFFFFFFF\"\n");
    free(ctx);
}

/* Keys of the original come in this order (5.11). */
static void test_key_order(void **state)
{
    static const char *const order[] = {
        "model_name",
        "ncfw_ctx_top_sp",
        "configs",
        "algo",
        "ring",
        "channels",
        "next_neigh",
        "fold_n",
        "type",
        "net_idx_addrs",
        "prev_neigh",
        "recv_sema",
        "send_sema",
        "post_sema",
        "dma_compl_sema",
        "kring_peer_semas",
        "mine",
        "peers",
        "peer_id",
        "addr",
        "dma_apb_bcast",
        "m2s_tail_ptr",
        "s2m_tail_ptr",
        "mask",
        "channel_id",
        "spad_slot_idx",
        "fold_n",
        "kangaring_is_primary",
        "kangaring_num_peers",
        "mesh",
        "events",
        "dma_apb_bcast_0",
        "dma_apb_bcast_1",
        "direct_trigger_sema_0",
        "direct_trigger_sema_1",
        "direct_trigger_sema_2",
        "event_wait_sema",
        "wait_val",
        "event_type",
        "dma_trigger",
        "direct_trigger",
        "wait_event",
        "hierarchical",
        "__stub",
        "neff",
        "dma_alloc_bitmap",
        "queue_id",
        "dma_engines_bitmap",
        "barrier_configs",
        "execute_device_barrier",
        "host_barrier",
        "barrier_start",
        "barrier_done",
        "device_barrier",
        "dma_apb_bcast",
        "dma_sync_sema",
        "dma_sync_sema_value",
        "start_network_proxy",
        "tdrbp_low",
        "tdrbp_high",
        "desc_count",
        "dma_engines_bitmap",
        "queue_id",
        "barrier_step_config",
        "m2s_val",
        "s2m_val",
        "barrier_sema",
        "target_sema_val",
        "basic_block_configs",
        "table",
        "desc_count",
        "reset_section_desc_count",
        "switch_completed",
        "pring_base_addr",
        "pring_total_desc_num",
        "slot_spad_base_0",
        "slot_spad_base_5",
        "ctrl_spad_base",
        "trigger",
        "trigger_next",
        "complete",
        "complete_prev",
        "tpb_stop_sema",
        "op_num",
        "leader",
        "tpb_compl_addr_num",
        "dev",
        "tsync",
        "dma_apb_rsvd_addr",
        "eng_tpb",
        "timestamp_local",
        "timestamp_tpb",
        "timestamp_tpb_val",
        "tpb_id",
        "seng_id",
        "dev_id",
        "tpb_ctrl_ack",
        "neff",
        "barrier_completed",
        "op",
        "ctrl_entry",
        "header",
        "cc_op",
        "cc_op",
        "algo_type",
        "algo_sub_type",
        "trigger_next",
        "reporter",
        "ring_wait_complete",
        "ring_send_complete",
        "ring",
        "channel_list",
        "mesh",
        "sema_shift_offset",
        "sema_mask",
        "tpb_compl",
        "id",
        "reporter",
        "basic_block",
        "curr_id",
        "ctrl_spad_addr",
        "slot_spad_addr_0",
        "slot_spad_addr_5",
        "algo",
        "ring",
        "channels",
        "channel_id",
        "recv_cnt",
        "send_credit",
        "repeat_cnt",
        "m2s_val",
        "s2m_val",
        "slot_idx",
        "run_state",
        "hierarchical",
        "run_state",
        "mesh",
        "event_index",
    };
    const struct trench_ctxlog_conf conf = { .reading = TRENCH_NCFW_SHEETS };
    uint8_t *ctx = calloc(1, V3_BYTES);
    const char *at = text;

    (void)state;
    ctx[0x3E08] = 1; /* one basic block */
    trench_ctxlog_decode(&conf, ctx, text, sizeof(text));
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        char key[64];

        snprintf(key, sizeof(key), "\"%s\":", order[i]);
        at = strstr(at, key);
        if (!at) {
            fail_msg("%s does not come next", order[i]);
        }
        at += strlen(key);
    }
    /* 5.11, not printed: */
    assert_null(strstr(text, "safe_mode"));
    assert_null(strstr(text, "total_desc_n\""));
    assert_null(strstr(text, "function_n"));
    assert_null(strstr(text, "s2m_high"));
    free(ctx);
}

/* 5.10: ENOSPC, and the latch. */
static void test_small_buffers(void **state)
{
    const struct trench_ctxlog_conf conf = { 0 };
    uint8_t *ctx = calloc(1, V3_BYTES);
    int len = trench_ctxlog_decode(&conf, ctx, text, sizeof(text));
    char *small = malloc((size_t)len + 1);

    (void)state;
    assert_in_range(len, 1, TRENCH_CTXLOG_TEXT_BYTES - 1);
    CHECK_EQ(TRENCH_CTXLOG_TEXT_BYTES, 1048576, "1 MiB");
    for (size_t size = 0; size <= (size_t)len; size += size < 200 ? 1 : 997) {
        char *exact = malloc(size);

        CHECK_EQ(trench_ctxlog_decode(&conf, ctx, exact, size),
                 TRENCH_ERR_NOSPC, "%zu bytes", size);
        free(exact);
    }
    CHECK_EQ(trench_ctxlog_decode(&conf, ctx, small, (size_t)len),
             TRENCH_ERR_NOSPC, "no room for the 0");
    CHECK_EQ(trench_ctxlog_decode(&conf, ctx, small, (size_t)len + 1), len,
             "just right");
    free(small);
    free(ctx);
}

/* 5.12: fold_n is clamped to what the array has; the table ends at 0. */
static void test_arrays_of_their_own_length(void **state)
{
    static const uint8_t folds[] = { 0, 1, 2, 3, 4, 255 };
    const struct trench_ctxlog_conf conf = { 0 };
    uint8_t *ctx = calloc(1, V3_BYTES);
    json_t *root;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(folds); i++) {
        ctx[31 * 148 + 52] = folds[i];
        root = decode(&conf, ctx);
        CHECK_EQ(json_array_size(at_path(root, "configs.algo.ring.channels[31]"
                                               ".prev_neigh.net_idx_addrs")),
                 folds[i] < 3 ? folds[i] : 3, "fold_n %u", folds[i]);
        json_decref(root);
    }
    for (unsigned nr = 0; nr <= 256; nr += 64) {
        memset(ctx + 0x3E08, 0, 1024);
        for (unsigned i = 0; i < nr; i++) {
            ctx[0x3E08 + 4 * i] = 3;
        }
        root = decode(&conf, ctx);
        CHECK_EQ(json_array_size(
                     at_path(root, "configs.neff.basic_block_configs.table")),
                 nr, "%u blocks", nr);
        json_decref(root);
    }
    free(ctx);
}

static void test_decode_refuses(void **state)
{
    struct trench_ctxlog_conf conf = { .model_name = "\xFF" };
    uint8_t *ctx = calloc(1, V3_BYTES);

    (void)state;
    CHECK_EQ(trench_ctxlog_decode(&conf, ctx, text, sizeof(text)),
             TRENCH_ERR_INVAL, "not UTF-8");
    conf.model_name = NULL;
    conf.reading = (enum trench_ncfw_reading)2;
    CHECK_EQ(trench_ctxlog_decode(&conf, ctx, text, sizeof(text)),
             TRENCH_ERR_INVAL, "reading 2");
    free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_offset),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_bit_fields),
        cmocka_unit_test(test_control_entries),
        cmocka_unit_test(test_text_is_what_jansson_makes_of_it),
        cmocka_unit_test(test_text_of_the_original),
        cmocka_unit_test(test_compat_lines),
        cmocka_unit_test(test_key_order),
        cmocka_unit_test(test_small_buffers),
        cmocka_unit_test(test_arrays_of_their_own_length),
        cmocka_unit_test(test_decode_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

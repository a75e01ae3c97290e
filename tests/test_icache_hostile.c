/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache among others, and on a chip that changes under it: what is given
 * to execute is the image's, or the call fails; and every call ends.
 */
#include "icache_rig.h"

#include "seq/icache_priv.h"
#include "udma_m2s_gen.h"

#define BLOCK UINT64_C(1024)

/* ---- several caches on one chip ------------------------------------------ */

/* All sequencers of a core at once, by ring: nobody disturbs another. */
static void test_hostile_neighbours(void **state)
{
    struct trench_icache *caches[5];
    struct trench_icache *other = NULL;
    uint64_t seed = 3;
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.backend = TRENCH_ICACHE_RING;
    r.conf.block_bytes = BLOCK;
    r.conf.log = NULL;
    icache_rig_chip(&r);
    for (unsigned i = 0; i < ARRAY_LEN(caches); i++) {
        r.conf.seq = i;
        CHECK_EQ(trench_icache_create(&r.conf, NULL, &caches[i]), 0, "%u", i);
    }
    for (unsigned i = 0; i < 5000; i++) {
        uint64_t at = icache_rig_random(&seed) % IMAGE_MAX;

        r.ic = caches[i % ARRAY_LEN(caches)];
        CHECK_EQ(icache_rig_fetch(&r, at) >= 0, true, "%u", i);
    }
    /* The queue of another core's POOL is this one's. */
    r.conf.core = 1;
    r.conf.seq = 2;
    CHECK_EQ(trench_icache_create(&r.conf, NULL, &other), TRENCH_ERR_BUSY,
             "taken");
    CHECK_EQ(other == NULL, true, "untouched");
    r.ic = caches[2];
    CHECK_EQ(icache_rig_fetch(&r, 77 * BLOCK) >= 0, true, "not disturbed");
    r.conf.ring_elsewhere = true;
    r.conf.ring_engine = 5;
    r.conf.ring_queue = 15;
    CHECK_EQ(trench_icache_create(&r.conf, NULL, &other), 0, "elsewhere");
    trench_icache_destroy(other);
    trench_icache_destroy(caches[2]);
    r.conf.ring_elsewhere = false;
    CHECK_EQ(trench_icache_create(&r.conf, NULL, &caches[2]), 0, "free again");
    for (unsigned i = 0; i < ARRAY_LEN(caches); i++) {
        trench_icache_destroy(caches[i]);
    }
    r.ic = NULL;
    icache_rig_close(&r);
}

/* ---- a chip that is reset ------------------------------------------------ */

/* Wrong bytes are never taken for the image's, and a new cache works. */
static void reset_under(unsigned backend, uint32_t polls)
{
    const struct trench_icache_record records[] = {
        { 0, 4 },
        { 9 * BLOCK, 4 },
        { 5 * BLOCK, 4 },
        { BLOCK, 4 },
    };
    struct trench_icache_image image = { .size_bytes = IMAGE_MAX };
    struct trench_icache_stats stats;
    struct icache_rig r;
    int err;

    icache_rig_init(&r);
    r.conf.backend = backend;
    r.conf.block_bytes = BLOCK;
    r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
    r.conf.max_polls = 20;
    r.conf.log = NULL;
    r.soc_conf.mailbox_polls = polls;
    icache_rig_open(&r);
    image.bytes = r.image;
    CHECK_EQ(icache_rig_fetch(&r, 4 * BLOCK), 1, "before");
    trench_soc_reset(r.soc);
    err = trench_icache_replay(r.ic, &image, records, ARRAY_LEN(records));
    stats = icache_rig_stats(&r);
    CHECK_EQ(err < 0 || stats.mismatches > 0 || stats.failed > 0, true,
             "backend %u, %u polls: noticed", backend, polls);
    trench_icache_destroy(r.ic);
    icache_rig_open(&r);
    CHECK_EQ(trench_icache_replay(r.ic, &image, records, ARRAY_LEN(records)), 0,
             "anew");
    CHECK_EQ(icache_rig_stats(&r).mismatches, 0, "anew");
    icache_rig_close(&r);
}

static void test_hostile_chip_reset(void **state)
{
    (void)state;
    for (uint32_t polls = 0; polls < 8; polls += 7) {
        reset_under(TRENCH_ICACHE_MAILBOX, polls);
        reset_under(TRENCH_ICACHE_RING, polls);
    }
}

/* ---- registers and memory that others write ------------------------------ */

/* Local registers, the ring's queue, and the firmware's data, at any time. */
static void poke(struct icache_rig *r, uint64_t *seed)
{
    uint32_t val = (uint32_t)icache_rig_random(seed);
    uint64_t at = icache_rig_random(seed);
    uint64_t engine;

    switch (at % 4) {
    case 0:
        (void)trench_bus_write32(
            r->bus, r->addr.local_reg + GLR(9 + at / 4 % 4), val % 3);
        break;
    case 1:
        (void)trench_bus_write32(
            r->bus, r->addr.local_reg + (at / 4 % 0x7000 & ~UINT64_C(3)), val);
        break;
    case 2:
        CHECK_EQ(
            trench_gen_engine_base(trench_soc_gen(r->soc), 129, false, &engine),
            0, "engine");
        (void)trench_bus_write32(
            r->bus, engine + UDMA_M2S_M2S_Q_CFG(2) + at / 4 % 32 * 4, val);
        break;
    default:
        r->dram[(at & 64 ? RING_TX : CTL) + at / 4 % 0xC00] = (uint8_t)val;
        break;
    }
}

static void test_hostile_pokes(void **state)
{
    uint64_t seed = 20261202;

    (void)state;
    for (unsigned round = 0; round < 20; round++) {
        struct icache_rig r;

        icache_rig_init(&r);
        r.conf.block_bytes = BLOCK;
        r.conf.backend = round % 2;
        r.conf.words = round / 2 % 2;
        r.conf.prefetch = round % 4;
        r.conf.max_polls = 8;
        r.conf.log = NULL;
        r.soc_conf.mailbox_polls = round % 5;
        icache_rig_open(&r);
        for (unsigned i = 0; i < 200; i++) {
            const uint8_t *bytes;
            uint64_t pc = STREAM + icache_rig_random(&seed) % (2 * IMAGE_MAX);

            poke(&r, &seed);
            (void)trench_icache_fetch(
                r.ic, i % 50 == 0 ? icache_rig_random(&seed) << 16 : pc,
                &bytes);
            (void)trench_icache_redirect(r.ic, UINT64_MAX - i % 2, &bytes);
            if (i % 40 == 39) {
                (void)trench_icache_reset(r.ic);
            }
        }
        icache_rig_close(&r);
    }
}

/* ---- a bus that refuses -------------------------------------------------- */

struct proxy {
    struct trench_bus *to;
    uint64_t base;
    unsigned *countdown; /* accesses until one is refused; 0 = never */
};

static bool refused(const struct proxy *p)
{
    return *p->countdown > 0 && --*p->countdown == 0;
}

static int proxy_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct proxy *p = opaque;

    return refused(p) ? TRENCH_ERR_ACCES
                      : trench_bus_read32(p->to, p->base + offset, val);
}

static int proxy_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct proxy *p = opaque;

    return refused(p) ? TRENCH_ERR_ACCES
                      : trench_bus_write32(p->to, p->base + offset, val);
}

static void proxy_add(struct trench_bus *bus, struct proxy *p, const char *name,
                      uint64_t size)
{
    static const struct trench_bus_dev_ops ops = { proxy_read32,
                                                   proxy_write32 };
    const struct trench_bus_window w = {
        .name = name,
        .base = p->base,
        .size_bytes = size,
        .ops = &ops,
        .opaque = p,
    };

    CHECK_EQ(trench_bus_add_window(bus, &w), 0, "%s", name);
}

/* The firmware's own bus: its memories, and registers behind proxies. */
static struct trench_bus *proxy_open(struct icache_rig *r, struct proxy *local,
                                     struct proxy *engine)
{
    const struct trench_bus_mem mems[] = {
        { .name = "iram",
          .base = r->addr.iram,
          .size_bytes = TRENCH_SEQ_IRAM_BYTES,
          .host = r->iram },
        { .name = "dram",
          .base = r->addr.dram,
          .size_bytes = TRENCH_SEQ_DRAM_BYTES,
          .host = r->dram },
    };
    struct trench_bus *bus;

    CHECK_EQ(trench_bus_create(&bus), 0, "bus");
    CHECK_EQ(trench_bus_add_memory(bus, &mems[0]), 0, "iram");
    CHECK_EQ(trench_bus_add_memory(bus, &mems[1]), 0, "dram");
    local->to = r->bus;
    local->base = r->addr.local_reg;
    proxy_add(bus, local, "local", 0x10000);
    engine->to = r->bus;
    CHECK_EQ(trench_gen_engine_base(trench_soc_gen(r->soc), 129, false,
                                    &engine->base),
             0, "engine");
    proxy_add(bus, engine, "engine", 0x40000);
    return bus;
}

/* Create, fetch and redirect with the n-th access refused; then all is well. */
static bool refuse_nth(struct icache_rig *r, unsigned *countdown, unsigned n)
{
    const uint8_t *bytes;
    bool reached;
    int err;

    *countdown = n;
    r->ic = NULL;
    err = trench_icache_create(&r->conf, NULL, &r->ic);
    if (err) {
        CHECK_EQ(err, TRENCH_ERR_ACCES, "access %u", n);
        CHECK_EQ(r->ic == NULL, true, "untouched");
        CHECK_EQ(trench_icache_create(&r->conf, NULL, &r->ic), 0, "again");
    }
    for (uint64_t at = 0; at < 12 * BLOCK; at += BLOCK) {
        err = icache_rig_fetch(r, at);
        CHECK_EQ(err == 1 || *countdown == 0, true, "access %u", n);
        CHECK_EQ(err == 1 || err == TRENCH_ERR_ACCES, true, "access %u: %d", n,
                 err);
    }
    err = trench_icache_redirect(r->ic, STREAM + 40 * BLOCK, &bytes);
    CHECK_EQ(err == 1 || err == TRENCH_ERR_ACCES, true, "access %u: %d", n,
             err);
    reached = *countdown == 0;
    *countdown = 0;
    CHECK_EQ(icache_rig_fetch(r, 63 * BLOCK), 1, "access %u: recovered", n);
    CHECK_EQ(icache_rig_fetch(r, 12 * BLOCK), 1, "access %u: recovered", n);
    trench_icache_destroy(r->ic);
    return reached;
}

static void refuse_each(unsigned backend)
{
    unsigned countdown = 0;
    struct proxy local = { .countdown = &countdown };
    struct proxy engine = { .countdown = &countdown };
    struct icache_rig r;
    unsigned n = 1;

    icache_rig_init(&r);
    r.conf.backend = backend;
    r.conf.block_bytes = BLOCK;
    r.conf.log = NULL;
    icache_rig_chip(&r);
    r.conf.bus = proxy_open(&r, &local, &engine);
    while (refuse_nth(&r, &countdown, n)) {
        n++;
    }
    CHECK_EQ(n > 40, true, "backend %u: only %u accesses", backend, n);
    trench_bus_destroy(r.conf.bus);
    r.ic = NULL;
    icache_rig_close(&r);
}

static void test_hostile_refused_accesses(void **state)
{
    (void)state;
    refuse_each(TRENCH_ICACHE_MAILBOX);
    refuse_each(TRENCH_ICACHE_RING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_neighbours),
        cmocka_unit_test(test_hostile_chip_reset),
        cmocka_unit_test(test_hostile_pokes),
        cmocka_unit_test(test_hostile_refused_accesses),
    };

    return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}

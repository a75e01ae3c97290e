/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/vector.h"

#include "base/bits.h"

#define NR_WORDS ARRAY_LEN(((struct trench_soc_intr *)0)->bits)

/* Vector of a group's bit 0, and which of its bits have one. */
struct vectors {
    uint16_t first;
    uint32_t bits;
};

#define MAIN(n) (TRENCH_INTR_MAIN + (n))
#define SEC(n)  (TRENCH_INTR_SECONDARY + (n))

/*
 * The groups in the order of intr.h; those of the AXI masters have no vectors
 * of their own. The trigger lists leave out the bits that are tied to zero.
 */
static const struct vectors vectors[INTR_NR_GROUPS] = {
    { MAIN(0), 0x7 },        { MAIN(3), 0xFFFF },    { MAIN(19), 0xFFFF },
    { MAIN(35), 0x1F0F },    { SEC(0), 0x0FFFFFFF }, { SEC(29), 0xFFFFFFFF },
    { SEC(61), 0x00000FFF }, { SEC(73), 0x7F },
};

static void note(struct channel *ch, unsigned vector)
{
    ch->risen[vector / 64] |= UINT64_C(1) << vector % 64;
    ch->chip->rises = true;
    ch->chip->pod->rises = true;
}

void vector_rise(struct channel *ch, unsigned n, uint32_t bits)
{
    if (!ch->chip->intr) {
        return;
    }
    for (bits &= vectors[n].bits; bits; bits &= bits - 1) {
        note(ch, vectors[n].first + (unsigned)__builtin_ctz(bits));
    }
}

void vector_pulse(struct channel *ch, unsigned vector)
{
    if (ch->chip->intr) {
        note(ch, vector);
    }
}

/* The next rise, by engine and then by vector. */
static bool take(struct chip *chip, unsigned *engine, unsigned *vector)
{
    for (unsigned e = 0; e < chip->gen->nr_engines; e++) {
        uint64_t *risen = chip->channels[e].risen;

        for (unsigned w = 0; w < NR_WORDS; w++) {
            if (risen[w]) {
                *engine = e;
                *vector = w * 64 + (unsigned)__builtin_ctzll(risen[w]);
                risen[w] &= risen[w] - 1;
                return true;
            }
        }
    }
    chip->rises = false;
    return false;
}

/* The same of all chips, in their order. */
static struct chip *take_any(struct pod *pod, unsigned *engine,
                             unsigned *vector)
{
    for (unsigned n = 0; n < pod->nr; n++) {
        struct chip *chip = pod->chips[n];

        if (chip->rises && take(chip, engine, vector)) {
            return chip;
        }
    }
    pod->rises = false;
    return NULL;
}

/*
 * A callback's own accesses add to the list and do not come back here, so
 * callbacks never nest. The budget ends software that answers each interrupt
 * with the next; the rest is told with the next access.
 */
void vector_deliver(struct pod *pod)
{
    if (pod->telling) {
        return;
    }
    pod->telling = true;
    for (uint64_t n = 0; n < pod->budget; n++) {
        unsigned engine, vector;
        struct chip *chip = take_any(pod, &engine, &vector);

        if (!chip) {
            break;
        }
        chip->intr(chip->intr_opaque, engine, vector);
    }
    pod->telling = false;
}

void vector_reset(struct chip *chip)
{
    for (unsigned e = 0; e < chip->gen->nr_engines; e++) {
        for (unsigned w = 0; w < NR_WORDS; w++) {
            chip->channels[e].risen[w] = 0;
        }
    }
    chip->rises = false;
}

unsigned vector_pending(const struct channel *ch, struct trench_soc_intr *out)
{
    unsigned count = 0;

    *out = (struct trench_soc_intr){ { 0 } };
    for (unsigned n = 0; n < INTR_NR_GROUPS; n++) {
        uint32_t bits = ch->intr.raised[n] & vectors[n].bits;

        for (; bits; bits &= bits - 1) {
            unsigned v = vectors[n].first + (unsigned)__builtin_ctz(bits);

            out->bits[v / 64] |= UINT64_C(1) << v % 64;
        }
    }
    for (unsigned w = 0; w < NR_WORDS; w++) {
        count += (unsigned)__builtin_popcountll(out->bits[w]);
    }
    return count;
}

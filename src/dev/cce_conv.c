/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversions (common-blocks 3.4.2, 3.4.4). Loops over vectors do what is
 * common; a block in which something is not finite, or too large, is done
 * again one element at a time by code that can say what it was.
 */
#include "dev/cce_conv.h"

#include "base/bits.h"
#include "dev/cce.h"
#include "dev/cce_vec.h"

/* A floating-point type of 8 or 16 bits. */
struct fp_format {
    unsigned bits;
    unsigned man; /* bits of the mantissa */
    unsigned bias;
    /* Encodings without their sign: */
    uint32_t max; /* the largest finite number */
    uint32_t inf; /* 0 = it has none */
    uint32_t nan; /* quiet */
};

static const struct fp_format bf16 = { 16, 7, 127, 0x7F7F, 0x7F80, 0x7FC0 };
static const struct fp_format fp16 = { 16, 10, 15, 0x7BFF, 0x7C00, 0x7E00 };
static const struct fp_format fp8_e3 = { 8, 4, 3, 0x6F, 0x70, 0x78 };
static const struct fp_format fp8_e4 = { 8, 3, 7, 0x7E, 0, 0x7F };
static const struct fp_format fp8_e5 = { 8, 2, 15, 0x7B, 0x7C, 0x7E };

/* Four vectors of 32 bits from one of bytes, two from one of 16 bits. */
static inline void widen_u16(vec_u32 out[2], const void *src)
{
    const vec_u16 zero = { 0 };
    vec_u16 v;

    memcpy(&v, src, sizeof(v));
    out[0] =
        (vec_u32)__builtin_shufflevector(v, zero, 0, 8, 1, 9, 2, 10, 3, 11);
    out[1] =
        (vec_u32)__builtin_shufflevector(v, zero, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline void widen_u8(vec_u32 out[4], const void *src)
{
    const vec_u8 zero = { 0 };
    vec_u8 v;
    vec_u8 half[2];

    memcpy(&v, src, sizeof(v));
    half[0] = __builtin_shufflevector(v, zero, 0, 16, 1, 17, 2, 18, 3, 19, 4,
                                      20, 5, 21, 6, 22, 7, 23);
    half[1] = __builtin_shufflevector(v, zero, 8, 24, 9, 25, 10, 26, 11, 27, 12,
                                      28, 13, 29, 14, 30, 15, 31);
    widen_u16(out, &half[0]);
    widen_u16(out + 2, &half[1]);
}

/* VEC_GROUP elements of 1 or 2 bytes. */
static inline void widen(vec_u32 out[4], const void *src, unsigned bits)
{
    if (bits == 8) {
        widen_u8(out, src);
    } else {
        widen_u16(out, src);
        widen_u16(out + 2, (const char *)src + sizeof(vec_u16));
    }
}

/* The low halves of eight numbers. */
static inline vec_u16 narrow_u16(vec_u32 a, vec_u32 b)
{
    return __builtin_shufflevector((vec_u16)a, (vec_u16)b, 0, 2, 4, 6, 8, 10,
                                   12, 14);
}

/* VEC_GROUP elements of 1 or 2 bytes: the low bits of the numbers. */
static inline void narrow(void *dst, const vec_u32 in[4], unsigned bits)
{
    vec_u16 half[2] = { narrow_u16(in[0], in[1]), narrow_u16(in[2], in[3]) };
    vec_u8 v;

    if (bits == 8) {
        v = __builtin_shufflevector((vec_u8)half[0], (vec_u8)half[1], 0, 2, 4,
                                    6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
                                    28, 30);
        memcpy(dst, &v, sizeof(v));
    } else {
        memcpy(dst, half, sizeof(half));
    }
}

static inline vec_f32 decode(struct fp_format f, vec_u32 v)
{
    const unsigned shift = 23 - f.man;
    const vec_i32 sign = (vec_i32)((v >> (f.bits - 1)) << 31);
    const int32_t rebias = (int32_t)(127 - f.bias) << 23;
    const vec_i32 least = (vec_i32){ 0 } + rebias + (1 << 23);
    vec_i32 abs = (vec_i32)((v & ((1u << (f.bits - 1)) - 1)) << shift);
    vec_i32 small, special;

    if (f.bias == 127) {
        return (vec_f32)(sign | abs);
    }
    /* A denormal is what exceeds the least normal number of its binade. */
    small = (vec_i32)((vec_f32)(abs | least) - (vec_f32)least);
    special = abs > (int32_t)(f.max << shift);
    abs = vec_pick(abs < (1 << 23), small, abs + rebias);
    return (vec_f32)(sign | abs | (special & 0x7F800000));
}

static inline void load_fp(struct fp_format f, float *dst, const void *src,
                           size_t n)
{
    for (size_t i = 0; i < n; i += VEC_GROUP) {
        vec_u32 v[4];

        widen(v, (const char *)src + i * f.bits / 8, f.bits);
        vec_store(dst + i, decode(f, v[0]));
        vec_store(dst + i + 4, decode(f, v[1]));
        vec_store(dst + i + 8, decode(f, v[2]));
        vec_store(dst + i + 12, decode(f, v[3]));
    }
}

static inline vec_f32 from_int(vec_u32 v, unsigned unused)
{
    /* To the top and back extends the sign. */
    return __builtin_convertvector((vec_i32)(v << unused) >> unused, vec_f32);
}

/* Integers of 8 and 16 bits. */
static inline void load_int(unsigned bits, bool is_signed, float *dst,
                            const void *src, size_t n)
{
    const unsigned unused = is_signed ? 32 - bits : 0;

    for (size_t i = 0; i < n; i += VEC_GROUP) {
        vec_u32 v[4];

        widen(v, (const char *)src + i * bits / 8, bits);
        vec_store(dst + i, from_int(v[0], unused));
        vec_store(dst + i + 4, from_int(v[1], unused));
        vec_store(dst + i + 8, from_int(v[2], unused));
        vec_store(dst + i + 12, from_int(v[3], unused));
    }
}

static void load_none(float *dst, const void *src, size_t n)
{
    (void)src;
    memset(dst, 0, n * sizeof(*dst));
}

static void load_fp32(float *dst, const void *src, size_t n)
{
    memcpy(dst, src, n * sizeof(*dst));
}

/* A function a type: what a format says is known where it is compiled. */
#define LOAD(name, how, ...)                                                   \
    static void load_##name(float *dst, const void *src, size_t n)             \
    {                                                                          \
        how(__VA_ARGS__, dst, src, n);                                         \
    }

LOAD(bf16, load_fp, bf16)
LOAD(fp16, load_fp, fp16)
LOAD(fp8_e3, load_fp, fp8_e3)
LOAD(fp8_e4, load_fp, fp8_e4)
LOAD(fp8_e5, load_fp, fp8_e5)
LOAD(int8, load_int, 8, true)
LOAD(uint8, load_int, 8, false)
LOAD(int16, load_int, 16, true)
LOAD(uint16, load_int, 16, false)

static void load_int32(float *dst, const void *src, size_t n)
{
    for (size_t i = 0; i < n; i += VEC_LANES) {
        vec_i32 v = (vec_i32)vec_load((const char *)src + i * 4);

        vec_store(dst + i, __builtin_convertvector(v, vec_f32));
    }
}

/* Both halves are exact, and so is the product: the sum rounds once. */
static void load_uint32(float *dst, const void *src, size_t n)
{
    for (size_t i = 0; i < n; i += VEC_LANES) {
        vec_u32 v = (vec_u32)vec_load((const char *)src + i * 4);
        vec_f32 high = __builtin_convertvector((vec_i32)(v >> 16), vec_f32);
        vec_f32 low = __builtin_convertvector((vec_i32)(v & 0xFFFF), vec_f32);

        vec_store(dst + i, high * 65536.0f + low);
    }
}

static void load_int64(float *dst, const void *src, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t val;

        memcpy(&val, (const char *)src + i * 8, 8);
        dst[i] = (float)val;
    }
}

static void load_uint64(float *dst, const void *src, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t val;

        memcpy(&val, (const char *)src + i * 8, 8);
        dst[i] = (float)val;
    }
}

void cce_load(enum trench_dtype type, float *dst, const void *src, size_t n)
{
    static void (*const loaders[TRENCH_NR_DTYPES])(float *, const void *,
                                                   size_t) = {
        [TRENCH_DTYPE_NONE] = load_none,
        [TRENCH_DTYPE_UINT64] = load_uint64,
        [TRENCH_DTYPE_INT8] = load_int8,
        [TRENCH_DTYPE_UINT8] = load_uint8,
        [TRENCH_DTYPE_INT16] = load_int16,
        [TRENCH_DTYPE_UINT16] = load_uint16,
        [TRENCH_DTYPE_BF16] = load_bf16,
        [TRENCH_DTYPE_FP16] = load_fp16,
        [TRENCH_DTYPE_INT32] = load_int32,
        [TRENCH_DTYPE_UINT32] = load_uint32,
        [TRENCH_DTYPE_FP32] = load_fp32,
        [TRENCH_DTYPE_FP32R] = load_fp32,
        [TRENCH_DTYPE_INT64] = load_int64,
        [TRENCH_DTYPE_FP8_E3] = load_fp8_e3,
        [TRENCH_DTYPE_FP8_E4] = load_fp8_e4,
        [TRENCH_DTYPE_FP8_E5] = load_fp8_e5,
    };

    loaders[type](dst, src, n);
}

/*
 * The generator of stochastic rounding, ours: a counter in steps of the golden
 * ratio, through the finaliser of MurmurHash3. Every seed is a good one.
 */
static uint32_t draw(uint32_t *seed)
{
    uint32_t x = *seed += 0x9E3779B9u;

    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

/* Does man, of which shift bits go, round up? q is the rest. */
static bool rounds_up(uint64_t man, unsigned shift, uint64_t q, uint32_t *seed)
{
    const uint64_t rest = man & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << shift >> 1;

    if (!seed) {
        return rest > half || (rest == half && (q & 1));
    }
    /* As often as the rest says, of 2^32. */
    return draw(seed) <
           (shift > 32 ? rest >> (shift - 32) : rest << (32 - shift));
}

/* A magnitude below infinity; the sign does not matter. */
static uint32_t encode_finite(const struct fp_format *f, uint32_t abs,
                              uint32_t *seed, uint32_t *trouble)
{
    const uint32_t field = abs >> 23 ? abs >> 23 : 1;
    const uint32_t man = abs >> 23 ? (abs & 0x7FFFFF) | 0x800000 : abs;
    const int exp = (int)field - 127 + (int)f->bias; /* there */
    unsigned shift = 23 - f->man;
    uint32_t q;

    if (exp >= 1) {
        q = ((uint32_t)(exp - 1) << f->man) + (man >> shift);
    } else {
        /* 63 places leave nothing of man, nor of its chance to round up. */
        shift = min_u32(shift + (unsigned)(1 - exp), 63);
        q = (uint32_t)((uint64_t)man >> shift);
    }
    q += rounds_up(man, shift, q, seed);
    if (q > f->max) {
        *trouble |= CCE_OVERFLOW | (f->inf ? CCE_OUTPUT_INF : CCE_OUTPUT_NAN);
        return f->inf ? f->inf : f->nan;
    }
    if (q == 0 && abs != 0) {
        *trouble |= CCE_UNDERFLOW;
    }
    return q;
}

static uint32_t encode(const struct fp_format *f, uint32_t bits, uint32_t *seed,
                       uint32_t *trouble)
{
    const uint32_t abs = bits & 0x7FFFFFFF;
    const uint32_t sign = bits >> 31 << (f->bits - 1);
    uint32_t q;

    if (abs < 0x7F800000) {
        q = encode_finite(f, abs, seed, trouble);
        return q == f->nan ? q : q | sign;
    }
    if (seed) {
        draw(seed); /* one an element, so that pieces are as the whole */
    }
    if (abs == 0x7F800000 && f->inf) {
        *trouble |= CCE_OUTPUT_INF;
        return f->inf | sign;
    }
    *trouble |= CCE_OUTPUT_NAN;
    if (abs == 0x7F800000) {
        *trouble |= CCE_OUTPUT_ERROR;
    }
    return f->nan;
}

/* One at a time: whatever is not common. */
static uint32_t encode_all(struct fp_format f, void *dst, const void *src,
                           size_t n, uint32_t *seed)
{
    uint32_t trouble = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        uint32_t q;

        memcpy(&bits, (const char *)src + i * 4, 4);
        q = encode(&f, bits, seed, &trouble);
        memcpy((char *)dst + i * f.bits / 8, &q, f.bits / 8);
    }
    return trouble;
}

/* What a loop has met so far. */
struct met {
    vec_i32 large; /* more than the type can hold */
    vec_i32 lost;  /* not 0, and now it is */
};

/* To nearest even; wrong where met->large says so. */
static inline vec_u32 encode_vec(struct fp_format f, vec_f32 x, struct met *met)
{
    const unsigned shift = 23 - f.man;
    const int32_t rebias = (int32_t)(127 - f.bias) << 23;
    const vec_i32 abs = vec_abs_bits(x);
    const vec_u32 sign = (vec_u32)x >> 31 << (f.bits - 1);
    const vec_u32 t = (vec_u32)(abs - rebias);
    vec_i32 q;

    q = (vec_i32)((t + ((1u << shift >> 1) - 1) + (t >> shift & 1)) >> shift);
    if (f.bias != 127) {
        /* Adding this rounds at the place of the least denormal. */
        const vec_i32 magic =
            (vec_i32){ 0 } + (int32_t)((151 - f.bias - f.man) << 23);
        vec_i32 small = (vec_i32)((vec_f32)abs + (vec_f32)magic) - magic;

        q = vec_pick(abs < rebias + (1 << 23), small, q);
    }
    met->large |= q > (int32_t)f.max;
    met->lost |= (q == 0) & (abs != 0);
    return (vec_u32)q | sign;
}

static inline uint32_t store_fp(struct fp_format f, void *dst, const void *src,
                                size_t n, uint32_t *seed)
{
    struct met met = { { 0 }, { 0 } };

    if (seed) {
        return encode_all(f, dst, src, n, seed);
    }
    for (size_t i = 0; i < n; i += VEC_GROUP) {
        const char *p = (const char *)src + i * 4;
        vec_u32 v[4];

        v[0] = encode_vec(f, vec_load(p), &met);
        v[1] = encode_vec(f, vec_load(p + 16), &met);
        v[2] = encode_vec(f, vec_load(p + 32), &met);
        v[3] = encode_vec(f, vec_load(p + 48), &met);
        narrow((char *)dst + i * f.bits / 8, v, f.bits);
    }
    if (vec_any(met.large)) {
        return encode_all(f, dst, src, n, NULL);
    }
    return vec_any(met.lost) ? CCE_UNDERFLOW : 0;
}

static uint32_t store_none(void *dst, const void *src, size_t n, uint32_t *seed)
{
    (void)dst;
    (void)src;
    (void)n;
    (void)seed;
    return CCE_OUTPUT_ERROR;
}

static uint32_t store_fp32(void *dst, const void *src, size_t n, uint32_t *seed)
{
    vec_f32 seen[2] = { { 0 } };

    (void)seed; /* nothing is rounded */
    for (size_t i = 0; i < n; i += VEC_GROUP / 2) {
        const vec_f32 x = vec_load((const char *)src + i * 4);
        const vec_f32 y = vec_load((const char *)src + i * 4 + 16);

        vec_store((char *)dst + i * 4, x);
        vec_store((char *)dst + i * 4 + 16, y);
        seen[0] *= x;
        seen[1] *= y;
    }
    return vec_was_special(seen[0] * seen[1]) ? cce_settle_fp32(dst, n) : 0;
}

uint32_t cce_settle_fp32(void *data, size_t n)
{
    static const uint32_t nan = CCE_FP32_NAN;
    uint32_t trouble = 0;

    for (size_t i = 0; i < n; i++) {
        char *p = (char *)data + i * 4;
        uint32_t bits;

        memcpy(&bits, p, 4);
        bits &= 0x7FFFFFFF;
        if (bits > 0x7F800000) {
            memcpy(p, &nan, 4);
            trouble |= CCE_OUTPUT_NAN;
        } else if (bits == 0x7F800000) {
            trouble |= CCE_OUTPUT_INF;
        }
    }
    return trouble;
}

/* An integer type: what it holds is least <= x < end. */
struct int_format {
    unsigned bits;
    float least;
    float end;
};

static const struct int_format int8 = { 8, -0x1p7f, 0x1p7f };
static const struct int_format uint8 = { 8, 0, 0x1p8f };
static const struct int_format int16 = { 16, -0x1p15f, 0x1p15f };
static const struct int_format uint16 = { 16, 0, 0x1p16f };
static const struct int_format int32 = { 32, -0x1p31f, 0x1p31f };
static const struct int_format uint32 = { 32, 0, 0x1p32f };
static const struct int_format int64 = { 64, -0x1p63f, 0x1p63f };
static const struct int_format uint64 = { 64, 0, 0x1p64f };

/* To a whole number, to nearest even; NaN and infinity stay. */
static inline vec_f32 round_vec(vec_f32 x)
{
    const vec_i32 sign = (vec_i32)x & INT32_MIN;
    /* 2^23 with the sign of x: fp32 has no fractions there. */
    const vec_f32 magic = (vec_f32)(sign | 0x4B000000);
    const vec_f32 near = (x + magic) - magic;

    return (vec_f32)vec_pick(vec_abs_bits(x) < 0x4B000000, (vec_i32)near,
                             (vec_i32)x);
}

static float round_one(float x)
{
    const uint32_t bits = f32_bits(x);
    const float magic = f32_from_bits((bits & 0x80000000) | 0x4B000000);

    return (bits & 0x7FFFFFFF) < 0x4B000000 ? (x + magic) - magic : x;
}

/* A whole number modulo 2^64. */
static uint64_t whole_bits(float x)
{
    const uint32_t abs = f32_bits(x) & 0x7FFFFFFF;
    const uint64_t man = (abs & 0x7FFFFF) | 0x800000;
    const unsigned exp = abs >> 23;
    uint64_t val = 0;

    if (exp >= 127 && exp < 150) {
        val = man >> (150 - exp);
    } else if (exp >= 150 && exp < 150 + 64) {
        val = man << (exp - 150);
    }
    return f32_bits(x) >> 31 ? 0 - val : val;
}

/* One at a time. */
static uint32_t int_all(struct int_format f, void *dst, const void *src,
                        size_t n)
{
    uint32_t trouble = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t val = 0;
        float x;

        memcpy(&x, (const char *)src + i * 4, 4);
        if ((f32_bits(x) & 0x7FFFFFFF) >= 0x7F800000) {
            trouble |= CCE_OUTPUT_ERROR;
        } else {
            x = round_one(x);
            val = whole_bits(x);
            trouble |= x >= f.least && x < f.end ? 0 : CCE_OVERFLOW;
        }
        memcpy((char *)dst + i * f.bits / 8, &val, f.bits / 8);
    }
    return trouble;
}

/* The low 32 bits of x, to nearest even; met->large where it is not so. */
static inline vec_u32 int_vec(struct int_format f, vec_f32 x, struct met *met)
{
    const vec_f32 r = round_vec(x);
    const vec_i32 top = r >= 0x1p31f;
    const vec_f32 rest = r - (vec_f32)(top & (vec_i32)vec_splat(0x1p31f));
    const vec_i32 fits = (r >= -0x1p31f) & (r < 0x1p32f);
    /* What does not fit is undefined when converted. */
    const vec_f32 safe = (vec_f32)((vec_i32)rest & fits);

    met->large |= ~fits;
    met->lost |= ~((r >= f.least) & (r < f.end));
    return (vec_u32)(__builtin_convertvector(safe, vec_i32) ^
                     (top & INT32_MIN));
}

static inline uint32_t store_int(struct int_format f, void *dst,
                                 const void *src, size_t n,
                                 const uint32_t *seed)
{
    const uint32_t trouble = seed ? CCE_STOCHASTIC_INT : 0;
    struct met met = { { 0 }, { 0 } };

    for (size_t i = 0; i < n; i += VEC_GROUP) {
        const char *p = (const char *)src + i * 4;
        vec_u32 v[4];

        v[0] = int_vec(f, vec_load(p), &met);
        v[1] = int_vec(f, vec_load(p + 16), &met);
        v[2] = int_vec(f, vec_load(p + 32), &met);
        v[3] = int_vec(f, vec_load(p + 48), &met);
        if (f.bits == 32) {
            memcpy((char *)dst + i * 4, v, sizeof(v));
        } else {
            narrow((char *)dst + i * f.bits / 8, v, f.bits);
        }
    }
    if (vec_any(met.large)) {
        return trouble | int_all(f, dst, src, n);
    }
    return trouble | (vec_any(met.lost) ? CCE_OVERFLOW : 0);
}

static uint32_t store_wide(struct int_format f, void *dst, const void *src,
                           size_t n, const uint32_t *seed)
{
    return int_all(f, dst, src, n) | (seed ? CCE_STOCHASTIC_INT : 0);
}

#define STORE(name, how)                                                       \
    static uint32_t store_##name(void *dst, const void *src, size_t n,         \
                                 uint32_t *seed)                               \
    {                                                                          \
        return how(name, dst, src, n, seed);                                   \
    }

STORE(bf16, store_fp)
STORE(fp16, store_fp)
STORE(fp8_e3, store_fp)
STORE(fp8_e4, store_fp)
STORE(fp8_e5, store_fp)
STORE(int8, store_int)
STORE(uint8, store_int)
STORE(int16, store_int)
STORE(uint16, store_int)
STORE(int32, store_int)
STORE(uint32, store_int)
STORE(int64, store_wide)
STORE(uint64, store_wide)

uint32_t cce_store(enum trench_dtype type, void *dst, const void *src, size_t n,
                   uint32_t *seed)
{
    static uint32_t (*const storers[TRENCH_NR_DTYPES])(void *, const void *,
                                                       size_t, uint32_t *) = {
        [TRENCH_DTYPE_NONE] = store_none,
        [TRENCH_DTYPE_UINT64] = store_uint64,
        [TRENCH_DTYPE_INT8] = store_int8,
        [TRENCH_DTYPE_UINT8] = store_uint8,
        [TRENCH_DTYPE_INT16] = store_int16,
        [TRENCH_DTYPE_UINT16] = store_uint16,
        [TRENCH_DTYPE_BF16] = store_bf16,
        [TRENCH_DTYPE_FP16] = store_fp16,
        [TRENCH_DTYPE_INT32] = store_int32,
        [TRENCH_DTYPE_UINT32] = store_uint32,
        [TRENCH_DTYPE_FP32] = store_fp32,
        [TRENCH_DTYPE_FP32R] = store_fp32,
        [TRENCH_DTYPE_INT64] = store_int64,
        [TRENCH_DTYPE_FP8_E3] = store_fp8_e3,
        [TRENCH_DTYPE_FP8_E4] = store_fp8_e4,
        [TRENCH_DTYPE_FP8_E5] = store_fp8_e5,
    };

    return storers[type](dst, src, n, seed);
}

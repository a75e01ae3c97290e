/* SPDX-License-Identifier: BSD-3-Clause */
/* Error phrases. Also linked into csrgen, so this file needs nothing else. */
#include <trench/error.h>

#include <string.h>

/* No errno of any system we know is larger; keeps -err from overflowing. */
#define MAX_ERRNO 4095

#ifdef __GLIBC__
/* Unlike strerror() this is constant text and safe from any thread. */
static const char *errno_phrase(int errnum)
{
    return strerrordesc_np(errnum);
}
#else
static const char *errno_phrase(int errnum)
{
    (void)errnum;
    return NULL;
}
#endif

static const char *own_phrase(enum trench_err err)
{
    switch (err) {
    case TRENCH_OK:
        return "success";
    case TRENCH_ERR_IO:
        return "the device answered with an error";
    case TRENCH_ERR_NOMEM:
        return "out of memory";
    case TRENCH_ERR_ACCES:
        return "refused by an access rule";
    case TRENCH_ERR_FAULT:
        return "nothing is mapped at the address";
    case TRENCH_ERR_BUSY:
        return "in use";
    case TRENCH_ERR_EXIST:
        return "overlaps something that exists";
    case TRENCH_ERR_NODEV:
        return "no such engine, block or part";
    case TRENCH_ERR_INVAL:
        return "argument out of range";
    case TRENCH_ERR_NOSPC:
        return "no room";
    case TRENCH_ERR_NOENT:
        return "no such name or file";
    case TRENCH_ERR_NOTSUP:
        return "not available on this generation";
    case TRENCH_ERR_TIMEDOUT:
        return "the deadline passed";
    case TRENCH_ERR_BADMSG:
        return "malformed input";
    }
    return NULL;
}

const char *trench_strerror(int err)
{
    const char *phrase = NULL;

    if (err <= 0 && err >= -MAX_ERRNO) {
        phrase = own_phrase((enum trench_err)err);
        if (!phrase) {
            phrase = errno_phrase(-err);
        }
    }
    return phrase ? phrase : "unknown error";
}

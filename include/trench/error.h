/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors and logging, shared by every part of the library.
 *
 * One convention: a function returns 0 or a count on success and a negative
 * enum trench_err on failure. The values are those of errno, negated, so
 * strerror(-err) also works. An object handed out through a pointer
 * parameter is left untouched on failure.
 *
 * The library never prints. It calls one log callback, with a single line and
 * no newline; errno is preserved around the call.
 */
#ifndef TRENCH_ERROR_H
#define TRENCH_ERROR_H

#include <errno.h>

#include <trench/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why a call failed. Numerically -errno. */
enum trench_err {
    TRENCH_OK = 0,
    TRENCH_ERR_IO = -EIO,             /**< The device answered with an error. */
    TRENCH_ERR_NOMEM = -ENOMEM,       /**< Allocation or mapping failed. */
    TRENCH_ERR_ACCES = -EACCES,       /**< Refused by an access rule. */
    TRENCH_ERR_FAULT = -EFAULT,       /**< Nothing is mapped at the address. */
    TRENCH_ERR_BUSY = -EBUSY,         /**< In use; release or wait first. */
    TRENCH_ERR_EXIST = -EEXIST,       /**< Overlaps something that exists. */
    TRENCH_ERR_NODEV = -ENODEV,       /**< No such engine, block or part. */
    TRENCH_ERR_INVAL = -EINVAL,       /**< An argument is out of its range. */
    TRENCH_ERR_NOSPC = -ENOSPC,       /**< No room: ring, table or section. */
    TRENCH_ERR_NOENT = -ENOENT,       /**< No such name or file. */
    TRENCH_ERR_NOTSUP = -ENOTSUP,     /**< Not available on this generation. */
    TRENCH_ERR_TIMEDOUT = -ETIMEDOUT, /**< The deadline passed. */
    TRENCH_ERR_BADMSG = -EBADMSG,     /**< Malformed input. */
};

/**
 * Describe an error code.
 *
 * @param err  0 or a negative code of this library, or any negated errno.
 * @return a constant English phrase without a final period; never NULL. Valid
 *         for ever. Safe from any thread.
 */
TRENCH_API const char *trench_strerror(int err);

/** How much a log line matters. */
enum trench_log_level {
    TRENCH_LOG_ERROR, /**< The library could not do what it was asked. */
    TRENCH_LOG_GUEST, /**< Software did something the hardware frowns on. */
    TRENCH_LOG_INFO,  /**< Worth knowing, nothing wrong. */
};

/**
 * Receives one log line.
 *
 * @param opaque  The pointer given with the callback.
 * @param level   How much it matters.
 * @param line    One line without a newline; valid during the call only.
 */
typedef void (*trench_log_fn)(void *opaque, enum trench_log_level level,
                              const char *line);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_ERROR_H */

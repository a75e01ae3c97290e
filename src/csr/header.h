/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of register headers, for users and for our own build. */
#ifndef TRENCH_CSR_HEADER_H
#define TRENCH_CSR_HEADER_H

#include <trench/csr.h>

/*
 * A header of one block for our own code: no prefix, since csrgen makes it
 * for the one generation that the code is written against. As
 * trench_csr_header(), which has a prefix.
 */
int csr_header_plain(const struct trench_csr_block *block,
                     trench_csr_put_fn put, void *opaque,
                     struct trench_csr_error *err);

#endif /* TRENCH_CSR_HEADER_H */

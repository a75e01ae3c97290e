/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What csrgen puts into the library: csr_tables_gen.c defines the library
 * below from regs/manifest.json, csr.c hands it out.
 */
#ifndef TRENCH_CSR_BUILTIN_H
#define TRENCH_CSR_BUILTIN_H

#include <trench/csr.h>

extern const struct trench_csr_lib csr_builtin_lib;

#endif /* TRENCH_CSR_BUILTIN_H */

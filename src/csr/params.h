/* SPDX-License-Identifier: BSD-3-Clause */
/* The Parameters of a schema, and expressions that name them. */
#ifndef TRENCH_CSR_PARAMS_H
#define TRENCH_CSR_PARAMS_H

#include "csr/expr.h"
#include "csr/reader.h"

/* Evaluate with the parameters that reader_use_params() has read. */
enum expr_status params_eval(struct reader *rd, const struct expr_text *text,
                             int64_t *out, struct expr_at *at);

/* Warn about parameters that nothing has named. */
void params_warn_unused(struct reader *rd);

#endif /* TRENCH_CSR_PARAMS_H */

/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks what the shared library exports; everything else stays hidden. */
#ifndef TRENCH_EXPORT_H
#define TRENCH_EXPORT_H

#define TRENCH_API __attribute__((visibility("default")))

#endif /* TRENCH_EXPORT_H */

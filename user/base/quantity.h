/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers with a unit, as people write them on a command line. */
#ifndef USER_BASE_QUANTITY_H
#define USER_BASE_QUANTITY_H

#include <linux/types.h>

/*
 * A whole number or a decimal fraction with a unit: a time in ns (the default), us, ms or s; a
 * size in bytes (the default), or K, M, G, T, powers of 1024, which KiB, MiB and so on are, too. 0
 * and *out, rounded down; -EINVAL for what is none, -ERANGE for what does not fit.
 */
int quantity__ns(const char *text, __u64 *out);
int quantity__bytes(const char *text, __u64 *out);
/* A part in percent, above 0 and up to 100: "1%", "0.5 %"; *out is 0.01, 0.005. */
int quantity__share(const char *text, double *out);

#endif

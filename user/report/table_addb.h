/* SPDX-License-Identifier: GPL-2.0-only */
/* The sums over ADDB2 records as tables: time in states, sizes and durations. */
#ifndef USER_REPORT_TABLE_ADDB_H
#define USER_REPORT_TABLE_ADDB_H

#include <stdio.h>

#include "addb/sums.h"

/*
 * Prints sums, those of all jobs together; nothing where there are none. width in characters, 0:
 * not limited. 0 or -ENOMEM; errors of the stream are left to ferror().
 */
int table_addb__print(FILE *out, unsigned int width, const struct addb_sum *sums, size_t n);

#endif

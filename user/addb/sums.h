/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums over ADDB2 records, which the kernel side makes whether records are told one by one or not:
 * which ones are asked for, and what a series of them is of. where: as in the key of such a series.
 */
#ifndef USER_ADDB_SUMS_H
#define USER_ADDB_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"
#include "tmtrace/addb_sums.h"

/* How the records, attributes and sensors of an identifier are summed up. */
struct addb_summed {
	__u32 id;
	struct tm_addb_summed how;
};

/* All that are asked for; returns how many. */
size_t addb_sums__list(struct addb_summed out[TM_ADDB_SUMMED]);

/* Asks for them, in a map (tm_addb_summed). 0, or a negative errno. */
int addb_sums__ask(int map, struct error *err);

enum addb_sum_kind {
	ADDB_SUM_STATE,	 /* of machines, or all of them: addb_sum__what() is NULL */
	ADDB_SUM_BYTES,	 /* sizes in records, and how long it took where they say that, too */
	ADDB_SUM_NUMBER, /* numbers that are neither bytes nor times */
};

enum addb_sum_kind addb_sum__kind(__u64 where);

/* As in "fom-state"; of an attribute its name. Returns out. */
const char *addb_sum__record(__u64 where, char *out, size_t room);
/* As in "write"; NULL: not told apart, or not known. */
const char *addb_sum__fom(__u64 where, char *out, size_t room);
/* The state or the field, as in "Waiting" or "duration"; NULL: the machine from begin to end. */
const char *addb_sum__what(__u64 where, char *out, size_t room);

#endif

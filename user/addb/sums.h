/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel side sums up over ADDB2 records, whether they are told one by one or not: the
 * time that state machines are in each state, and numbers in records, as sizes and durations.
 */
#ifndef USER_ADDB_SUMS_H
#define USER_ADDB_SUMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "drain/histogram.h"
#include "tmtrace/addb.h"

struct addb_sum {
	struct tm_addb_sum_key key;
	struct tm_addb_sum sum;
};

/* Asks for the sums: of all machines that the table of identifiers has. */
void addb_sums__configure(struct tm_addb_config *config);

/*
 * Reads the map (tm_addb_sums): *out is an array of *n, sorted by identifier, fom, state or word,
 * job; to be freed with free(). 0, or a negative errno.
 */
int addb_sums__read(int map, struct addb_sum **out, size_t *n, struct error *err);

/* Machines that are in a state that something follows, in a map (tm_addb_since). */
size_t addb_sums__followed(int map);

__u64 addb_sum__min(const struct addb_sum *sum);
__u64 addb_sum__quantile(const struct addb_sum *sum, unsigned int per_mille);

/* The state or the field, as in "Waiting" or "duration". Returns out. */
const char *addb_sum__what(const struct addb_sum *sum, char *out, size_t room);
/* As in "io-fom", NULL: not told apart. out: room for a number. */
const char *addb_sum__fom(const struct addb_sum *sum, char *out, size_t room);

/* Whether it is of states; else whether the field's numbers are ns. */
bool addb_sum__is_state(const struct addb_sum *sum);
bool addb_sum__is_time(const struct addb_sum *sum);

/* What became of all records, in a map (tm_addb_ledgers) of so many shards. */
void addb_ledger__read(int map, __u32 shards, struct tm_addb_ledger *sum);

#endif

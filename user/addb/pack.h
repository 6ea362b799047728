/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts ADDB2 records together into batches. */
#ifndef USER_ADDB_PACK_H
#define USER_ADDB_PACK_H

#include "addb/batch.h"

struct addb_pack;

/* Batches of at most so many bytes. NULL without memory. */
struct addb_pack *addb_pack__new(size_t bytes);
void addb_pack__free(struct addb_pack *pack); /* NULL is fine */

/*
 * Adds a record. -ENOSPC: the batch is full, and without the record; of an empty one: the record is
 * too large for any.
 */
int addb_pack__add(struct addb_pack *pack, const struct addb_record *record,
		   const struct addb_origin *origin);

/* How many records are in it. */
size_t addb_pack__n(const struct addb_pack *pack);

/* What was added since the last time; valid until the next call. Then it is empty again. */
void addb_pack__finish(struct addb_pack *pack, struct addb_batch *out);

#endif

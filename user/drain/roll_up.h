/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds up series that have the same key once some of what tells them apart is left out, or has
 * other numbers: processes in tables that do not show them, the recordings of several nodes.
 */
#ifndef USER_DRAIN_ROLL_UP_H
#define USER_DRAIN_ROLL_UP_H

#include "drain/drain.h"

struct roll_up;

/* Room for so many series. NULL without memory. */
struct roll_up *roll_up__new(size_t room);
void roll_up__free(struct roll_up *roll_up); /* NULL is fine */

/*
 * Adds a series under the key that it shall have, and what it was at the read before (NULL: it is
 * new). Both must outlive the roll-up.
 */
void roll_up__add(struct roll_up *roll_up, const struct tm_key *key,
		  const struct snapshot_series *series, const struct snapshot_series *before);

/*
 * Adds up, once, when all was added: *snapshot has the series, and those before. What did not
 * change since the read before is the same pointer in both. keep_single: a series that has a key
 * for itself is not copied, and keeps the key that it had. 0 or -ENOMEM.
 */
int roll_up__finish(struct roll_up *roll_up, bool keep_single, struct snapshot *snapshot);

/* Adds up what differs in its process alone: *snapshot is in, with these. *out, or -ENOMEM. */
int roll_up__processes(struct roll_up **out, const struct snapshot *in, struct snapshot *snapshot);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drains of the same counters, which read them at other times. What is at rest is the same for all
 * of them: it is kept once.
 */
#ifndef USER_DRAIN_DRAIN_PEERS_H
#define USER_DRAIN_DRAIN_PEERS_H

#include "drain/drain_state.h"

void drain_peers__join(struct drain *drain, const struct drain *other);
void drain_peers__leave(struct drain *drain);

/*
 * A series as it is now, from another drain that has the same, else its own, but never what this
 * drain has of it; NULL: no memory.
 */
struct snapshot_series *drain_peers__make(const struct drain *drain, const struct known *known,
					  const struct merge *merge);
/* What was made so is not needed any more by one drain. NULL is fine. */
void drain_peers__drop(struct snapshot_series *series);

#endif

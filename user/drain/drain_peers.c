// SPDX-License-Identifier: GPL-2.0-only
/* All peers are on a ring of pointers. One thread has them all. */
#include <stdlib.h>

#include "drain/drain_peers.h"
#include "drain/key_order.h"

void drain_peers__join(struct drain *drain, const struct drain *other)
{
	struct drain *peer = (struct drain *)other;

	drain->peer = peer->peer ? peer->peer : peer;
	peer->peer = drain;
}

void drain_peers__leave(struct drain *drain)
{
	struct drain *before = drain->peer;

	if (!before)
		return;
	while (before->peer != drain)
		before = before->peer;
	before->peer = drain->peer == before ? NULL : drain->peer;
}

/* What a drain has of the same series, found by a slot of it; NULL: nothing. */
static struct snapshot_series *find_series(const struct drain *drain, const struct known *wanted)
{
	const struct known *known;

	for (size_t i = 0; i < wanted->n_slots; i++) {
		known = drain->seen[wanted->slots[i]].known;
		if (known && known->now && !key_order(&known->key, &wanted->key))
			return known->now;
	}
	return NULL;
}

struct snapshot_series *drain_peers__make(const struct drain *drain, const struct known *known,
					  const struct merge *merge)
{
	const struct drain *peer;

	for (peer = drain->peer; peer && peer != drain; peer = peer->peer) {
		struct snapshot_series *series = find_series(peer, known);

		if (series && series != known->now && merge__equals(merge, series)) {
			series->drains++;
			return series;
		}
	}
	return merge__finish(merge);
}

void drain_peers__drop(struct snapshot_series *series)
{
	if (series && !--series->drains)
		free(series);
}

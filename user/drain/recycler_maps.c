// SPDX-License-Identifier: GPL-2.0-only
/* A recycler of the kernel's table. */
#include <errno.h>
#include <stdlib.h>

#include "base/errand.h"
#include "base/grown_map.h"
#include "base/window.h"
#include "drain/recycler_source.h"

#define BUCKETS_BYTES (TM_HISTOGRAMS * TM_BUCKETS * sizeof(__u64))

struct maps {
	int forget_key, free_slot; /* programs */
	struct window buckets[RECYCLER_SIDES];
};

static int show_buckets(void *context, enum recycler_side side, __u32 slot, __u64 **out)
{
	struct maps *maps = context;
	const void *at;
	int ret = window__show(&maps->buckets[side], slot * BUCKETS_BYTES, BUCKETS_BYTES, &at);

	*out = (__u64 *)at;
	return ret;
}

static int forget(void *context, const struct tm_key *key)
{
	const struct maps *maps = context;
	int ret = errand__run(maps->forget_key, key, sizeof(*key));

	return ret == -ENOENT ? 0 : ret;
}

static int give_back(void *context, __u32 slot)
{
	const struct maps *maps = context;
	const __u64 word = slot;

	return errand__run(maps->free_slot, &word, sizeof(word));
}

static void close_maps(void *context)
{
	struct maps *maps = context;

	for (int side = 0; side < RECYCLER_SIDES; side++)
		window__close(&maps->buckets[side]);
	free(maps);
}

int recycler__new(struct recycler **out, const struct drain_maps *fds, struct grown_map *series,
		  const struct job_ends *jobs, const struct recycler_limits *limits,
		  struct error *err)
{
	struct maps *maps = calloc(1, sizeof(*maps));
	struct recycler_source source;
	int ret;

	if (!maps)
		return error__set(err, -ENOMEM, "no memory");
	maps->forget_key = fds->forget_key;
	maps->free_slot = fds->free_slot;
	for (int side = 0; side < RECYCLER_SIDES; side++)
		maps->buckets[side] = (struct window){
			.fd = fds->buckets,
			.map_bytes = fds->slots * BUCKETS_BYTES,
			.writable = true,
		};
	source = (struct recycler_source){
		.series = (struct tm_series *)series->at,
		.map = series,
		.next_slot = fds->next_slot,
		.used_slots = fds->used_slots,
		.slots = fds->slots,
		.buckets = show_buckets,
		.forget = forget,
		.give_back = give_back,
		.close = close_maps,
		.context = maps,
	};
	ret = recycler__new_from(out, &source, jobs, limits);
	if (!ret)
		return 0;
	close_maps(maps);
	return error__set(err, ret, "no memory");
}

// SPDX-License-Identifier: GPL-2.0-only
/* A drain that reads the kernel's maps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "drain/drain_source.h"

/* The kernel rounds an element up to 8 bytes: then an array of ours has its layout. */
_Static_assert(sizeof(struct tm_series) % 8 == 0, "elements of tm_series are not contiguous");
_Static_assert(sizeof(struct tm_ledger) % 8 == 0, "elements of tm_ledgers are not contiguous");

struct maps {
	int buckets;
	void *series, *ledgers; /* mmapped; MAP_FAILED: not */
	size_t series_bytes, ledgers_bytes;
};

static int read_buckets(void *context, __u32 index, __u64 *count)
{
	const struct maps *maps = context;

	return bpf_map_lookup_elem(maps->buckets, &index, count) < 0 ? -errno : 0;
}

static void close_maps(void *context)
{
	struct maps *maps = context;

	if (maps->series != MAP_FAILED)
		munmap(maps->series, maps->series_bytes);
	if (maps->ledgers != MAP_FAILED)
		munmap(maps->ledgers, maps->ledgers_bytes);
	free(maps);
}

int drain__new(struct drain **out, const struct drain_maps *fds, struct error *err)
{
	struct maps *maps = malloc(sizeof(*maps));
	struct drain_source source;
	int ret;

	if (!maps)
		return error__set(err, -ENOMEM, "reading the counters: out of memory");
	maps->buckets = fds->buckets;
	maps->series_bytes = fds->slots * sizeof(struct tm_series);
	maps->ledgers_bytes = (size_t)fds->probes * fds->shards * sizeof(struct tm_ledger);
	maps->series = mmap(NULL, maps->series_bytes, PROT_READ, MAP_SHARED, fds->series, 0);
	maps->ledgers = MAP_FAILED;
	if (maps->series == MAP_FAILED) {
		ret = error__set(err, -errno, "mapping tm_series: %s", strerror(errno));
		goto fail;
	}
	maps->ledgers = mmap(NULL, maps->ledgers_bytes, PROT_READ, MAP_SHARED, fds->ledgers, 0);
	if (maps->ledgers == MAP_FAILED) {
		ret = error__set(err, -errno, "mapping tm_ledgers: %s", strerror(errno));
		goto fail;
	}
	source = (struct drain_source){
		.series = maps->series,
		.ledgers = maps->ledgers,
		.next_slot = fds->next_slot,
		.slots = fds->slots,
		.probes = fds->probes,
		.shards = fds->shards,
		.read_buckets = read_buckets,
		.close = close_maps,
		.context = maps,
	};
	ret = drain__new_from(out, &source);
	if (!ret)
		return 0;
	error__set(err, ret, "reading the counters: out of memory");
fail:
	close_maps(maps);
	return ret;
}

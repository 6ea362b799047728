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

struct mapping {
	void *at; /* NULL: not mapped */
	size_t bytes;
};

struct maps {
	int buckets;
	struct mapping series, ledgers, call_ledgers;
};

static int read_buckets(void *context, __u32 index, __u64 *count)
{
	const struct maps *maps = context;

	return bpf_map_lookup_elem(maps->buckets, &index, count) < 0 ? -errno : 0;
}

static int map(struct mapping *mapping, int fd, size_t bytes, const char *name, struct error *err)
{
	void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return error__set(err, -errno, "mapping %s: %s", name, strerror(errno));
	*mapping = (struct mapping){ at, bytes };
	return 0;
}

static void unmap(const struct mapping *mapping)
{
	if (mapping->at)
		munmap(mapping->at, mapping->bytes);
}

static void close_maps(void *context)
{
	struct maps *maps = context;

	unmap(&maps->series);
	unmap(&maps->ledgers);
	unmap(&maps->call_ledgers);
	free(maps);
}

int drain__new(struct drain **out, const struct drain_maps *fds, struct error *err)
{
	struct maps *maps = calloc(1, sizeof(*maps));
	size_t n_ledgers = (size_t)fds->probes * fds->shards;
	struct drain_source source;
	int ret;

	if (!maps)
		return error__set(err, -ENOMEM, "reading the counters: out of memory");
	maps->buckets = fds->buckets;
	ret = map(&maps->series, fds->series, fds->slots * sizeof(struct tm_series), "tm_series",
		  err);
	if (!ret)
		ret = map(&maps->ledgers, fds->ledgers, n_ledgers * sizeof(struct tm_ledger),
			  "tm_ledgers", err);
	if (!ret && fds->call_ledgers >= 0)
		ret = map(&maps->call_ledgers, fds->call_ledgers,
			  n_ledgers * sizeof(struct tm_call_ledger), "tm_call_ledgers", err);
	if (ret)
		goto fail;
	source = (struct drain_source){
		.series = maps->series.at,
		.ledgers = maps->ledgers.at,
		.call_ledgers = maps->call_ledgers.at,
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

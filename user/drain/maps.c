// SPDX-License-Identifier: GPL-2.0-only
/* A drain that reads the kernel's maps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "base/grown_map.h"
#include "base/window.h"
#include "drain/drain.h"
#include "drain/drain_source.h"
#include "tmtrace/operation.h"

/* The kernel rounds an element up to 8 bytes: then an array of ours has its layout. */
_Static_assert(sizeof(struct tm_series) % 8 == 0, "elements of tm_series are not contiguous");
_Static_assert(sizeof(struct tm_ledger) % 8 == 0, "elements of tm_ledgers are not contiguous");

struct mapping {
	void *at; /* NULL: not mapped */
	size_t bytes;
};

struct maps {
	int operations;
	struct grown_map series;
	struct window buckets;
	struct mapping ledgers, call_ledgers;
};

static int read_buckets(void *context, __u32 index, __u64 *count)
{
	struct maps *maps = context;
	size_t bytes = TM_BUCKETS * sizeof(*count);
	const void *at;
	int ret = window__show(&maps->buckets, index * bytes, bytes, &at);

	for (size_t i = 0; !ret && i < TM_BUCKETS; i++)
		count[i] = __atomic_load_n((const __u64 *)at + i, __ATOMIC_RELAXED);
	return ret;
}

/* Operations in flight that are read at once. */
#define BATCH 256

struct operations {
	struct tm_operation_key keys[BATCH];
	struct tm_operation values[BATCH];
};

static void note_oldest(const struct operations *batch, __u32 n, __u64 *launch_ns, __u32 slots)
{
	for (__u32 i = 0; i < n; i++) {
		const struct tm_operation *operation = &batch->values[i];
		__u64 launched = operation->launch_ns;
		__u32 slot = operation->slot;

		if (operation->state == TM_OPERATION_EXPECTED || slot >= slots)
			continue;
		if (!launch_ns[slot] || launched < launch_ns[slot])
			launch_ns[slot] = launched;
	}
}

static int find_oldest(void *context, __u64 *launch_ns, __u32 slots)
{
	const struct maps *maps = context;
	struct operations *batch = malloc(sizeof(*batch));
	struct tm_operation_key token;
	void *from = NULL;
	int ret = batch ? 0 : -ENOMEM;

	while (!ret) {
		__u32 n = BATCH;

		ret = bpf_map_lookup_batch(maps->operations, from, &token, batch->keys,
					   batch->values, &n, NULL);
		ret = ret ? -errno : 0;
		if (!ret || ret == -ENOENT)
			note_oldest(batch, n, launch_ns, slots);
		from = &token;
	}
	free(batch);
	return ret == -ENOENT ? 0 : ret; /* the end of the table */
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

	window__close(&maps->buckets);
	grown_map__close(&maps->series);
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
	maps->buckets = (struct window){
		.fd = fds->buckets,
		.map_bytes = (size_t)fds->slots * TM_HISTOGRAMS * TM_BUCKETS * sizeof(__u64),
		.more = WINDOW_PARTS - 1, /* those of a single job are read often */
	};
	maps->operations = fds->operations;
	ret = grown_map__open(&maps->series, fds->series, fds->slots * sizeof(struct tm_series),
			      PROT_READ | PROT_WRITE);
	if (ret)
		error__set(err, ret, "mapping tm_series: %s", strerror(-ret));
	if (!ret)
		ret = map(&maps->ledgers, fds->ledgers, n_ledgers * sizeof(struct tm_ledger),
			  "tm_ledgers", err);
	if (!ret && fds->call_ledgers >= 0)
		ret = map(&maps->call_ledgers, fds->call_ledgers,
			  n_ledgers * sizeof(struct tm_call_ledger), "tm_call_ledgers", err);
	if (ret)
		goto fail;
	source = (struct drain_source){
		.series = (const struct tm_series *)maps->series.at,
		.map = &maps->series,
		.ledgers = maps->ledgers.at,
		.call_ledgers = maps->call_ledgers.at,
		.moved = fds->moved,
		.numbered = fds->numbered,
		.next_slot = fds->next_slot,
		.slots = fds->slots,
		.probes = fds->probes,
		.shards = fds->shards,
		.read_buckets = read_buckets,
		.find_oldest = find_oldest,
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

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/bpf_ring.h"
#include "kernel/forget.h"
#include "tmtrace/call.h"
#include "tmtrace/config.h"
#include "tmtrace/object.h"
#include "tmtrace/process.h"
#include "tmtrace/series.h"
#include "tmtrace.skel.h"

/* Deletes every element of a hash. */
static int clear_hash(const struct bpf_map *map)
{
	union {
		struct tm_key key;
		struct tm_object_key object;
		__u32 tgid;
	} first;
	int fd = bpf_map__fd(map);

	while (!bpf_map_get_next_key(fd, NULL, &first))
		if (bpf_map_delete_elem(fd, &first) && errno != ENOENT)
			return -errno;
	return 0;
}

/* Makes the elements from first to end - 1 of an array zero. */
static int clear_array(const struct bpf_map *map, __u32 first, __u32 end)
{
	void *zeros = calloc(1, bpf_map__value_size(map));
	int ret = zeros ? 0 : -ENOMEM;

	for (; !ret && first < end; first++)
		ret = bpf_map_update_elem(bpf_map__fd(map), &first, zeros, BPF_ANY);
	free(zeros);
	return ret;
}

static int drop_call(void *context, void *event, size_t size)
{
	(void)context;
	(void)event;
	(void)size;
	return 0;
}

/* The calls that were recorded, and what became of the others. */
static int clear_calls(const struct tmtrace_bpf *skel)
{
	struct bpf_ring *ring = NULL;
	int ret = bpf_ring__open(&ring, bpf_map__fd(skel->maps.tm_calls), drop_call, NULL);
	size_t size;
	void *ledgers;

	if (!ret)
		ret = bpf_ring__read(ring);
	bpf_ring__close(ring);
	if (ret < 0)
		return ret;
	size = bpf_map__max_entries(skel->maps.tm_call_ledgers) * sizeof(struct tm_call_ledger);
	ledgers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_map__fd(skel->maps.tm_call_ledgers), 0);
	if (ledgers == MAP_FAILED)
		return -errno;
	memset(ledgers, 0, size);
	munmap(ledgers, size);
	return 0;
}

/* Most of many have counted nothing, and are only looked at. */
static int clear_ledgers(const struct bpf_map *map)
{
	__u32 i, n = bpf_map__max_entries(map);
	struct tm_ledger *ledgers;

	ledgers = mmap(NULL, n * sizeof(*ledgers), PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_map__fd(map), 0);
	if (ledgers == MAP_FAILED)
		return -errno;
	for (i = 0; i < n; i++)
		if (ledgers[i].hits)
			ledgers[i] = (struct tm_ledger){ 0 };
	munmap(ledgers, n * sizeof(*ledgers));
	return 0;
}

/* Slots of a lost race are not used again: that is rare. */
static int clear_objects(struct tmtrace_bpf *skel)
{
	__u32 end = TM_OBJECT_NOBODY + skel->bss->tm_next_object, slots;
	int ret = clear_hash(skel->maps.tm_object_slots);

	slots = bpf_map__max_entries(skel->maps.tm_objects);
	if (!ret)
		ret = clear_array(skel->maps.tm_objects, 0, end < slots ? end : slots);
	skel->bss->tm_next_object = 0;
	return ret;
}

int forget__counts(struct tmtrace_bpf *skel)
{
	__u32 used = skel->bss->tm_next_slot, slot;
	int ret;

	ret = clear_hash(skel->maps.tm_slots);
	if (!ret)
		ret = clear_hash(skel->maps.tm_targets);
	if (!ret)
		ret = clear_array(skel->maps.tm_series, 0, used);
	if (!ret)
		ret = clear_array(skel->maps.tm_buckets, 0, used * TM_HISTOGRAMS);
	if (!ret)
		ret = clear_ledgers(skel->maps.tm_ledgers);
	if (!ret && skel->rodata->tm_config.calls)
		ret = clear_calls(skel);
	if (!ret && skel->rodata->tm_config.objects)
		ret = clear_objects(skel);
	memset(skel->bss->tm_stackless, 0, sizeof(skel->bss->tm_stackless));
	while (!bpf_map_lookup_and_delete_elem(bpf_map__fd(skel->maps.tm_free_slots), NULL, &slot))
		;
	skel->bss->tm_next_slot = skel->bss->tm_used_slots = 0;
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "drain/formulas.h"
#include "report/volumes.h"

/* Each two bins become one. */
static void widen(struct volumes *volumes)
{
	__u64 first = volumes->first / 2;

	for (int volume = 0; volume < VOLUMES; volume++) {
		__u64 bytes[VOLUMES_BINS] = { 0 };

		for (size_t i = 0; i < volumes->n; i++)
			bytes[(volumes->first + i) / 2 - first] += volumes->bytes[volume][i];
		memcpy(volumes->bytes[volume], bytes, sizeof(bytes));
	}
	if (volumes->n)
		volumes->n = (size_t)((volumes->first + volumes->n - 1) / 2 - first + 1);
	volumes->first = first;
	volumes->bin_ns *= 2;
}

/* Makes room before the first bin. */
static void move(struct volumes *volumes, size_t before)
{
	for (int volume = 0; volume < VOLUMES; volume++) {
		__u64 *bytes = volumes->bytes[volume];

		memmove(bytes + before, bytes, volumes->n * sizeof(*bytes));
		memset(bytes, 0, before * sizeof(*bytes));
	}
	volumes->first -= before;
	volumes->n += before;
}

/* Has bins from the one to the other, both included. */
static void reach(struct volumes *volumes, __u64 start_ns, __u64 end_ns)
{
	__u64 first, last, end;

	if (!volumes->bin_ns)
		*volumes = (struct volumes){ .bin_ns = VOLUMES_BIN_NS,
					     .first = start_ns / VOLUMES_BIN_NS };
	for (;;) {
		first = start_ns / volumes->bin_ns;
		last = end_ns / volumes->bin_ns;
		end = volumes->first + volumes->n;
		if (first > volumes->first)
			first = volumes->first;
		if (last + 1 > end)
			end = last + 1;
		if (end - first <= VOLUMES_BINS)
			break;
		widen(volumes);
	}
	if (first < volumes->first)
		move(volumes, (size_t)(volumes->first - first));
	volumes->n = (size_t)(end - first);
}

/* Of bytes, what comes in so much of a whole. */
static __u64 part_of(__u64 bytes, __u64 part, __u64 whole)
{
	return (__u64)((unsigned __int128)bytes * part / whole);
}

void volumes__add(struct volumes *volumes, enum volume volume, __u64 start_ns, __u64 end_ns,
		  __u64 bytes)
{
	__u64 last_ns = end_ns > start_ns ? end_ns - 1 : start_ns, whole, done = 0;

	if (!bytes)
		return;
	reach(volumes, start_ns, last_ns);
	whole = last_ns - start_ns + 1;
	for (__u64 bin = start_ns / volumes->bin_ns; bin <= last_ns / volumes->bin_ns; bin++) {
		__u64 until_ns = (bin + 1) * volumes->bin_ns;
		/* All that came up to the bin's end, less what came before it: nothing is lost. */
		__u64 sum = until_ns > last_ns ? bytes : part_of(bytes, until_ns - start_ns, whole);

		volumes->bytes[volume][bin - volumes->first] += sum - done;
		done = sum;
	}
}

/* VOLUMES: it is none of them. What comes to other jobs has come before, to those that are gone. */
static enum volume volume_of(const struct tm_key *key)
{
	enum flow flow = flow__of(key->layer, key->function);

	if (key->job == TM_JOB_OTHERS || flow == FLOW_NEITHER)
		return VOLUMES;
	if (key->layer == TM_LAYER_VFS)
		return flow == FLOW_READ ? VOLUME_FILES_READ : VOLUME_FILES_WRITTEN;
	return flow == FLOW_READ ? VOLUME_DEVICES_READ : VOLUME_DEVICES_WRITTEN;
}

void volumes__take(struct volumes *volumes, const struct report_run *run,
		   const struct snapshot *snapshot, const struct filter *filter)
{
	__u64 start_ns = snapshot->before_ns ? snapshot->before_ns : run->start_ns;
	__u64 bytes[VOLUMES] = { 0 };

	for (size_t i = 0; i < snapshot->n_series; i++) {
		const struct snapshot_series *now = snapshot->series[i];
		const struct snapshot_series *before = snapshot->before[i];
		enum volume volume = volume_of(&now->total.key);
		__u64 then = before ? before->total.bytes : 0;

		if (volume != VOLUMES && now->total.bytes > then &&
		    filter__passes(filter, run, &now->total))
			bytes[volume] += now->total.bytes - then;
	}
	for (enum volume volume = 0; volume < VOLUMES; volume++)
		volumes__add(volumes, volume, start_ns, snapshot->time_ns, bytes[volume]);
}

__u64 volumes__start_ns(const struct volumes *volumes)
{
	return volumes->first * volumes->bin_ns;
}

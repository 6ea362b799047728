// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "recording/recording_format.h"
#include "recording/timeline_code.h"
#include "recording/timeline_writer.h"

/* Even where bins are longer, what a kill may lose is not. */
#define WAIT_MAX_NS (10 * NS_PER_S)

/* One that is in the file. */
struct written {
	__u64 number, additions, time_ns;
	__u64 round; /* in which it was there last */
};

struct timeline_writer {
	struct written *all; /* by number, as numbers only grow */
	size_t n, room;
	__u64 round;
};

struct timeline_writer *timeline_writer__new(void)
{
	return calloc(1, sizeof(struct timeline_writer));
}

void timeline_writer__free(struct timeline_writer *writer)
{
	if (!writer)
		return;
	free(writer->all);
	free(writer);
}

static int compare_numbers(const void *left, const void *right)
{
	const struct written *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

/* What is in the file of one, in order of numbers; NULL without memory. */
static struct written *find_timeline(struct timeline_writer *writer, __u64 number)
{
	const struct written wanted = { .number = number };
	struct written *found = writer->n ? bsearch(&wanted, writer->all, writer->n, sizeof(wanted),
						    compare_numbers)
					  : NULL;
	size_t i;

	if (found)
		return found;
	if (array__grow((void **)&writer->all, &writer->room, writer->n, sizeof(*writer->all)) < 0)
		return NULL;
	for (i = writer->n++; i && writer->all[i - 1].number > number; i--)
		writer->all[i] = writer->all[i - 1];
	writer->all[i] = wanted;
	return &writer->all[i];
}

static bool is_due(const struct written *written, const struct timeline *timeline, __u64 now_ns)
{
	__u64 wait_ns = timeline__bin_ns(timeline);

	if (wait_ns > WAIT_MAX_NS)
		wait_ns = WAIT_MAX_NS;
	return now_ns - written->time_ns >= wait_ns;
}

static int put_timeline(struct written *written, struct ring_writer *ring, struct pack *pack,
			const struct timeline *timeline, __u64 now_ns, struct error *err)
{
	int ret;

	pack__start(pack);
	timeline_code__pack(pack, timeline);
	if (pack->failed)
		return -ENOMEM;
	ret = ring_writer__state(ring, RECORDING_TIMELINE, written->number, pack->bytes, pack->n,
				 err);
	written->additions = timeline__additions(timeline);
	written->time_ns = now_ns;
	return ret == -ENOSPC || ret == -E2BIG ? 0 : ret;
}

/* Those that were not there in this round. */
static int forget(struct timeline_writer *writer, struct ring_writer *ring, struct error *err)
{
	size_t left = 0;
	int ret = 0;

	for (size_t i = 0; i < writer->n; i++) {
		if (writer->all[i].round == writer->round || ret < 0)
			writer->all[left++] = writer->all[i];
		else
			ret = ring_writer__forget(ring, RECORDING_TIMELINE, writer->all[i].number,
						  err);
	}
	writer->n = left;
	return ret;
}

int timeline_writer__put(struct timeline_writer *writer, struct ring_writer *ring,
			 struct pack *pack, const struct snapshot *snapshot, bool final,
			 struct error *err)
{
	int ret = 0;

	writer->round++;
	for (size_t i = 0; i < snapshot->n_timelines && ret >= 0; i++) {
		const struct timeline *timeline = snapshot->timelines[i];
		struct written *written = find_timeline(writer, timeline__about(timeline).number);

		if (!written)
			return -ENOMEM;
		written->round = writer->round;
		if (written->additions != timeline__additions(timeline) &&
		    (final || is_due(written, timeline, snapshot->time_ns)))
			ret = put_timeline(written, ring, pack, timeline, snapshot->time_ns, err);
	}
	return ret < 0 ? ret : forget(writer, ring, err);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "addb/event.h"
#include "addb/reader.h"
#include "base/bpf_ring.h"
#include "base/clock.h"

/* The longest that addb_reader__drain() takes at a time, about. */
#define TURN_NS 100000000

/* Records between two looks at the clock. */
#define CLOCK_EVERY 64

struct addb_reader {
	struct addb_reader_options options;
	struct bpf_ring *ring;
	__u64 offset_ns; /* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	__u64 until_ns;	 /* CLOCK_MONOTONIC: end of the turn */
	__u64 taken, filtered;
	struct addb_record record; /* the current one */
	__u64 cgroup, job;	   /* of the last one, and what that is of */
};

/* Of each record. An error ends the turn; the record itself is done with. */
static int on_record(void *context, void *data, size_t size)
{
	struct addb_reader *reader = context;
	struct addb_origin origin;

	if (addb_event__read(&reader->record, &origin, data, size, reader->offset_ns) < 0)
		return 0;
	if (!addb_filter__wants(reader->options.filter, &reader->record)) {
		reader->filtered++;
		return 0;
	}
	if (reader->cgroup != origin.job) {
		reader->cgroup = origin.job;
		reader->job = job_map__of(&reader->options.jobs, origin.job);
	}
	origin.job = reader->job;
	reader->options.take(reader->options.context, &reader->record, &origin);
	if (++reader->taken % CLOCK_EVERY)
		return 0;
	return clock__ns(CLOCK_MONOTONIC) > reader->until_ns ? -EAGAIN : 0;
}

int addb_reader__open(struct addb_reader **out, const struct addb_reader_options *options,
		      struct error *err)
{
	struct addb_reader *reader = calloc(1, sizeof(*reader));
	int ret = -ENOMEM;

	if (reader) {
		reader->options = *options;
		reader->offset_ns = clock__ns(CLOCK_REALTIME) - clock__ns(CLOCK_MONOTONIC);
		ret = bpf_ring__open(&reader->ring, options->ring, on_record, reader);
	}
	if (ret < 0) {
		addb_reader__close(reader);
		return error__set(err, ret, "ADDB2 records cannot be read: %s", strerror(-ret));
	}
	*out = reader;
	return 0;
}

void addb_reader__close(struct addb_reader *reader)
{
	if (!reader)
		return;
	bpf_ring__close(reader->ring);
	free(reader);
}

int addb_reader__fd(const struct addb_reader *reader)
{
	return bpf_ring__fd(reader->ring);
}

int addb_reader__drain(struct addb_reader *reader, bool over, struct error *err)
{
	int ret;

	reader->until_ns = over ? ~0ULL : clock__ns(CLOCK_MONOTONIC) + TURN_NS;
	ret = bpf_ring__read(reader->ring);
	if (ret < 0 && ret != -EAGAIN)
		return error__set(err, ret, "reading ADDB2 records: %s", strerror(-ret));
	return 0;
}

static void add_ledger(struct tm_addb_ledger *sum, const struct tm_addb_ledger *ledger)
{
	sum->recorded += ledger->recorded;
	sum->unwanted += ledger->unwanted;
	sum->unreadable += ledger->unreadable;
	sum->full += ledger->full;
	sum->busy += ledger->busy;
	sum->labels_unreadable += ledger->labels_unreadable;
	sum->covered += ledger->covered;
	sum->undecided += ledger->undecided;
	sum->misplaced += ledger->misplaced;
}

/* All roles, into sums by role. */
static void add_roles(const struct addb_reader *reader, struct tm_addb_ledger *sums)
{
	struct tm_addb_ledger ledger;
	__u32 i;

	for (i = 0; i < TM_ADDB_ROLES * reader->options.shards; i++)
		if (!bpf_map_lookup_elem(reader->options.ledgers, &i, &ledger))
			add_ledger(&sums[i / reader->options.shards], &ledger);
}

void addb_reader__count(const struct addb_reader *reader, struct addb_counts *counts)
{
	struct tm_addb_ledger sums[TM_ADDB_ROLES] = { 0 };
	const struct tm_addb_ledger *push = &sums[TM_ADDB_PUSH];

	*counts = (struct addb_counts){
		.time_ns = clock__ns(CLOCK_REALTIME),
		.taken = reader->taken,
		.filtered = reader->filtered,
	};
	add_roles(reader, sums);
	add_ledger(&counts->kernel, &sums[TM_ADDB_CONSUME]);
	add_ledger(&counts->kernel, &sums[TM_ADDB_ADD]);
	counts->kernel.misplaced = sums[TM_ADDB_POP].misplaced;
	counts->labels_lost = push->full + push->busy;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "recording/addb_code.h"

/* In the order of the recording. */
#define COUNTS 13

void addb_code__pack(struct pack *pack, const struct addb_counts *counts)
{
	const struct tm_addb_ledger *kernel = &counts->kernel;
	const __u64 numbers[COUNTS] = {
		kernel->recorded,    kernel->unwanted,	kernel->unreadable,
		kernel->full,	     kernel->busy,	kernel->labels_unreadable,
		counts->taken,	     counts->filtered,	counts->large,
		kernel->covered,     kernel->undecided, kernel->misplaced,
		counts->labels_lost,
	};

	pack__u64(pack, counts->time_ns);
	pack__numbers(pack, numbers, COUNTS);
}

int addb_code__unpack(struct addb_counts *counts, struct unpack *unpack)
{
	__u64 numbers[COUNTS] = { 0 };

	*counts = (struct addb_counts){ .time_ns = unpack__u64(unpack) };
	unpack__numbers(unpack, numbers, COUNTS);
	counts->kernel = (struct tm_addb_ledger){
		.recorded = numbers[0],
		.unwanted = numbers[1],
		.unreadable = numbers[2],
		.full = numbers[3],
		.busy = numbers[4],
		.labels_unreadable = numbers[5],
		.covered = numbers[9],
		.undecided = numbers[10],
		.misplaced = numbers[11],
	};
	counts->taken = numbers[6];
	counts->filtered = numbers[7];
	counts->large = numbers[8];
	counts->labels_lost = numbers[12];
	return unpack->failed ? -EBADMSG : 0;
}

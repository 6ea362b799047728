/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record of ADDB2, the telemetry of the object store Motr: a measurement or the snapshot of a
 * sensor, with the labels that held when it was made, outermost first.
 */
#ifndef USER_ADDB_RECORD_H
#define USER_ADDB_RECORD_H

#include <linux/types.h>

#include "tmtrace/addb.h"

/* An identifier with its payload. Words beyond n are 0. */
struct addb_value {
	__u64 id;
	__u64 time_ns; /* since 1970; 0: not known */
	unsigned int n;
	__u64 words[TM_ADDB_WORDS];
};

struct addb_record {
	struct addb_value value;
	unsigned int n_labels;
	struct addb_value labels[TM_ADDB_LABELS];
};

/* Where a record comes from. */
struct addb_origin {
	__u64 time_ns; /* CLOCK_REALTIME: when it was made, or seen */
	__u64 job;     /* cgroup id */
	__u32 pid, tid;
	enum tm_addb_role role;
	unsigned int unreadable; /* labels without their words */
};

/*
 * What became of the records, over all; the kernel's part as in struct tm_addb_ledger: of those
 * roles that tell records, and the misplaced ones of TM_ADDB_POP.
 */
struct addb_counts {
	__u64 time_ns; /* CLOCK_REALTIME: of when */
	struct tm_addb_ledger kernel;
	__u64 taken;	   /* handed over */
	__u64 filtered;	   /* told, and not wanted for their labels */
	__u64 large;	   /* taken, and too large for the recording */
	__u64 labels_lost; /* of threads without a machine: not kept */
};

#endif

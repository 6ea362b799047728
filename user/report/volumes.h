/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much was read and written when: from the snapshots of recordings, one after the other, in at
 * most 200 bins, each two of which become one of twice the width when there are more. What came
 * between two snapshots is spread evenly over the time between them, so that bins add up to what
 * there was.
 */
#ifndef USER_REPORT_VOLUMES_H
#define USER_REPORT_VOLUMES_H

#include "report/filter.h"

#define VOLUMES_BINS 200
#define VOLUMES_BIN_NS \
	1000000000ULL /* of the narrowest ones: recordings are written every second */

enum volume {
	VOLUME_FILES_READ,
	VOLUME_FILES_WRITTEN,
	VOLUME_DEVICES_READ,
	VOLUME_DEVICES_WRITTEN,
	VOLUMES,
};

struct volumes {
	__u64 bin_ns; /* 0: nothing was added yet */
	__u64 first;  /* number of the first bin since 1970 */
	size_t n;
	__u64 bytes[VOLUMES][VOLUMES_BINS];
};

/* Spreads bytes over a time (ns since 1970), which ends after it begins, or is no time. */
void volumes__add(struct volumes *volumes, enum volume volume, __u64 start_ns, __u64 end_ns,
		  __u64 bytes);

/*
 * Adds what has come in a snapshot of a run since the one before, as far as the filter lets it
 * through.
 */
void volumes__take(struct volumes *volumes, const struct report_run *run,
		   const struct snapshot *snapshot, const struct filter *filter);

/* When the first bin begins. */
__u64 volumes__start_ns(const struct volumes *volumes);

#endif

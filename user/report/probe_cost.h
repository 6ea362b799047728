/* SPDX-License-Identifier: GPL-2.0-only */
/* What probes cost the machine, as far as it was measured at the start. */
#ifndef USER_REPORT_PROBE_COST_H
#define USER_REPORT_PROBE_COST_H

#include "report/report.h"

/* What a hit of a probe costs; NULL: not known. */
const struct report_hit_cost *probe_cost__of(const struct report_run *run,
					     const struct probe *probe);

/*
 * CPU time in ns of so many hits of a probe on a library, if they only were counted, and what it
 * takes more to time so many calls; negative: not known.
 */
double probe_cost__hits_ns(const struct report_run *run, const struct probe *probe, __u64 hits);
double probe_cost__timing_ns(const struct report_run *run, const struct probe *probe, __u64 timed);

/* How many calls of a ledger were timed; about, if that was so for a part of the time only. */
__u64 probe_cost__timed(const struct probe *probe, const struct tm_ledger *ledger);

/* All since the start. */
struct probe_cost {
	size_t armed; /* probes */
	__u64 hits, lost;
	__u64 vfs_hits, block_hits;
	__u64 other_hits;  /* of vfs, that were on no file */
	double library_ns; /* CPU time that hits of probes on libraries took, whoever made them */
	bool known;	   /* library_ns is: each that was hit was measured */
};

struct probe_cost probe_cost__sum(const struct report_run *run, const struct snapshot *snapshot);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions were not counted, or not timed, for a while, as their probes were parked. */
#ifndef USER_REPORT_GAPS_H
#define USER_REPORT_GAPS_H

#include "report/report.h"

/* Mostly there are none: so the probes are looked through once, and not for each series. */
struct gaps {
	const struct report_run *run;
	__u64 time_ns;	   /* CLOCK_REALTIME */
	size_t first, end; /* all probes that ever were parked, or their exits, are among these */
};

/* As of that time; valid as long as the run's probes are. */
struct gaps gaps__find(const struct report_run *run, __u64 time_ns);

/* For how long a probe of the key's function was parked in all, in ns; 0: never. */
__u64 gaps__of(const struct gaps *gaps, const struct tm_key *key);
/* The same of its exits: for how long calls were counted, not timed. */
__u64 gaps__untimed(const struct gaps *gaps, const struct tm_key *key);
/* And how often these were parked. */
__u64 gaps__times_untimed(const struct gaps *gaps, const struct tm_key *key);

#endif

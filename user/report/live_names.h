/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of a run that is under way, looked up on the machine. */
#ifndef USER_REPORT_LIVE_NAMES_H
#define USER_REPORT_LIVE_NAMES_H

#include "report/report.h"

struct mounts;	  /* host/mounts.h */
struct devices;	  /* host/devices.h */
struct job_table; /* job/job_table.h */
struct processes; /* process/processes.h */
struct pools;	  /* pool/pools.h */

/* Where they are looked up; it owns none of them. */
struct live_names {
	const struct probe_table *probes;
	/* Each may be NULL: then its names are not known. */
	struct mounts *mounts;
	struct devices *devices;
	struct job_table *jobs;
	struct processes *processes;
	struct pools *pools;
};

/*
 * Has a run's names looked up there, and its probes be those that are in the table now: to be
 * called again when probes were added. names must outlive the run.
 */
void live_names__use(struct live_names *names, struct report_run *run);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Which series are shown, by their names. */
#ifndef USER_REPORT_FILTER_H
#define USER_REPORT_FILTER_H

#include "process/account.h"
#include "report/report.h"

struct filter;

struct filter *filter__new(void);	  /* lets everything through; NULL: no memory */
void filter__free(struct filter *filter); /* NULL is fine */

/*
 * Takes over "KEY=GLOB" (fnmatch(3)), KEY one of layer, function, cgroup, device, fs_type, mount,
 * pid, comm, rank, jobid. Of one key any may match, of several keys all must. -EINVAL, -ENOMEM.
 */
int filter__add(struct filter *filter, const char *text, struct error *err);

/* Takes over that the job is called exactly this. -ENOMEM. */
int filter__add_job(struct filter *filter, const char *jobid, struct error *err);

/* Of what passes otherwise, only the jobs for which this is true; context must outlive it. */
void filter__choose_jobs(struct filter *filter,
			 bool (*chosen)(void *context, const struct report_run *run, __u64 job),
			 void *context);

bool filter__passes(const struct filter *filter, const struct report_run *run,
		    const struct tm_series *series);

/*
 * Files and objects are known by layer, cgroup and process: where a filter asks for anything else,
 * none passes. Those of a whole job are of no process.
 */
bool filter__passes_object(const struct filter *filter, const struct report_run *run,
			   const struct tm_object_key *key);

/* What a process did is of all its layers and places: where a filter asks for some, none passes. */
bool filter__passes_account(const struct filter *filter, const struct report_run *run,
			    const struct process_account *account);

/* A view of a snapshot with what is let through; its probes stay. 0, or -ENOMEM. */
int filter__apply(const struct filter *filter, const struct report_run *run,
		  const struct snapshot *in, struct snapshot *out);
/* Ends such a view. */
void filter__release(struct snapshot *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jobs of this machine: the paths of its cgroups, and which job each is of. A job's number is
 * the id of its own directory's cgroup; all cgroups below, whenever they are made, are of it.
 */
#ifndef USER_JOB_JOB_TABLE_H
#define USER_JOB_JOB_TABLE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/error.h"
#include "job/env_jobs.h"
#include "job/job_ends.h"
#include "job/job_info.h"
#include "job/job_map.h"
#include "job/kept_names.h"

struct job_table;

struct job_table_options {
	const char *mount;		   /* of the hierarchy, version 1 or 2 */
	const char *patterns;		   /* a file, as of job_patterns__read(); NULL: none */
	int events;			   /* descriptor of tm_cgroups; stays the caller's */
	const struct kept_names_map *kept; /* names of cgroups; NULL: they are not kept */
	const struct env_jobs_maps *named; /* of jobs that the environment names; NULL: none */
	bool walk; /* learn the cgroups that there are now: they may go soon */
};

/* 0 and *out, or a negative errno: why the hierarchy or the patterns cannot be read, -ENOMEM. */
int job_table__open(struct job_table **out, const struct job_table_options *options,
		    struct error *err);
void job_table__close(struct job_table *table); /* NULL is fine */

/* As bpf_ring__fd(): cgroups have come or gone, at the latest when they are many. */
int job_table__fd(const struct job_table *table);
void job_table__read(struct job_table *table);

/* Which of its cgroups are gone and jobs are over, as long as the table is there. */
struct job_ends job_table__ends(struct job_table *table);
/* The job of each cgroup, the same. */
struct job_map job_table__map(struct job_table *table);

/*
 * What is known of a job by its number, or of any cgroup by its id, which has its own step; NULL:
 * nothing. What it has used is 5 s old, at most, and older where there are more than 200 cgroups of
 * jobs: 25 s with 1,000. Until the next call.
 */
const struct job_info *job_table__info(struct job_table *table, __u64 job);
/* What it is called, without what it has used. The same. */
const char *job_table__jobid(struct job_table *table, __u64 job);
/* How often one got another name so far. */
__u64 job_table__renames(const struct job_table *table);
/* Has it a SLUID, and nobody has told yet what it is called? */
bool job_table__awaits_name(struct job_table *table, __u64 job);
/* From now on, or not any more: what has been used is 5 s old at most, however many jobs there are.
 */
void job_table__hurry(struct job_table *table, bool is_urgent);
/* What has been used is read anew from now on. */
void job_table__refresh(struct job_table *table);
/* The cgroup that it is, or whose processes its number is for. */
__u64 job_table__cgroup(const struct job_table *table, __u64 job);
/* The path of its cgroup below the mount; NULL: not known. Until the next call. */
const char *job_table__path(struct job_table *table, __u64 job);

#endif

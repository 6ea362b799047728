/* SPDX-License-Identifier: GPL-2.0-only */
/* What a struct job_table has, for the files that are about one. */
#ifndef USER_JOB_JOB_TABLE_STATE_H
#define USER_JOB_JOB_TABLE_STATE_H

#include "base/id_map.h"
#include "host/cgroup_names.h"
#include "job/cgroup_events.h"
#include "job/cgroup_lives.h"
#include "job/job_cgroups.h"
#include "job/job_env.h"
#include "job/job_patterns.h"
#include "job/job_table.h"
#include "job/kept_names.h"

struct member;

/* A job, or a cgroup that is of none. */
struct job {
	struct job_match name; /* first: the tree of jobs compares kind and jobid */
	__u64 id;
	struct job_info info;
	__u64 directory;	  /* id of its cgroup; another one after it was requeued */
	struct job_usage own;	  /* of that; of one that is named, of all that it was told for */
	struct job_usage earlier; /* of those before, or of numbers that were given back: */
	__u64 earlier_end_ns;	  /* CLOCK_REALTIME: when the last one of these ended; 0: none */
	bool several_steps;
	char told[START_ENV_JOBID + 1]; /* what its environment calls it; empty: not known */
	__u64 read_ns;			/* CLOCK_MONOTONIC: when usage was read */
	struct member *members;
};

/* A cgroup, or a number of a job that is named, that was looked into. */
struct member {
	__u64 cgroup;
	struct job *job;
	bool owns;	     /* the job is itself */
	bool was_over;	     /* a number: its series were given to the job */
	char *step;	     /* of the job; NULL: none */
	struct member *next; /* of the job's */
};

struct job_table {
	struct cgroup_names *cgroups;
	struct cgroup_lives *lives;
	struct cgroup_events *events;
	struct kept_names *kept; /* NULL: names are not kept */
	struct job_patterns *patterns;
	struct env_jobs *env; /* NULL: none */
	struct env_jobs_maps named_maps;
	struct job_cgroups told; /* to the kernel side */
	char *mount;
	bool is_urgent;	       /* what has been used is told to somebody who asks */
	__u64 stale_ns;	       /* CLOCK_MONOTONIC: what was read of usage before is read anew */
	void *jobs;	       /* of struct job, tsearch(3) */
	void *named;	       /* of those that the environment names, the same */
	struct id_map members; /* of struct member, by cgroup or number */
	__u64 renames;	       /* of jobs, but for those of cgroups */
	struct job_info shown; /* of the cgroup of a step that was asked for */
	__u64 *over; /* numbers that are, of which there are series; nobody was told yet */
	size_t n_over, over_room;
};

/* NULL: no memory. */
struct job *job_table__new_job(const struct job_match *name, __u64 id);
/* The member of that cgroup or number; NULL: nobody has asked for it. */
struct member *job_table__find_member(const struct job_table *table, __u64 cgroup);
/* The same, new or not; NULL: nothing is known of it, or no memory. */
const struct member *job_table__member(struct job_table *table, __u64 cgroup);
/* Takes over a member of the tree-to-be; NULL: it has no job, or no memory, and is gone. */
const struct member *job_table__add_member(struct job_table *table, struct member *member);
/* Takes one out of its job, which stays. */
void job_table__drop_member(struct job_table *table, struct member *member);

/* Finds out when a job began and ended, and what it has used so far. */
void job_table__update(struct job_table *table, struct job *job);
/* One that a pattern has told, and that is about to be freed, is not found any more. */
void job_table__unlist(struct job_table *table, const struct job *job);

/* Looks at a number of a job that the environment names for the first time; NULL: as above. */
const struct member *named_jobs__meet(struct job_table *table, __u64 number);
/* Is that number over, as far as is known? */
bool named_jobs__is_gone(const struct job_table *table, __u64 number);
/* Sets when such a job ended. */
void named_jobs__find_end(const struct job_table *table, struct job *job);
/* The same, when it began, and what it has used so far. */
void named_jobs__update(struct job_table *table, struct job *job);
/* Nobody asks for it any more: it is gone, and its numbers are given back. */
void named_jobs__drop(struct job_table *table, struct job *job);
/* As in struct job_ends. */
void named_jobs__keep(struct job_table *table, const __u64 *jobs, size_t n);
/* The next number that is over, with series, since that was called; false: there is none now. */
bool named_jobs__next_over(struct job_table *table, __u64 *number);

#endif

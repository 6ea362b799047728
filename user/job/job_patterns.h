/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which job a cgroup is of, by its path. A pattern is an extended regular expression (regex(7))
 * with named parts, (?<jobid>...) and, if there are steps, (?<step>...), which is to match at the
 * path's begin: what users make below their own cgroups never looks like a job's. (?<sluid>...) in
 * the place of (?<jobid>...) is what tells jobs apart where a path does not say what they are
 * called.
 */
#ifndef USER_JOB_JOB_PATTERNS_H
#define USER_JOB_JOB_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define JOB_KIND_MAX 32
#define JOB_ID_MAX   128
#define JOB_STEP_MAX 64

/* What a path says. */
struct job_match {
	char kind[JOB_KIND_MAX];
	char jobid[JOB_ID_MAX]; /* or the SLUID */
	bool is_sluid;
	char step[JOB_STEP_MAX]; /* empty: none */
	size_t directory;	 /* bytes of the path that are the job's own directory */
};

struct job_patterns;

/* With the patterns that are built in: Slurm, PBS, LSF, Kubernetes. 0 and *out, or -ENOMEM. */
int job_patterns__new(struct job_patterns **out, struct error *err);
void job_patterns__free(struct job_patterns *patterns); /* NULL is fine */

/*
 * Adds one, which comes after those that were added before and before those that are built in.
 * -EINVAL: the kind is no word, or the expression none; -ENOMEM.
 */
int job_patterns__add(struct job_patterns *patterns, const char *kind, const char *expression,
		      struct error *err);

/*
 * Adds those of a file, which is read as who called sudo, a line each: the kind, blanks, the
 * expression; empty lines and such with a # at their begin are left out. Errors, with the line: as
 * above, -EIO and what open() says.
 */
int job_patterns__read(struct job_patterns *patterns, const char *path, struct error *err);

/* The first one that matches the path of a cgroup below its mount; false: it is of no job. */
bool job_patterns__match(const struct job_patterns *patterns, const char *path,
			 struct job_match *out);

/* Else the unit or slice of systemd that it is in, the innermost one; false: in none. */
bool job_patterns__unit(const char *path, struct job_match *out);

#endif

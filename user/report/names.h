/* SPDX-License-Identifier: GPL-2.0-only */
/* What people and records call the parts of a series' key, and how its numbers are to be read. */
#ifndef USER_REPORT_NAMES_H
#define USER_REPORT_NAMES_H

#include "report/report.h"

/* Room for any name that is made here. */
#define NAMES_ROOM 32

/* Strings are valid until the next call of any of these functions; NULL: not known. */
const char *names__layer(const struct report_run *run, __u8 layer);
/* The layer of the application; then the one below another, down to the device; -1: none is. */
int names__top_layer(const struct report_run *run);
int names__layer_below(const struct report_run *run, int layer);
/* The number of a layer that is called so; negative: there is none. */
int names__layer_number(const struct report_run *run, const char *name);
const char *names__function(const struct report_run *run, const struct tm_key *key);
const char *names__cgroup(const struct report_run *run, __u64 job);
/* Who the job is, or which unit the cgroup is in, and what it used; NULL: nothing is known. */
const struct job_info *names__job(const struct report_run *run, __u64 job);
/* What its scheduler or systemd calls a job; NULL: none does. Without what it has used. */
const char *names__called(const struct report_run *run, __u64 job);
/*
 * What the scheduler calls the job of a series: by its cgroup, else by the environment of its
 * process, whoever set that; else the systemd unit or slice.
 */
const char *names__jobid(const struct report_run *run, const struct tm_key *key);
/* The same of a process, or NULL, in a job's cgroup. */
const char *names__jobid_of(const struct report_run *run, __u64 job,
			    const struct process_info *process);
/*
 * The step of the job: by its cgroup, where that is a job's, else by the environment of its process
 * (NULL: of several), whoever set that.
 */
const char *names__step(const struct report_run *run, const struct tm_key *key);
const char *names__step_of(const struct report_run *run, __u64 job,
			   const struct process_info *process);
const char *names__mount(const struct report_run *run, const struct tm_series *series);

/* The file system's type, or "" where it is not known. Returns out. */
const char *names__fs_type(const struct report_run *run, const struct tm_series *series,
			   char out[NAMES_ROOM]);

/* The block device, "8:0" where it has no name, "" where the series is of none. Returns out. */
const char *names__device(const struct report_run *run, const struct tm_series *series,
			  char out[NAMES_ROOM]);

/* A process by its number; NULL: not known, or not told apart. */
const struct process_info *names__process(const struct report_run *run, __u32 number);

/* Storage pools, from 0; NULL: there are no more. */
const struct pool_info *names__pool(const struct report_run *run, size_t i);

/* Two halves in hexadecimal. */
#define NAMES_POOL_ID 40
/* Returns out. */
const char *names__pool_id(const struct pool_info *pool, char out[NAMES_POOL_ID]);

/* Does the function have a size, so that 0 bytes means none were moved? */
bool names__has_size(const struct report_run *run, const struct tm_key *key);

/*
 * "EIO" for an errno, "code:7" for a library's own code, "other" for 0, which is what could not be
 * told apart. Returns out.
 */
const char *names__error(const struct report_run *run, const struct tm_key *key, __s32 code,
			 char out[NAMES_ROOM]);

#endif

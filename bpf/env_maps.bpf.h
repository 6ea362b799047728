/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps of jobs that the environment names, declared; bpf/maps.bpf.c defines them. */
#ifndef BPF_ENV_MAPS_BPF_H
#define BPF_ENV_MAPS_BPF_H

#include "maps.bpf.h"

#include "tmtrace/env_job.h"

/* Jobs that are named by the environment, by index; their numbers, by name. */
struct tm_env_jobs_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TM_ENV_JOBS);
	__type(key, u32);
	__type(value, struct tm_env_job);
};

struct tm_env_names_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TM_ENV_JOBS);
	__type(key, struct tm_env_name);
	__type(value, u64);
};

/* Their processes. */
struct tm_env_processes_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u32); /* tgid */
	__type(value, struct tm_env_process);
};

/* Cgroups that are of a job: there nobody asks what the environment says. */
struct tm_job_cgroups_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u8);
};

/* While an environment is read: there is no such room on the stack. */
struct tm_env_scratch {
	struct tm_env_name name;
	char text[96] __attribute__((aligned(8)));
};

struct tm_env_scratches_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_env_scratch);
};

/* A part of the environment of another process, and a NUL that ends it. */
#define TM_ENV_BLOCK 4096

struct tm_env_block {
	char text[TM_ENV_BLOCK + 8];
};

struct tm_env_block_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct tm_env_block);
};

/* Of those that have ended, the ones that have threads whose end comes after that. */
struct tm_env_late_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u32); /* tgid */
	__type(value, struct tm_env_process);
};

/* What a thread that has ended had used, as it was told to its job. */
struct tm_env_end {
	u64 job;
	struct tm_env_usage used;
};

struct tm_env_ends_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_env_end);
};

/* The last exec that was followed on a processor: by enum tm_exec_follower. */
struct tm_exec {
	u64 image;
	u32 tgid;
	u32 pad;
};

enum tm_exec_follower {
	TM_EXEC_PROCESS,
	TM_EXEC_ACCOUNT,
	TM_EXEC_JOB,
	TM_EXEC_FOLLOWERS,
};

struct tm_execs_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TM_EXEC_FOLLOWERS);
	__type(key, u32);
	__type(value, struct tm_exec);
};

extern struct tm_env_jobs_map tm_env_jobs SEC(".maps");
extern struct tm_env_names_map tm_env_names SEC(".maps");
extern struct tm_env_processes_map tm_env_processes SEC(".maps");
extern struct tm_job_cgroups_map tm_job_cgroups SEC(".maps");
extern struct tm_env_scratches_map tm_env_scratches SEC(".maps");
extern struct tm_env_block_map tm_env_block SEC(".maps");
extern struct tm_env_late_map tm_env_late SEC(".maps");
extern struct tm_env_ends_map tm_env_ends SEC(".maps");
extern struct tm_execs_map tm_execs SEC(".maps");

/* How many processes are of jobs that the environment names, and what is not known of others. */
extern __u32 tm_env_members;
/* Was any of them ever late? */
extern bool tm_any_env_late;
extern __u64 tm_env_lost[TM_ENV_LOSSES];
/* The highest index of such a job that was ever given out. */
extern __u64 tm_env_highest;
/*
 * Looking through the processes that run: which of them, by their start, and until when; set by the
 * loader. How many were found to be of a job, and how many called exec right then.
 */
extern __u64 tm_env_since;
extern __u64 tm_env_until;
extern __u32 tm_env_found;
extern __u32 tm_env_changed;
#endif

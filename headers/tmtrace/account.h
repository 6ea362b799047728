/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounts of processes, where they are kept: what each process did, from its first moment to its
 * last, however it ended. Include <linux/types.h> or vmlinux.h first.
 *
 *   tm_accounts         array, mmapped: one struct tm_account per number
 *   tm_account_numbers  hash: pid -> number
 *   tm_free_accounts    queue: numbers that the loader has told and emptied, to be used again
 */
#ifndef TMTRACE_ACCOUNT_H
#define TMTRACE_ACCOUNT_H

#include "tmtrace/object.h"
#include "tmtrace/task_io.h"

/* Numbers; 0 is none. */
#define TM_ACCOUNT_OTHERS 1 /* all processes together that there was no room for */
#define TM_ACCOUNT_FIRST  2

/* A number that is given back, and whose it was; so many at a time (errand_free_accounts()). */
#define TM_FREED(number, pid) ((__u64)(number) << 32 | (__u32)(pid))
#define TM_FREED_MAX	      12

/* So many layers of libraries are told apart, the catalogue's first. */
#define TM_ACCOUNT_LAYERS 16

/* Operations, or calls. */
struct tm_account_sum {
	__u64 count;
	__u64 ns;
	__u64 bytes; /* of those that did not fail */
};

/* They only grow. */
struct tm_account_sums {
	/* Operations on files, by enum tm_direction; the last: neither reads nor writes. */
	struct tm_account_sum vfs[TM_DIRECTIONS + 1];
	__u64 vfs_errors;
	/* Block requests that it started, and that were complete before it ended; bytes. */
	__u64 storage_bytes[TM_DIRECTIONS];
	/* Calls of a library that were not made inside another one of that library. */
	struct {
		__u64 count;
		__u64 ns; /* of those that are timed */
	} layers[TM_ACCOUNT_LAYERS];
	struct tm_task_io task_io; /* the kernel's own counts, of all its threads */
	/* What came of them while operations on files were not counted. */
	__u64 missed[TM_MISSED];
};

enum tm_account_state {
	TM_ACCOUNT_FREE,
	TM_ACCOUNT_LIVE,
	TM_ACCOUNT_ENDED,   /* to be told, emptied and given back by the loader */
	TM_ACCOUNT_TELLING, /* the loader does so right now, or was killed meanwhile */
};

/* In place of a wait status: the end was not seen. */
#define TM_ACCOUNT_UNSEEN (~0U)

struct tm_account {
	struct tm_account_sums sums;
	__u64 job;	/* as in struct tm_key: when it was described last */
	__u64 born_ns;	/* the kernel's start time of the process: with its pid, unique */
	__u64 start_ns; /* CLOCK_MONOTONIC, as those below */
	__u64 end_ns;	/* 0: it has not ended */
	/* CPU time of its threads that ended, as the kernel has it: by ticks, and in all. */
	__u64 user_ns, system_ns, run_ns;
	__u64 max_rss_pages;
	__u64 environment; /* id of what it was started with, a child's is its parent's; 0: none */
	__u32 state;	   /* enum tm_account_state, written last */
	__u32 pid;	   /* as the kernel numbers them */
	__u32 ppid;	   /* when it was first seen */
	__u32 uid;
	__u32 threads; /* that ended */
	__u32 status;  /* as waitpid() tells it */
	__u32 was_oom; /* the kernel killed it because memory was short */
	__u32 is_cut;  /* of the program's path, the begin is missing */
	char comm[16];
	struct tm_object_name program; /* the path of what it executes; empty: not known */
} __attribute__((aligned(64)));

#endif

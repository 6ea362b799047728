/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes, where they are told apart: each has a number, from 1, by which series name it. A
 * process keeps it through exec; who gets the same pid later has another one.
 */
#ifndef TMTRACE_PROCESS_H
#define TMTRACE_PROCESS_H

#include "tmtrace/key.h"

#define TM_PROCESS_COMMAND 192
#define TM_PROCESS_NAME	   64

enum tm_process_state {
	TM_PROCESS_FREE,
	TM_PROCESS_LIVE, /* also when it has ended */
};

/* An element of tm_processes, mmapped; its index is the number. */
struct tm_process {
	__u64 start_ns; /* CLOCK_MONOTONIC */
	__u64 end_ns;	/* 0: it has not ended */
	__u32 pid;	/* as the kernel numbers them */
	__u32 ppid;	/* when it was first seen */
	__u32 uid;
	__u32 parent; /* number of the parent; 0: that was not traced */
	__u32 state;  /* enum tm_process_state, written last */
	__u32 forked; /* it was seen to be forked, and did not call exec yet */
	char comm[16];
	__u32 command_bytes;
	__u32 pad;
	char command[TM_PROCESS_COMMAND]; /* arguments, each ended by NUL; cut */
	/* What it called itself, when it joined a workflow; cut, empty: it did not say. */
	char workflow[TM_PROCESS_NAME];
	char component[TM_PROCESS_NAME];
};

/* A process that was ended by SIGTRAP: element N modulo TM_TRAPS of tm_traps, for the Nth. */
#define TM_TRAPS 16

struct tm_trap {
	__u64 start_ns; /* when it started, CLOCK_MONOTONIC */
	__u32 tgid;	/* as the kernel numbers them */
	__u32 forked;	/* it has not called exec: it maps what its parent did */
	char comm[16];
};

/* Since when a process is associated with what it joined; ends when it leaves, or is over. */
struct tm_association {
	__u64 joined_ns; /* CLOCK_MONOTONIC */
	__u32 slot;	 /* of the series that has the times, and counts this one as in flight */
	__u32 pad;
};

/*
 * A piece of the environment that a process was started with, through tm_environments, or where
 * accounts are kept through tm_account_environments; the pieces
 * of one environment follow one another, others may lie between them.
 */
#define TM_ENVIRONMENT_PIECE 4096
#define TM_ENVIRONMENT_MAX   (256U << 10) /* bytes that are looked at */

struct tm_environment {
	__u32 process;
	__u32 total;  /* bytes of all pieces */
	__u32 offset; /* of this one; 0: an environment begins */
	__u32 bytes;
	__u64 id; /* of an account's: its number; else 0 */
	char text[TM_ENVIRONMENT_PIECE];
};

#endif

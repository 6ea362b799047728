/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are mapped executable from now on, anywhere on the machine: what is started, and what
 * is loaded late (dlopen), in any namespace. Costs nothing while nothing is mapped. On request,
 * also what becomes of processes.
 */
#ifndef USER_HOST_WATCH_H
#define USER_HOST_WATCH_H

#include <limits.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/error.h"
#include "host/process.h"

struct watch;

struct watch_mapping {
	pid_t pid; /* of the process, in this pid namespace */
	pid_t tid;
	__u64 time; /* CLOCK_MONOTONIC, ns */
	__u64 address;
	__u64 length; /* bytes */
	__u64 offset; /* in the file, bytes */
	unsigned int major;
	unsigned int minor;
	__u64 ino;
	__u64 generation;     /* of the inode's number */
	__u32 prot;	      /* PROT_EXEC is in it */
	const char *filename; /* as the process sees it; valid during the callback */
};

/* The same mapping as /proc/PID/maps has it; its path is name, which is filled in. */
struct process_mapping watch_mapping__of_process(const struct watch_mapping *mapping,
						 char name[PATH_MAX]);

/* Not 0: drain no further. What was given is not given again. */
typedef int (*watch_fn)(void *ctx, const struct watch_mapping *mapping);

enum watch_kind {
	WATCH_FORK, /* the process is new, a copy of parent */
	WATCH_EXEC, /* it begins another program: nothing of before is mapped any more */
	WATCH_EXIT, /* its first thread has ended */
};

struct watch_process {
	enum watch_kind kind;
	pid_t pid, parent;
	__u64 time; /* CLOCK_MONOTONIC, ns */
};

typedef void (*watch_process_fn)(void *ctx, const struct watch_process *process);

/*
 * Watches the CPUs that are on line now. at_once: each record wakes who polls; else only a
 * quarter of a ring, and who wants the rest sooner drains from time to time. on_process, if not
 * NULL, gets what becomes of processes, with the ctx of watch__drain(). Errors: -EACCES, -EPERM:
 * needs CAP_PERFMON, and err says so; -ENOENT: the kernel has no such events; -EMFILE; -ENOMEM.
 */
int watch__open(struct watch **out, watch_process_fn on_process, bool at_once, struct error *err);
void watch__close(struct watch *watch); /* NULL is fine */

/*
 * To be polled for input; stays the watch's. Each wakeup is told once: drain at every one. There
 * can be wakeups with nothing to drain.
 */
int watch__fd(const struct watch *watch);

/*
 * Hands over what was mapped since, for each CPU in order of time; mappings that are not of files
 * (mapping__is_file()) are left out. The number handed over, or the callback's answer if negative.
 */
int watch__drain(struct watch *watch, watch_fn callback, void *ctx);

/* How many records the kernel had no room for, since watch__open(). */
__u64 watch__lost(const struct watch *watch);

#endif

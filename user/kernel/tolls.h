/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what probes take from the thread from which they take most (tmtrace/toll.h). */
#ifndef USER_KERNEL_TOLLS_H
#define USER_KERNEL_TOLLS_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

struct tmtrace_bpf;

/* All zero at first: nothing is taken. */
struct tolls {
	struct tmtrace_bpf *skel; /* must outlive it */
	__u64 begun_ns;		  /* the window; 0: there is none */
	__u32 last;		  /* its number, or that of the one before */
};

struct kernel_toll {
	__u64 ns;	  /* 0: nobody paid enough to be seen */
	__u64 elapsed_ns; /* of the window, until now; 0: there is none */
	__u32 taker; /* what took most of it: a probe of a library, TM_TOLL_TAP or TM_TOLL_HOOK */
	pid_t pid;   /* whose thread it is, in the first PID namespace */
	__u64 job;   /* and which job it is of, as in keys */
};

/* Begins a window at that time, the first one, too; the one before is over. */
void tolls__begin(struct tolls *tolls, __u64 now_ns);

/* Nothing is added up any more. */
void tolls__end(struct tolls *tolls);

/* What a hit costs, in ns of CPU time; those of probes on libraries are in struct tm_probe. */
void tolls__set_prices(struct tolls *tolls, double vfs_ns, double looked_ns);

/* Of the window, which goes on. */
struct kernel_toll tolls__read(const struct tolls *tolls, __u64 now_ns);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bound on the service's own work, which takes nothing from that of its probes: where the
 * service takes more than a share of what all processors can do, what it does at regular intervals
 * and can put off is done less often, step by step. Only decisions.
 */
#ifndef USER_GOVERNOR_OWN_BOUND_H
#define USER_GOVERNOR_OWN_BOUND_H

#include <linux/types.h>

/* How often own_bound__read() is to be called, in seconds: what is decided is so over this long. */
#define OWN_BOUND_S 5
/* At most so many times as long is the interval. */
#define OWN_BOUND_FACTOR_MAX 16

/* All zero at first; bound: 0.01 for 1 %, 0: there is none. May be changed at any time. */
struct own_bound {
	double bound;
	double share;	      /* in the last window */
	unsigned int factor;  /* so many times as long are intervals; 0 is 1 */
	__u64 now_ns, own_ns; /* at the last reading; 0: there was none */
};

/* own_ns: CPU time of the process until now, a monotonic time. Returns the factor, from 1. */
unsigned int own_bound__read(struct own_bound *own, __u64 now_ns, __u64 own_ns, unsigned int cpus);

#endif

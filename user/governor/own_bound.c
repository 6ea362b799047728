// SPDX-License-Identifier: GPL-2.0-only
#include "governor/own_bound.h"

/* Below this part of the bound it is done more often again. */
#define EASE 0.4

unsigned int own_bound__read(struct own_bound *own, __u64 now_ns, __u64 own_ns, unsigned int cpus)
{
	__u64 ns = own->now_ns && now_ns > own->now_ns ? now_ns - own->now_ns : 0;

	if (!own->factor)
		own->factor = 1;
	if (ns && own_ns >= own->own_ns) {
		own->share = (double)(own_ns - own->own_ns) / (double)ns / (cpus ? cpus : 1);
		if (own->bound > 0 && own->share > own->bound)
			own->factor *= 2;
		else if (own->share < EASE * own->bound || !(own->bound > 0))
			own->factor /= 2;
	}
	if (own->factor > OWN_BOUND_FACTOR_MAX)
		own->factor = OWN_BOUND_FACTOR_MAX;
	if (!own->factor)
		own->factor = 1;
	own->now_ns = now_ns;
	own->own_ns = own_ns;
	return own->factor;
}

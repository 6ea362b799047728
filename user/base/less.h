/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_BASE_LESS_H
#define USER_BASE_LESS_H

#include <linux/types.h>

/*
 * whole - part, and 0 where the part is larger: a reader may see two counters of a live program in
 * the wrong order.
 */
static inline __u64 less(__u64 whole, __u64 part)
{
	return whole > part ? whole - part : 0;
}

#endif

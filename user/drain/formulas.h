/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formulas over the counters of a series. Each stands here alone, for tables, page, top, metrics
 * and records, so that they cannot tell different figures of the same calls. Times are in ns.
 */
#ifndef USER_DRAIN_FORMULAS_H
#define USER_DRAIN_FORMULAS_H

#include <linux/types.h>

#include "base/less.h"
#include "tmtrace/series.h"

/*
 * The own time of a layer: of library calls the time without traced calls inside, which count it
 * themselves; of files and devices all of it. Own times can be added up.
 */
static inline __u64 layer__own_ns(__u8 layer, __u64 total_ns, __u64 self_ns)
{
	return layer < TM_LAYER_USER ? total_ns : self_ns;
}

static inline __u64 series__own_ns(const struct tm_series *series)
{
	return layer__own_ns(series->key.layer, series->total_ns, series->self_ns);
}

/* Where bytes go. Of library calls it is not known. */
enum flow {
	FLOW_READ,
	FLOW_WRITE,
	FLOW_NEITHER,
};

static inline enum flow flow__of(__u8 layer, __u32 function)
{
	if (layer == TM_LAYER_VFS)
		return function == TM_VFS_READ	  ? FLOW_READ
		       : function == TM_VFS_WRITE ? FLOW_WRITE
						  : FLOW_NEITHER;
	if (layer == TM_LAYER_BLOCK)
		return function == TM_BLOCK_READ    ? FLOW_READ
		       : function == TM_BLOCK_WRITE ? FLOW_WRITE
						    : FLOW_NEITHER;
	return FLOW_NEITHER;
}

/*
 * Where the time of library calls went; all but disk add up to it. Code and other system calls are
 * only told apart where system calls are followed (TM_TIME_SYSCALL).
 */
struct time_parts {
	__u64 code;	 /* in no system call */
	__u64 files;	 /* in system calls on files */
	__u64 disk;	 /* the part of files that was spent off the CPU for the device */
	__u64 net, wait; /* in system calls on sockets; in futex, poll, sleep */
	__u64 other;	 /* in other system calls */
	__u64 rest;	 /* code and other, also where they cannot be told apart */
};

static inline struct time_parts time_parts__of(__u64 total_ns, const __u64 times_ns[TM_TIMES])
{
	__u64 named = times_ns[TM_TIME_VFS] + times_ns[TM_TIME_NET] + times_ns[TM_TIME_WAIT];

	return (struct time_parts){
		.code = less(total_ns, times_ns[TM_TIME_SYSCALL]),
		.files = times_ns[TM_TIME_VFS],
		.disk = times_ns[TM_TIME_BLOCK],
		.net = times_ns[TM_TIME_NET],
		.wait = times_ns[TM_TIME_WAIT],
		.other = less(times_ns[TM_TIME_SYSCALL], named),
		.rest = less(total_ns, named),
	};
}

/*
 * How long somebody was busy: layers call one another, so that times of libraries, files and
 * devices overlap. It is the longest of the three.
 */
struct busy_time {
	__u64 ns[TM_LAYER_USER + 1];
};

static inline void busy_time__add(struct busy_time *busy, const struct tm_series *series)
{
	__u8 layer = series->key.layer;

	if (!key__is_beside(&series->key))
		busy->ns[layer < TM_LAYER_USER ? layer : TM_LAYER_USER] += series__own_ns(series);
}

static inline __u64 busy_time__ns(const struct busy_time *busy)
{
	__u64 most = 0;

	for (int i = 0; i <= TM_LAYER_USER; i++)
		most = busy->ns[i] > most ? busy->ns[i] : most;
	return most;
}

#endif

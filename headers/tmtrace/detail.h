/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much is told of a series: its level, and of single calls which ones. A series has it in a
 * byte of its own, beside its counters, so that asking costs a call nothing that it does not read
 * anyway. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_DETAIL_H
#define TMTRACE_DETAIL_H

enum tm_level {
	TM_LEVEL_OFF,	    /* nothing: what begins is filtered */
	TM_LEVEL_SUMMARY,   /* counters, no histograms */
	TM_LEVEL_HISTOGRAM, /* both */
	TM_LEVEL_CALLS,	    /* and single calls, where they can be recorded (tm_config.calls) */
	TM_LEVELS,
};

/* Which single calls: elements of tm_choices. The first one is that of the options. */
#define TM_CHOICES 64

struct tm_choice {
	__u64 min_ns; /* those that take at least so long */
	__u32 sample; /* one in so many; 0 as 1 */
	__u32 pad;
};

/* A level, and the number of a choice: what a series has as its detail. */
#define TM_DETAIL(level, choice) ((__u8)((choice) << 2 | (level)))
#define TM_DETAIL_LEVEL(detail)	 ((detail)&3)
#define TM_DETAIL_CHOICE(detail) ((__u8)(detail) >> 2)

/* Of layers with a number beyond these, the last one holds. */
#define TM_DETAIL_LAYERS 64

static inline __u32 tm_detail_layer(__u8 layer)
{
	return layer < TM_DETAIL_LAYERS ? layer : TM_DETAIL_LAYERS - 1;
}

/* By layer: of new series, of the node or of a job. */
struct tm_details {
	__u8 of[TM_DETAIL_LAYERS];
};

/* Jobs whose detail is their own, and cgroups that are theirs. */
#define TM_DETAIL_JOBS	  1024
#define TM_DETAIL_CGROUPS 8192

#endif

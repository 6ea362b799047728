/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives jobs what the kernel itself has counted of their threads so far (tmtrace/task_io.h): has
 * all tasks gone through at times. What a thread does before it ends, calls exec or is moved to
 * another cgroup needs none of this: then the kernel side does it by itself.
 */
#ifndef USER_JOB_TASK_PASSES_H
#define USER_JOB_TASK_PASSES_H

#include <stdbool.h>

#include "base/error.h"
#include "tmtrace/task_io.h"

struct task_passes;

/* Of the kernel side; they stay the caller's. */
struct task_passes_kernel {
	int program;
	struct tm_task_io_state *state;
};

/* Between two passes, in seconds: so many that they take little of one processor, but at most and
 * at least: */
#define TASK_PASSES_MIN_S 1.0
#define TASK_PASSES_MAX_S 60.0

/*
 * The counting begins, unless it goes on from before, and threads that run already are met: what
 * they did before is nobody's. 0 and *out, or a negative errno.
 */
int task_passes__open(struct task_passes **out, const struct task_passes_kernel *kernel);
void task_passes__close(struct task_passes *passes); /* NULL is fine */

/* A pass, now. 0, or a negative errno. NULL: nothing is done. */
int task_passes__run(struct task_passes *passes);
/*
 * The same for those who are about to read figures: where the last one was a moment ago, and
 * another one would take more of the time than little, it is good enough.
 */
void task_passes__freshen(struct task_passes *passes);
/* The same for those who do so each second: only if one is due, or is soon. */
void task_passes__keep_up(struct task_passes *passes);

/* When the next one is due after the last one, in seconds. */
double task_passes__interval_s(const struct task_passes *passes);

struct task_passes_figures {
	__u64 tasks;   /* that the last pass has met */
	__u64 cost_ns; /* of CPU time: the last one, */
	__u64 all_ns;  /* and all of this process */
	double interval_s;
	__u64 lost[TM_TASK_IO_LOSSES];
};

struct task_passes_figures task_passes__figures(const struct task_passes *passes);

#endif

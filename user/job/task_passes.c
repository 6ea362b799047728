// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "job/env_walk.h"
#include "job/task_passes.h"

/* By themselves, passes take one part in so many of a processor; with those who ask, of these. */
#define SHARE	    10000
#define ASKED_SHARE 20

/* Who asks sooner gets what was there. */
#define FRESH_NS (2 * NS_PER_MS)

struct task_passes {
	struct task_passes_kernel kernel;
	__u64 at_ns; /* the end of the last pass; CLOCK_MONOTONIC */
	__u64 cost_ns, all_ns;
};

int task_passes__open(struct task_passes **out, const struct task_passes_kernel *kernel)
{
	struct task_passes *passes = calloc(1, sizeof(*passes));
	int ret;

	if (!passes)
		return -ENOMEM;
	passes->kernel = *kernel;
	if (!kernel->state->since_ns)
		__atomic_store_n(&kernel->state->since_ns, clock__ns(CLOCK_MONOTONIC),
				 __ATOMIC_RELEASE);
	ret = task_passes__run(passes);
	/* What a pass costs is known by the next one: this one had marks to make. */
	if (!ret)
		ret = task_passes__run(passes);
	if (ret < 0)
		free(passes);
	else
		*out = passes;
	return ret;
}

void task_passes__close(struct task_passes *passes)
{
	free(passes);
}

int task_passes__run(struct task_passes *passes)
{
	__u64 begin = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	int ret;

	if (!passes)
		return 0;
	passes->kernel.state->tasks = 0;
	ret = env_walk__run(passes->kernel.program);
	passes->cost_ns = clock__ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	passes->all_ns += passes->cost_ns;
	passes->at_ns = clock__ns(CLOCK_MONOTONIC);
	return ret;
}

void task_passes__freshen(struct task_passes *passes)
{
	__u64 rest = passes ? passes->cost_ns * ASKED_SHARE : 0;

	if (rest < FRESH_NS)
		rest = FRESH_NS;
	if (passes && clock__ns(CLOCK_MONOTONIC) - passes->at_ns >= rest)
		task_passes__run(passes);
}

/* One that is made a little early saves the next one. */
#define EARLY 0.9

void task_passes__keep_up(struct task_passes *passes)
{
	double due_ns = passes ? EARLY * task_passes__interval_s(passes) * NS_PER_S : 0;

	if (passes && (double)(clock__ns(CLOCK_MONOTONIC) - passes->at_ns) >= due_ns)
		task_passes__run(passes);
}

double task_passes__interval_s(const struct task_passes *passes)
{
	/* Whole ones: with what else is due then. */
	double wait_s = ceil((double)passes->cost_ns * SHARE / NS_PER_S);

	if (wait_s < TASK_PASSES_MIN_S)
		return TASK_PASSES_MIN_S;
	return wait_s > TASK_PASSES_MAX_S ? TASK_PASSES_MAX_S : wait_s;
}

struct task_passes_figures task_passes__figures(const struct task_passes *passes)
{
	struct task_passes_figures figures = {
		.tasks = passes->kernel.state->tasks,
		.cost_ns = passes->cost_ns,
		.all_ns = passes->all_ns,
		.interval_s = task_passes__interval_s(passes),
	};

	for (int reason = 0; reason < TM_TASK_IO_LOSSES; reason++)
		figures.lost[reason] =
			__atomic_load_n(&passes->kernel.state->lost[reason], __ATOMIC_RELAXED);
	return figures;
}

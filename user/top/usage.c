// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/search.h"
#include "top/usage.h"

/* What has not become more for so long is not in use: it is told every five seconds at least. */
#define REST_NS (7 * NS_PER_S)
/* A job that was not asked for so long is not remembered. */
#define FORGET_NS (120 * NS_PER_S)

struct used {
	__u64 job, cpu_ns;
	__u64 moved_ns, asked_ns; /* when it had become more, and was asked for */
	double processors;	  /* negative: not known */
};

struct top_usage {
	struct used *jobs; /* by their numbers */
	size_t n, room;
	__u64 swept_ns;
};

struct top_usage *top_usage__new(void)
{
	return calloc(1, sizeof(struct top_usage));
}

void top_usage__free(struct top_usage *usage)
{
	if (usage)
		free(usage->jobs);
	free(usage);
}

/* Where it is, or would be. */
static size_t place_of(const struct top_usage *usage, __u64 job)
{
	return SEARCH_FIRST(usage->n, i, usage->jobs[i].job < job);
}

/* Forgets those that were not asked for. */
static void sweep(struct top_usage *usage, __u64 now_ns)
{
	size_t n = 0;

	if (now_ns - usage->swept_ns < FORGET_NS)
		return;
	for (size_t i = 0; i < usage->n; i++)
		if (now_ns - usage->jobs[i].asked_ns < FORGET_NS)
			usage->jobs[n++] = usage->jobs[i];
	usage->n = n;
	usage->swept_ns = now_ns;
}

/* Without memory it is not remembered. */
static void add_used(struct top_usage *usage, const struct used *used)
{
	size_t place = place_of(usage, used->job);

	if (array__grow((void **)&usage->jobs, &usage->room, usage->n, sizeof(*usage->jobs)) < 0)
		return;
	memmove(&usage->jobs[place + 1], &usage->jobs[place],
		(usage->n - place) * sizeof(*usage->jobs));
	usage->jobs[place] = *used;
	usage->n++;
}

double top_usage__processors(struct top_usage *usage, __u64 job, __u64 cpu_ns, __u64 now_ns)
{
	const struct used fresh = { job, cpu_ns, now_ns, now_ns, -1 };
	struct used *used;
	size_t place;

	sweep(usage, now_ns);
	place = place_of(usage, job);
	if (place == usage->n || usage->jobs[place].job != job) {
		add_used(usage, &fresh);
		return -1;
	}
	used = &usage->jobs[place];
	used->asked_ns = now_ns;
	if (cpu_ns < used->cpu_ns) { /* it began anew */
		*used = fresh;
	} else if (cpu_ns > used->cpu_ns && now_ns > used->moved_ns) {
		used->processors =
			(double)(cpu_ns - used->cpu_ns) / (double)(now_ns - used->moved_ns);
		used->cpu_ns = cpu_ns;
		used->moved_ns = now_ns;
	} else if (now_ns - used->moved_ns > REST_NS) {
		used->processors = 0;
	}
	return used->processors;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "session/timekeeper.h"

struct timekeeper {
	struct drain *drain;
	struct timelines *timelines;
	__u64 start_ns, bin_ns;
	struct loop *loop;
	int timer;
};

int timekeeper__open(struct timekeeper **out, const struct drain *other, const struct job_map *jobs,
		     size_t bytes, __u64 start_ns)
{
	struct timekeeper *keeper = calloc(1, sizeof(*keeper));

	if (!keeper)
		return -ENOMEM;
	keeper->start_ns = start_ns;
	keeper->bin_ns = TIMELINE_BIN_NS;
	keeper->timelines = timelines__new(bytes, 0);
	if (!keeper->timelines || drain__share(&keeper->drain, other) < 0) {
		timekeeper__close(keeper);
		return -ENOMEM;
	}
	drain__ignore_oldest(keeper->drain);
	drain__map_jobs(keeper->drain, jobs);
	*out = keeper;
	return 0;
}

void timekeeper__close(struct timekeeper *keeper)
{
	if (!keeper)
		return;
	timelines__free(keeper->timelines);
	drain__free(keeper->drain);
	free(keeper);
}

static int read_now(struct timekeeper *keeper, struct error *err)
{
	const struct snapshot *snapshot;
	int ret = drain__read(keeper->drain, &snapshot, err);

	if (ret < 0)
		return ret;
	ret = timelines__take(keeper->timelines, snapshot, keeper->start_ns);
	return ret < 0 ? error__set(err, ret, "keeping timelines: no memory") : 0;
}

/* What could not be read comes with the next read, or with the last one, which tells. */
static void on_bin(void *context)
{
	struct timekeeper *keeper = context;
	__u64 now_ns = clock__ns(CLOCK_REALTIME);
	struct error err;

	read_now(keeper, &err);
	/* Bins are of that clock, which may have been set to before the begin. */
	if (now_ns < keeper->start_ns + keeper->bin_ns * TIMELINE_BINS)
		return;
	keeper->bin_ns *= 2;
	loop__reset(keeper->loop, keeper->timer, (double)keeper->bin_ns / (double)NS_PER_S);
}

int timekeeper__watch(struct timekeeper *keeper, struct loop *loop)
{
	keeper->loop = loop;
	return loop__timer(loop, (double)keeper->bin_ns / (double)NS_PER_S, true, on_bin, keeper,
			   &keeper->timer);
}

int timekeeper__show(struct timekeeper *keeper, struct snapshot *snapshot, struct error *err)
{
	int ret = read_now(keeper, err);

	timelines__show(keeper->timelines, snapshot);
	return ret;
}

__u64 timekeeper__gone(const struct timekeeper *keeper)
{
	return timelines__gone(keeper->timelines);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/duties.h"

struct duty {
	__u64 period_ns, next_ns; /* CLOCK_MONOTONIC */
	void (*on)(void *context);
	void *context;
};

struct duties {
	int timer;
	__u64 armed_ns; /* for when it is set; 0: it is not */
	struct duty *all;
	size_t n, room;
};

int duties__open(struct duties **out)
{
	struct duties *duties = calloc(1, sizeof(*duties));

	if (!duties)
		return -ENOMEM;
	duties->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (duties->timer < 0) {
		free(duties);
		return -errno;
	}
	*out = duties;
	return 0;
}

void duties__close(struct duties *duties)
{
	if (!duties)
		return;
	close(duties->timer);
	free(duties->all);
	free(duties);
}

int duties__fd(const struct duties *duties)
{
	return duties->timer;
}

/* For when the next one is due. */
static void arm(struct duties *duties)
{
	struct itimerspec spec = { 0 };
	__u64 next_ns = UINT64_MAX;

	for (size_t i = 0; i < duties->n; i++)
		if (duties->all[i].next_ns < next_ns)
			next_ns = duties->all[i].next_ns;
	if (next_ns == duties->armed_ns)
		return;
	duties->armed_ns = next_ns;
	spec.it_value.tv_sec = (time_t)(next_ns / NS_PER_S);
	spec.it_value.tv_nsec = (long)(next_ns % NS_PER_S);
	timerfd_settime(duties->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

/* Shorter periods are of who measures by them, and last as long as they say. */
#define ALIGNED_NS (NS_PER_S / 10)

/* All that is due as often is due at the same time. */
static void plan(struct duty *duty, __u64 now_ns)
{
	if (duty->period_ns < ALIGNED_NS)
		duty->next_ns = now_ns + duty->period_ns;
	else
		duty->next_ns = (now_ns / duty->period_ns + 1) * duty->period_ns;
}

/* To set the timer again takes back that it can be read: it need not be. */
void duties__run(struct duties *duties)
{
	__u64 now_ns = clock__ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < duties->n; i++) {
		struct duty *duty = &duties->all[i];

		if (duty->next_ns > now_ns)
			continue;
		plan(duty, now_ns);
		duty->on(duty->context);
	}
	arm(duties);
}

static __u64 period_of(double seconds)
{
	__u64 period_ns = (__u64)(seconds * (double)NS_PER_S);

	return period_ns ? period_ns : 1;
}

int duties__add(struct duties *duties, double seconds, void (*on)(void *context), void *context)
{
	struct duty *duty;

	if (array__grow((void **)&duties->all, &duties->room, duties->n, sizeof(*duty)) < 0)
		return -ENOMEM;
	duty = &duties->all[duties->n++];
	*duty = (struct duty){ .period_ns = period_of(seconds), .on = on, .context = context };
	plan(duty, clock__ns(CLOCK_MONOTONIC));
	arm(duties);
	return (int)duties->n - 1;
}

void duties__reset(struct duties *duties, int number, double seconds)
{
	struct duty *duty = &duties->all[number];

	duty->period_ns = period_of(seconds);
	plan(duty, clock__ns(CLOCK_MONOTONIC));
	arm(duties);
}

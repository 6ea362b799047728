// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/duties.h"
#include "base/loop.h"

/* That are handled before it is looked again. */
#define EVENTS 16

/* A pause after work: how much longer than it, and its bounds, in seconds. */
#define PACE	  50
#define PAUSE_MIN 0.004
#define PAUSE_MAX 0.02

/* A descriptor that is not looked at while its timer runs. */
struct paced {
	struct loop *loop;
	size_t source;
	int fd, timer;
	void (*on)(void *context);
	void *context;
};

/* What is called when a descriptor can be read. */
struct source {
	int fd;
	void (*on)(void *context);
	void *context;
	bool timer; /* the loop reads and closes it */
};

struct loop {
	int epoll;
	struct source *sources; /* the first one is of the signals */
	size_t n, room;
	struct paced **paced;
	size_t n_paced, paced_room;
	struct duties *duties; /* NULL: there are none */
	sigset_t signals;
	void (*on_signal)(void *context, const struct signalfd_siginfo *signal);
	void *context; /* of on_signal */
	struct loop_before before;
	bool stop;
};

static void read_signals(void *context)
{
	struct loop *loop = context;
	struct signalfd_siginfo info;

	while (read(loop->sources[0].fd, &info, sizeof(info)) == sizeof(info))
		loop->on_signal(loop->context, &info);
}

/* events: beside EPOLLIN. */
static int add_for(struct loop *loop, const struct source *source, __u32 events)
{
	struct epoll_event event = { .events = EPOLLIN | events, .data.u64 = loop->n };

	if (array__grow((void **)&loop->sources, &loop->room, loop->n, sizeof(*loop->sources)) < 0)
		return -ENOMEM;
	if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, source->fd, &event) < 0)
		return -errno;
	loop->sources[loop->n++] = *source;
	return 0;
}

static int add_source(struct loop *loop, const struct source *source)
{
	return add_for(loop, source, 0);
}

static int open_signals(struct loop *loop)
{
	static const int taken[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD };
	int fd, ret;

	sigemptyset(&loop->signals);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		sigaddset(&loop->signals, taken[i]);
	sigprocmask(SIG_BLOCK, &loop->signals, &loop->before.mask);
	loop->before.on_sigpipe = signal(SIGPIPE, SIG_IGN);
	/* Where it is ignored, the end of the command is not told. */
	loop->before.on_sigchld = signal(SIGCHLD, SIG_DFL);
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0)
		return -errno;
	fd = signalfd(-1, &loop->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	ret = add_source(loop, &(struct source){ .fd = fd, .on = read_signals, .context = loop });
	if (ret < 0)
		close(fd);
	return ret;
}

int loop__open(struct loop **out, void (*on)(void *context, const struct signalfd_siginfo *signal),
	       void *context, struct error *err)
{
	struct loop *loop = calloc(1, sizeof(*loop));
	int ret = -ENOMEM;

	if (loop) {
		loop->epoll = -1;
		loop->on_signal = on;
		loop->context = context;
		ret = open_signals(loop);
	}
	if (ret < 0) {
		loop__close(loop);
		return error__set(err, ret, "cannot wait for signals: %s", strerror(-ret));
	}
	*out = loop;
	return 0;
}

void loop__close(struct loop *loop)
{
	if (!loop)
		return;
	for (size_t i = 0; i < loop->n; i++)
		if (i == 0 || loop->sources[i].timer)
			close(loop->sources[i].fd);
	if (loop->epoll >= 0)
		close(loop->epoll);
	duties__close(loop->duties);
	for (size_t i = 0; i < loop->n_paced; i++)
		free(loop->paced[i]);
	free((void *)loop->paced);
	free(loop->sources);
	free(loop);
}

const struct loop_before *loop__before(const struct loop *loop)
{
	return &loop->before;
}

int loop__signal(struct loop *loop, int signal)
{
	sigaddset(&loop->signals, signal);
	sigprocmask(SIG_BLOCK, &loop->signals, NULL);
	return signalfd(loop->sources[0].fd, &loop->signals, 0) < 0 ? -errno : 0;
}

int loop__watch(struct loop *loop, int fd, void (*on)(void *context), void *context)
{
	if (fd < 0)
		return 0;
	return add_source(loop, &(struct source){ .fd = fd, .on = on, .context = context });
}

int loop__watch_ring(struct loop *loop, int fd, void (*on)(void *context), void *context)
{
	if (fd < 0)
		return 0;
	return add_for(loop, &(struct source){ .fd = fd, .on = on, .context = context }, EPOLLET);
}

static void set_timer(int fd, double seconds, bool repeated)
{
	struct itimerspec spec = { 0 };

	spec.it_value.tv_sec = (time_t)seconds;
	spec.it_value.tv_nsec = (long)((seconds - (double)spec.it_value.tv_sec) * 1e9);
	if (repeated)
		spec.it_interval = spec.it_value;
	timerfd_settime(fd, 0, &spec, NULL);
}

int loop__timer(struct loop *loop, double seconds, bool repeated, void (*on)(void *context),
		void *context, int *out)
{
	struct source source = { .on = on, .context = context, .timer = true };
	int fd, ret;

	if (seconds <= 0)
		return 0;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	source.fd = fd;
	ret = add_source(loop, &source);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	set_timer(fd, seconds, repeated);
	if (out)
		*out = fd;
	return 0;
}

static void on_duties(void *context)
{
	duties__run(context);
}

static int begin_duties(struct loop *loop)
{
	int ret = duties__open(&loop->duties);

	return ret ? ret : loop__watch(loop, duties__fd(loop->duties), on_duties, loop->duties);
}

int loop__tend(struct loop *loop, double seconds, void (*on)(void *context), void *context,
	       int *out)
{
	int ret = 0, number;

	if (seconds <= 0)
		return 0;
	if (!loop->duties)
		ret = begin_duties(loop);
	number = ret ? ret : duties__add(loop->duties, seconds, on, context);
	if (number >= 0 && out)
		*out = number;
	return number < 0 ? number : 0;
}

void loop__tend_at(struct loop *loop, int number, double seconds)
{
	duties__reset(loop->duties, number, seconds);
}

static void on_paced(void *context)
{
	struct paced *paced = context;
	__u64 begin_ns = clock__ns(CLOCK_MONOTONIC);
	double pause;

	paced->on(paced->context);
	pause = PACE * (double)(clock__ns(CLOCK_MONOTONIC) - begin_ns) / NS_PER_S;
	if (pause < PAUSE_MIN)
		pause = PAUSE_MIN;
	set_timer(paced->timer, pause < PAUSE_MAX ? pause : PAUSE_MAX, false);
}

/* What came during the pause is handled, and the next event is waited for. */
static void end_pause(void *context)
{
	struct paced *paced = context;
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.u64 = paced->source };

	paced->on(paced->context);
	epoll_ctl(paced->loop->epoll, EPOLL_CTL_MOD, paced->fd, &event);
}

static int add_paced(struct loop *loop, struct paced *paced)
{
	struct source source = { .fd = paced->fd, .on = on_paced, .context = paced };
	struct source timer = { .on = end_pause, .context = paced, .timer = true };
	int ret;

	timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer.fd < 0)
		return -errno;
	ret = add_source(loop, &timer);
	if (ret < 0) {
		close(timer.fd);
		return ret;
	}
	paced->timer = timer.fd;
	paced->source = loop->n;
	return add_for(loop, &source, EPOLLONESHOT);
}

int loop__watch_paced(struct loop *loop, int fd, void (*on)(void *context), void *context)
{
	struct paced *paced;

	if (fd < 0)
		return 0;
	if (array__grow((void **)&loop->paced, &loop->paced_room, loop->n_paced,
			sizeof(struct paced *)) < 0)
		return -ENOMEM;
	paced = calloc(1, sizeof(*paced));
	if (!paced)
		return -ENOMEM;
	*paced = (struct paced){ .loop = loop, .fd = fd, .on = on, .context = context };
	loop->paced[loop->n_paced++] = paced;
	return add_paced(loop, paced);
}

void loop__reset(struct loop *loop, int timer, double seconds)
{
	(void)loop;
	set_timer(timer, seconds, true);
}

static void handle(const struct source *source)
{
	uint64_t expired;

	/* It may have been reset since it fired. */
	if (source->timer && read(source->fd, &expired, sizeof(expired)) < 0)
		return;
	source->on(source->context);
}

/* Those that were added first come first. */
static int compare_events(const void *left, const void *right)
{
	const struct epoll_event *a = left, *b = right;

	return a->data.u64 < b->data.u64 ? -1 : a->data.u64 > b->data.u64;
}

int loop__run(struct loop *loop)
{
	struct epoll_event events[EVENTS];

	while (!loop->stop) {
		int n = epoll_wait(loop->epoll, events, EVENTS, -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 1)
			qsort(events, (size_t)n, sizeof(*events), compare_events);
		for (int i = 0; i < n && !loop->stop; i++)
			handle(&loop->sources[events[i].data.u64]);
	}
	return 0;
}

void loop__stop(struct loop *loop)
{
	loop->stop = true;
}

void loop__wait_signals(struct loop *loop, int milliseconds)
{
	poll(&(struct pollfd){ .fd = loop->sources[0].fd, .events = POLLIN }, 1, milliseconds);
	read_signals(loop);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "command/loop.h"

/* What is called when a descriptor can be read. */
struct source {
	void (*on)(void *context);
	void *context;
	bool timer; /* the loop reads and closes it */
};

struct loop {
	struct pollfd *polls; /* the first one is of the signals */
	struct source *sources;
	size_t n, polls_room, sources_room;
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

	while (read(loop->polls[0].fd, &info, sizeof(info)) == sizeof(info))
		loop->on_signal(loop->context, &info);
}

static int add(struct loop *loop, int fd, const struct source *source)
{
	if (array__grow((void **)&loop->polls, &loop->polls_room, loop->n, sizeof(*loop->polls)) <
		    0 ||
	    array__grow((void **)&loop->sources, &loop->sources_room, loop->n,
			sizeof(*loop->sources)) < 0)
		return -ENOMEM;
	loop->polls[loop->n] = (struct pollfd){ .fd = fd, .events = POLLIN };
	loop->sources[loop->n++] = *source;
	return 0;
}

static int open_signals(struct loop *loop)
{
	static const int taken[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD };
	int fd, rc;

	sigemptyset(&loop->signals);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		sigaddset(&loop->signals, taken[i]);
	sigprocmask(SIG_BLOCK, &loop->signals, &loop->before.mask);
	loop->before.on_sigpipe = signal(SIGPIPE, SIG_IGN);
	/* Where it is ignored, the end of the command is not told. */
	loop->before.on_sigchld = signal(SIGCHLD, SIG_DFL);
	fd = signalfd(-1, &loop->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	rc = add(loop, fd, &(struct source){ .on = read_signals, .context = loop });
	if (rc < 0)
		close(fd);
	return rc;
}

int loop__open(struct loop **out, void (*on)(void *context, const struct signalfd_siginfo *signal),
	       void *context, struct error *err)
{
	struct loop *loop = calloc(1, sizeof(*loop));
	int rc = -ENOMEM;

	if (loop) {
		loop->on_signal = on;
		loop->context = context;
		rc = open_signals(loop);
	}
	if (rc < 0) {
		loop__close(loop);
		return error__set(err, rc, "cannot wait for signals: %s", strerror(-rc));
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
			close(loop->polls[i].fd);
	free(loop->polls);
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
	return signalfd(loop->polls[0].fd, &loop->signals, 0) < 0 ? -errno : 0;
}

int loop__watch(struct loop *loop, int fd, void (*on)(void *context), void *context)
{
	if (fd < 0)
		return 0;
	return add(loop, fd, &(struct source){ .on = on, .context = context });
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
	const struct source source = { .on = on, .context = context, .timer = true };
	int fd, rc;

	if (seconds <= 0)
		return 0;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	rc = add(loop, fd, &source);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	set_timer(fd, seconds, repeated);
	if (out)
		*out = fd;
	return 0;
}

void loop__reset(struct loop *loop, int timer, double seconds)
{
	(void)loop;
	set_timer(timer, seconds, true);
}

static void handle(struct loop *loop, size_t i)
{
	const struct source *source = &loop->sources[i];
	uint64_t expired;

	/* It may have been reset since it fired. */
	if (source->timer && read(loop->polls[i].fd, &expired, sizeof(expired)) < 0)
		return;
	source->on(source->context);
}

int loop__run(struct loop *loop)
{
	while (!loop->stop) {
		if (poll(loop->polls, loop->n, -1) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		for (size_t i = 0; i < loop->n && !loop->stop; i++)
			if (loop->polls[i].revents)
				handle(loop, i);
	}
	return 0;
}

void loop__stop(struct loop *loop)
{
	loop->stop = true;
}

void loop__wait_signals(struct loop *loop, int milliseconds)
{
	poll(loop->polls, 1, milliseconds);
	read_signals(loop);
}

// SPDX-License-Identifier: GPL-2.0-only
/* What the subcommands share. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "load.h"

void load_extra(struct load *l, const char *format, ...)
{
	va_list args, again;
	size_t length;
	char *more;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	CHECK(n >= 0);
	length = l->extra_length + (size_t)n;
	if (length >= l->extra_room) {
		more = realloc(l->extra, 2 * length + 1);
		CHECK(more);
		l->extra = more;
		l->extra_room = 2 * length + 1;
	}
	vsnprintf(l->extra + l->extra_length, (size_t)n + 1, format, again);
	va_end(again);
	l->extra_length = length;
}

_Noreturn void load_failed(const char *what, const char *file, int line)
{
	fprintf(stderr, "load: %s:%d: not so: %s\n", file, line, what);
	_exit(1);
}

int load_count(const struct load *l, int default_count)
{
	return l->count > 0 ? l->count : default_count;
}

uint64_t load_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void load_sleep(double seconds)
{
	struct timespec left = { (time_t)seconds, 0 };

	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left))
		;
}

/* The signal is waited for, not handled, so that no call is interrupted. */
void load_await(const struct load *l)
{
	struct timespec pause = { 0, 10000000 };
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fprintf(stderr, "%d\n", getpid());
	if (l->go) {
		while (access(l->go, F_OK))
			nanosleep(&pause, NULL);
		return;
	}
	sigwait(&set, &signal);
}

void load_in_threads(int n, void *(*body)(void *), void *args, size_t arg_size)
{
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));

	CHECK(threads);
	for (int i = 0; i < n; i++)
		CHECK(!pthread_create(&threads[i], NULL, body,
				      (char *)args + (size_t)i * arg_size));
	for (int i = 0; i < n; i++)
		CHECK(!pthread_join(threads[i], NULL));
	free(threads);
}

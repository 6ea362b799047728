// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <unistd.h>

#include "base/close_all.h"

#define THREADS_MAX 63 /* beside the caller: the service has hundreds of links, at 50 ms each */

struct work {
	const int *fds;
	size_t n;
	size_t next;
};

static void *close_some(void *argument)
{
	struct work *work = argument;
	size_t i;

	while ((i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n)
		close(work->fds[i]);
	return NULL;
}

void close_all(const int *fds, size_t n)
{
	struct work work = { .fds = fds, .n = n };
	pthread_t threads[THREADS_MAX];
	size_t started = 0;

	while (started < THREADS_MAX && started + 1 < n &&
	       !pthread_create(&threads[started], NULL, close_some, &work))
		started++;
	close_some(&work);
	while (started)
		pthread_join(threads[--started], NULL);
}

void close_each(const int *fds, size_t n)
{
	while (n)
		close(fds[--n]);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

/* close_range(), 5.9: newer than some C libraries. */
static void close_between(unsigned int first, unsigned int last)
{
	if (first <= last)
		syscall(SYS_close_range, first, last, 0);
}

static int compare_fds(const void *left, const void *right)
{
	const int *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

void close_others(const int *fds, size_t n)
{
	int *sorted = calloc(n + 1, sizeof(*sorted));
	unsigned int next = 0;

	if (!sorted)
		_exit(1); /* which closes all, in another order */
	memcpy(sorted, fds, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_fds);
	for (size_t i = 0; i < n; i++) {
		if (sorted[i] > 0)
			close_between(next, (unsigned int)sorted[i] - 1);
		next = (unsigned int)sorted[i] + 1;
	}
	close_between(next, UINT_MAX);
	free(sorted);
}

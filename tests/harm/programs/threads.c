// SPDX-License-Identifier: GPL-2.0-only
/* Thousands of threads, all of them inside a call at the same time. */
#include <limits.h>
#include <pthread.h>

#include "harm.h"

static pthread_barrier_t all_inside;

static int wait_for_all(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&all_inside);
	return 0;
}

static void *run(void *arg)
{
	HARM(hm_call)(wait_for_all, arg);
	HARM(hm_plain)(1);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, i;
	pthread_t *threads = calloc(n, sizeof(*threads));
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	pthread_barrier_init(&all_inside, NULL, n);
	for (i = 0; i < n; i++)
		harm_check(!pthread_create(&threads[i], &attributes, run, NULL), "a thread");
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%d threads\n", n);
	harm_report();
	return 0;
}

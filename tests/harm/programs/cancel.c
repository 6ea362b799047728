// SPDX-License-Identifier: GPL-2.0-only
/* Threads are cancelled in a call, and clean up what they hold. */
#include <pthread.h>

#include "harm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cleaned, ends[2];

static void clean(void *arg)
{
	(void)arg;
	cleaned++;
	pthread_mutex_unlock(&lock);
}

static int block(void *arg)
{
	char c;

	__atomic_store_n((int *)arg, 1, __ATOMIC_RELEASE);
	return read(ends[0], &c, 1);
}

static void *run(void *inside)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(clean, NULL);
	HARM(hm_call)(block, inside);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	int i, cancelled = 0;

	harm_check(!pipe(ends), "pipe");
	for (i = 0; i < 20; i++) {
		pthread_t thread;
		void *result;
		int inside = 0;

		pthread_create(&thread, NULL, run, &inside);
		while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
			usleep(100);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	printf("cancelled %d, cleaned %d\n", cancelled, cleaned);
	harm_report();
	return 0;
}

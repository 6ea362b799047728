// SPDX-License-Identifier: GPL-2.0-only
/* Threads end in a call: by pthread_exit, which unwinds, and by the system call, which does not. */
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "harm.h"

static int cleaned;

static void clean(void *arg)
{
	(void)arg;
	cleaned++;
}

static int leave(void *arg)
{
	pthread_exit(arg);
}

static void *run(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	HARM(hm_call)(leave, arg);
	pthread_cleanup_pop(0);
	return NULL;
}

static int leave_raw(void *arg)
{
	(void)arg;
	return syscall(SYS_exit, 0);
}

static void *run_raw(void *arg)
{
	HARM(hm_call)(leave_raw, arg);
	return NULL;
}

int main(void)
{
	uintptr_t sum = 0;
	int i;

	for (i = 0; i < 20; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, run, (void *)(uintptr_t)i);
		pthread_join(thread, &result);
		sum += (uintptr_t)result;
		pthread_create(&thread, NULL, run_raw, NULL);
		pthread_join(thread, NULL);
	}
	printf("cleaned %d, sum %d\n", cleaned, (int)sum);
	harm_report();
	return 0;
}

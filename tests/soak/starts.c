// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts processes that end at once, at a rate:
 *
 *	soak-starts PROGRAM RATE SECONDS THREADS
 *
 * RATE is in starts a second, of all threads together. Prints how many processes there were, and
 *how many seconds that took.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#define THREADS_MAX 64
#define NS_PER_S    1000000000LL

struct starter {
	char *program;
	long long next_ns, end_ns, period_ns; /* CLOCK_MONOTONIC */
	long started;
};

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void sleep_until(long long ns)
{
	struct timespec until = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void start_one(struct starter *starter)
{
	char *const argv[] = { starter->program, NULL }, *const env[] = { NULL };
	pid_t pid;

	if (posix_spawn(&pid, starter->program, NULL, NULL, argv, env) ||
	    waitpid(pid, NULL, 0) != pid) {
		perror(starter->program);
		exit(1);
	}
	starter->started++;
}

/* A thread that is behind makes up for it, as far as the machine can. */
static void *start_on(void *argument)
{
	struct starter *starter = argument;

	for (; starter->next_ns < starter->end_ns; starter->next_ns += starter->period_ns) {
		sleep_until(starter->next_ns);
		if (now_ns() >= starter->end_ns)
			break;
		start_one(starter);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double rate = argc == 5 ? atof(argv[2]) : 0, seconds = argc == 5 ? atof(argv[3]) : 0;
	int n = argc == 5 ? atoi(argv[4]) : 0;
	struct starter starters[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	long long begin_ns = now_ns();
	long started = 0;

	if (n < 1 || n > THREADS_MAX || rate <= 0) {
		fprintf(stderr, "usage: soak-starts PROGRAM RATE SECONDS THREADS\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		starters[i] = (struct starter){
			.program = argv[1],
			.next_ns = begin_ns + (long long)(i / rate * NS_PER_S),
			.end_ns = begin_ns + (long long)(seconds * NS_PER_S),
			.period_ns = (long long)(n / rate * NS_PER_S),
		};
		if (pthread_create(&threads[i], NULL, start_on, &starters[i])) {
			perror("pthread_create");
			return 1;
		}
	}
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
		started += starters[i].started;
	}
	printf("%ld %.3f\n", started, (double)(now_ns() - begin_ns) / NS_PER_S);
	return 0;
}

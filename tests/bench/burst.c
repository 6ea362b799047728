// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads that last, in threads: what a call takes them once whatever watches has settled. Prints
 * {"calls": N, "ns": CPU time per call, "first_ns": the same of the time before}.
 *
 *   bench-burst [--threads N] [--work N] [--skip S] [--seconds S] [--file PATH] LOAD
 *
 * LOAD: push (bench_push), many (500 functions in turn), pread (4 KiB of the file). Each call is
 * followed by so much work, a nanosecond or less each. CPU time, as others may want the processors.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int bench_push(int x);

#define MANY	500
#define TURN	1000 /* calls between two looks at the clock */
#define THREADS 64

struct burst {
	int (*functions[MANY])(int x);
	int n_functions, fd;
	long work;
	double skip, seconds;
};

/* What a thread did before and after the time that is skipped. */
struct done {
	const struct burst *burst;
	pthread_t thread;
	long calls[2];
	double ns[2];
};

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void work(long n)
{
	for (; n > 0; n--)
		asm volatile("" : : "r"(n));
}

static void turn(const struct burst *burst)
{
	static _Thread_local int next;
	char page[4096];

	for (int i = 0; i < TURN; i++) {
		if (burst->n_functions)
			burst->functions[next++ % burst->n_functions](i);
		else if (pread(burst->fd, page, sizeof(page), 0) != sizeof(page))
			errx(1, "pread: not a page");
		work(burst->work);
	}
}

static void *run(void *argument)
{
	struct done *done = argument;
	const struct burst *burst = done->burst;
	double begin = now(CLOCK_MONOTONIC), before = now(CLOCK_THREAD_CPUTIME_ID), after, past;

	do {
		past = now(CLOCK_MONOTONIC) - begin;
		turn(burst);
		after = now(CLOCK_THREAD_CPUTIME_ID);
		done->calls[past > burst->skip * 1e9] += TURN;
		done->ns[past > burst->skip * 1e9] += after - before;
		before = after;
	} while (past < (burst->skip + burst->seconds) * 1e9);
	return NULL;
}

static void choose(struct burst *burst, const char *load, const char *file)
{
	char name[32];

	if (!strcmp(load, "push")) {
		burst->functions[burst->n_functions++] = bench_push;
	} else if (!strcmp(load, "many")) {
		for (; burst->n_functions < MANY; burst->n_functions++) {
			snprintf(name, sizeof(name), "bench_many_%03d", burst->n_functions);
			burst->functions[burst->n_functions] =
				(int (*)(int))dlsym(RTLD_DEFAULT, name);
			if (!burst->functions[burst->n_functions])
				errx(1, "%s", dlerror());
		}
	} else if (!strcmp(load, "pread")) {
		burst->fd = open(file, O_RDONLY | O_CLOEXEC);
		if (burst->fd < 0)
			err(1, "--file %s", file);
	} else {
		errx(2, "%s: no such load", load);
	}
}

static void run_all(const struct burst *burst, int threads)
{
	struct done done[THREADS] = { 0 };
	double calls[2] = { 0 }, ns[2] = { 0 };

	for (int i = 0; i < threads; i++) {
		done[i].burst = burst;
		if (pthread_create(&done[i].thread, NULL, run, &done[i]))
			err(1, "a thread");
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(done[i].thread, NULL);
		for (int after = 0; after < 2; after++) {
			calls[after] += (double)done[i].calls[after];
			ns[after] += done[i].ns[after];
		}
	}
	printf("{\"calls\": %.0f, \"ns\": %.2f, \"first_ns\": %.2f}\n", calls[0] + calls[1],
	       ns[1] / calls[1], ns[0] / calls[0]);
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "work", required_argument, NULL, 'w' },
		{ "skip", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 'd' },
		{ "file", required_argument, NULL, 'f' },
		{ 0 },
	};
	struct burst burst = { .skip = 2, .seconds = 6 };
	const char *file = "/proc/self/exe";
	int option, threads = 1;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 't':
			threads = atoi(optarg);
			break;
		case 'w':
			burst.work = atol(optarg);
			break;
		case 's':
			burst.skip = atof(optarg);
			break;
		case 'd':
			burst.seconds = atof(optarg);
			break;
		case 'f':
			file = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc || threads < 1 || threads > THREADS)
		errx(2, "one load, 1 to %d threads", THREADS);
	choose(&burst, argv[optind], file);
	run_all(&burst, threads);
	return 0;
}

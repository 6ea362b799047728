// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes of jobs that the environment names. What they write goes to descriptor 3, a byte at a
 * time; those that wait do so until standard input ends.
 *
 *	named write N		writes N bytes
 *	named many UID FIRST N	a process of that user for each of N jobs from FIRST on,
 *				one after another: job J writes 1 + J % 3 bytes
 *	named idle UID FIRST N	the same, and they do nothing
 *	named fork		forks children until standard input ends, of which each
 *				second one forks one, too; then each process writes a byte;
 *				prints how many they are
 *	named threads N		N threads wait, and write a byte each; as does the first one
 *	named burn MS N		writes a byte; N children take MS ms of a processor, the
 *				last one with two threads; prints the nanoseconds that they
 *				took, waits, takes MS ms itself, and prints what it took
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUT 3

static void write_bytes(long n)
{
	while (n-- > 0)
		if (write(OUT, "x", 1) != 1)
			_exit(9);
}

static void wait_for_end(void)
{
	char byte;

	while (read(0, &byte, 1) > 0)
		;
}

static void reap_all(void)
{
	int status;

	while (wait(&status) > 0)
		if (status)
			_exit(8);
}

static void run_job(char *self, long uid, long job, long bytes)
{
	char variable[64], count[16];
	char *argv[] = { self, "write", count, NULL }, *envp[] = { variable, NULL };

	snprintf(variable, sizeof(variable), "SLURM_JOB_ID=%ld", job);
	snprintf(count, sizeof(count), "%ld", bytes);
	if (!setresuid(uid, uid, uid))
		execve(self, argv, envp);
	_exit(7);
}

static void run_many(char *self, long uid, long first, long n, int idle)
{
	for (long i = 0; i < n; i++) {
		if (!fork())
			run_job(self, uid, first + i, idle ? 0 : 1 + (first + i) % 3);
		reap_all();
	}
}

/* One that waits; with_child: after it has forked another one, which does the same. */
static void run_child(int with_child)
{
	if (with_child && fork() < 0)
		_exit(6);
	wait_for_end();
	write_bytes(1);
	reap_all();
	_exit(0);
}

static void fork_all(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	long n = 1;

	for (int i = 0; poll(&input, 1, 1) == 0; i++) {
		if (!fork())
			run_child(i % 2);
		n += 1 + i % 2;
	}
	write_bytes(1);
	reap_all();
	printf("%ld\n", n);
}

static void *run_thread(void *arg)
{
	wait_for_end();
	write_bytes(1);
	return arg;
}

static void run_threads(long n)
{
	pthread_t threads[64];

	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	run_thread(NULL);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Of the thread's own time. */
static void *burn(void *arg)
{
	const long *ms = arg;
	struct timespec now;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < *ms);
	return NULL;
}

static void burn_child(long ms, int with_thread)
{
	pthread_t thread;

	if (with_thread)
		pthread_create(&thread, NULL, burn, &ms);
	burn(&ms);
	if (with_thread)
		pthread_join(thread, NULL);
	_exit(0);
}

static long long ns_of(const struct timeval *time)
{
	return time->tv_sec * 1000000000LL + time->tv_usec * 1000LL;
}

static long long own_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void burn_all(long ms, long n)
{
	long long begin = own_ns(), sum = 0;
	struct rusage used;

	write_bytes(1);
	for (long i = 0; i < n; i++)
		if (!fork())
			burn_child(ms, i == n - 1);
	while (wait4(-1, NULL, 0, &used) > 0)
		sum += ns_of(&used.ru_utime) + ns_of(&used.ru_stime);
	printf("%lld\n", sum);
	fflush(stdout);
	wait_for_end();
	burn(&ms);
	printf("%lld\n", own_ns() - begin);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long a = argc > 2 ? atol(argv[2]) : 0, b = argc > 3 ? atol(argv[3]) : 0;

	if (!strcmp(how, "write"))
		write_bytes(a);
	else if ((!strcmp(how, "many") || !strcmp(how, "idle")) && argc > 4)
		run_many(argv[0], a, b, atol(argv[4]), !strcmp(how, "idle"));
	else if (!strcmp(how, "fork"))
		fork_all();
	else if (!strcmp(how, "threads") && a < 64)
		run_threads(a);
	else if (!strcmp(how, "burn"))
		burn_all(a, b);
	else
		return 2;
	return 0;
}

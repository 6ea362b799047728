// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that do something known and end in a given way:
 *
 *	ends HOW FILE N [ARG...]
 *
 * N bytes are written to FILE one by one, then the process ends: exit, _exit, abort, kill, memory
 * (it takes all that there is); fork: a child writes N + 1 more and ends by _exit; exec: goes on
 * with what ARG says; threads: eight of them write N each to files of their own, opened and closed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8

static void write_bytes(const char *path, long n)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);

	if (fd < 0)
		exit(9);
	while (n--)
		if (write(fd, "x", 1) != 1)
			exit(9);
	close(fd);
}

struct job {
	char path[256];
	long n;
};

static void *run(void *arg)
{
	const struct job *job = arg;

	write_bytes(job->path, job->n);
	return NULL;
}

static void run_threads(const char *path, long n)
{
	pthread_t threads[THREADS];
	struct job jobs[THREADS];

	for (int i = 0; i < THREADS; i++) {
		snprintf(jobs[i].path, sizeof(jobs[i].path), "%s.%d", path, i);
		jobs[i].n = n;
		pthread_create(&threads[i], NULL, run, &jobs[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Until there is no more; no page is left untouched. */
static void take_memory(void)
{
	for (;;) {
		char *p = malloc(1 << 20);

		if (p)
			memset(p, 1, 1 << 20);
	}
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	long n = atol(argv[3]);

	if (argc < 4)
		return 2;
	if (!strcmp(how, "threads")) {
		run_threads(argv[2], n);
		return 0;
	}
	write_bytes(argv[2], n);
	if (!strcmp(how, "_exit"))
		_exit(7);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "memory"))
		take_memory();
	if (!strcmp(how, "exec"))
		execv(argv[4], argv + 4);
	if (!strcmp(how, "fork")) {
		if (!fork()) {
			write_bytes(argv[2], n + 1);
			_exit(1);
		}
		wait(NULL);
	}
	return 3;
}

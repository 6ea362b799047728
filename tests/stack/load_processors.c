// SPDX-License-Identifier: GPL-2.0-only
/*
 * All processors count into the same places at once: a process of --threads threads, and as many
 * processes beside it, one of each on each processor, call the same functions and write to the same
 * file, --count times each. What each of the processes did is added to the output.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "load.h"
#include "sample.h"

struct shared {
	_Atomic int ready; /* workers that are at their places */
	_Atomic int go;
};

struct worker {
	const struct load *l;
	struct shared *shared;
	int fd;
	int number; /* of its processor, counted round */
};

static void take_place(int number)
{
	cpu_set_t allowed, one;
	int left;

	CHECK(!sched_getaffinity(0, sizeof(allowed), &allowed));
	left = number % CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || left--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		CHECK(!sched_setaffinity(0, sizeof(one), &one));
		return;
	}
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	char *text = calloc(1, w->l->size);
	int n = load_count(w->l, 1000);

	CHECK(text);
	take_place(w->number);
	w->shared->ready++;
	while (!w->shared->go)
		sched_yield();
	for (int i = 0; i < n; i++) {
		CHECK(sample_leaf(i) == i + 1);
		CHECK(sample_write(w->fd, text, w->l->size) == (ssize_t)w->l->size);
	}
	free(text);
	return NULL;
}

static pid_t start(struct worker *worker, int threads)
{
	struct worker workers[64];
	pid_t pid = fork();

	CHECK(pid >= 0 && threads <= 64);
	if (pid)
		return pid;
	for (int i = 0; i < threads; i++) {
		workers[i] = *worker;
		workers[i].number = i;
	}
	if (threads)
		load_in_threads(threads, work, workers, sizeof(*workers));
	else
		work(worker);
	_exit(0);
}

int load_processors(struct load *l)
{
	int n = l->threads > 0 ? l->threads : (int)sysconf(_SC_NPROCESSORS_ONLN), status;
	struct worker worker = { .l = l };
	char path[4200];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/written", l->dir);
	worker.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	worker.shared = mmap(NULL, sizeof(*worker.shared), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(worker.fd >= 0 && worker.shared != MAP_FAILED);
	load_extra(l, ",\"written\":\"%s\",\"workers\":[", path);
	for (int i = -1; i < n; i++) {
		worker.number = i;
		pid = start(&worker, i < 0 ? n : 0);
		load_extra(l, "%s{\"pid\":%d,\"calls\":%d}", i < 0 ? "" : ",", pid,
			   (i < 0 ? n : 1) * load_count(l, 1000));
	}
	load_extra(l, "]");
	while (worker.shared->ready < 2 * n)
		load_sleep(0.001);
	worker.shared->go = 1;
	for (int i = 0; i <= n; i++)
		CHECK(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Processes: forked, executed, waiting, blocked; libraries that come late. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"
#include "mio.h"
#include "sample.h"
#include "truth.h"

static void calls(int n)
{
	for (int i = 0; i < n; i++)
		CHECK(sample_leaf(i) == i + 1);
}

static void reap(int n)
{
	int status;

	for (int i = 0; i < n; i++)
		CHECK(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
}

static _Noreturn void child(const struct load *l, int who)
{
	load_round_sample(l, who);
	CHECK(mio_init(NULL) == 0);
	load_round_mio(l, who);
	mio_fini();
	calls(load_count(l, 10));
	_exit(0);
}

/* --threads is the number of children. */
int load_fork(struct load *l)
{
	int children = l->threads > 0 ? l->threads : 4;

	calls(load_count(l, 10));
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid)
			child(l, i);
	}
	reap(children);
	load_extra(l, ",\"children\":%d", children);
	return 0;
}

static long fork_here(void *arg)
{
	(void)arg;
	return fork();
}

/* Each fork happens two calls deep; the child returns from both, then calls. */
int load_fork_inside(struct load *l)
{
	int n = load_count(l, 10);

	for (int i = 0; i < n; i++) {
		long pid = sample_call(fork_here, NULL);

		CHECK(pid >= 0);
		calls(5);
		if (!pid)
			_exit(0);
	}
	reap(n);
	load_extra(l, ",\"children\":%d", n);
	return 0;
}

static long exec_here(void *arg)
{
	struct load *l = arg;
	char *argv[] = {
		"load", "all", "--dir", (char *)l->dir, "--truth", (char *)l->truth, NULL
	};

	if (!l->truth)
		argv[4] = NULL;
	execv(l->program, argv);
	return -1;
}

/* The image that is executed prints the truth of both. */
int load_exec(struct load *l)
{
	calls(load_count(l, 10));
	if (l->how && !strcmp(l->how, "inside")) {
		truth_killed(1);
		sample_call(exec_here, l);
	} else {
		exec_here(l);
	}
	perror(l->program);
	return 1;
}

typedef long (*leaf_function)(long n);
typedef long (*recurse_function)(int depth);

/* Its own symbols come first, so that its calls of itself stay in this copy. */
int load_dlopen(struct load *l)
{
	leaf_function leaf;
	recurse_function recurse;
	char beside[4096];
	void *library;
	uint64_t end;

	if (!l->library) {
		ssize_t n = readlink(l->program, beside, sizeof(beside) - 32);

		CHECK(n > 0);
		beside[n] = '\0';
		strcpy(strrchr(beside, '/'), "/late/libsample.so.1");
		l->library = beside;
	}
	load_sleep(l->delay);
	library = dlopen(l->library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	if (!library) {
		fprintf(stderr, "load: %s\n", dlerror());
		return 1;
	}
	leaf = (leaf_function)dlsym(library, "sample_leaf");
	recurse = (recurse_function)dlsym(library, "sample_recurse");
	CHECK(leaf && recurse);
	end = load_now_ns() + (uint64_t)(l->duration * 1e9);
	do {
		for (int i = 0; i < load_count(l, 1000); i++)
			CHECK(leaf(i) == i + 1);
	} while (load_now_ns() < end);
	CHECK(recurse(10) == 10);
	load_extra(l, ",\"library\":\"%s\"", l->library);
	return 0;
}

int load_wait_then(struct load *l)
{
	if (l->argc < 1) {
		fprintf(stderr, "load: wait-then SUBCOMMAND\n");
		return 2;
	}
	load_await(l);
	return load_run(l, l->argv[0]);
}

static long await_here(void *arg)
{
	load_await(arg);
	return 0;
}

static void *sleep_here(void *arg)
{
	const struct load *l = arg;

	sample_sleep((uint64_t)((l->duration > 0 ? l->duration : 1) * 1e9));
	calls(load_count(l, 10));
	return NULL;
}

/* One thread sleeps for --duration (1 s), the other waits to be told; both go on with calls. */
int load_inside(struct load *l)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, sleep_here, l));
	sample_call(await_here, l);
	calls(load_count(l, 10));
	CHECK(!pthread_join(thread, NULL));
	return 0;
}

static long block_here(void *arg)
{
	(void)arg;
	sample_block();
	return 0;
}

/* The truth of it is what "load truth" prints of STACK_TRUTH afterwards. */
int load_block(struct load *l)
{
	calls(load_count(l, 10));
	truth_killed(2);
	fprintf(stderr, "%d\n", getpid());
	sample_call(block_here, NULL);
	return 1;
}

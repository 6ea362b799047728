// SPDX-License-Identifier: GPL-2.0-only
/* Calls that never return: left by longjmp, by an exception, by the end of their thread. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "sample.h"
#include "truth.h"

struct jump {
	jmp_buf to;
	int levels; /* calls still to be nested */
};

static long jump_out(void *arg)
{
	struct jump *j = arg;

	if (--j->levels > 0)
		return sample_call(jump_out, j);
	sample_leaf(1);
	longjmp(j->to, 1);
}

/* The jump is done one function deeper than the calls that follow it. */
static __attribute__((noinline)) void jump(int levels)
{
	struct jump j = { .levels = levels };

	if (!setjmp(j.to)) {
		sample_call(jump_out, &j);
		abort();
	}
	truth_unwound((uint64_t)levels);
}

static long jump_within(void *arg)
{
	jump((int)(intptr_t)arg);
	return sample_leaf(2);
}

int load_longjmp(struct load *l)
{
	for (int i = 0; i < load_count(l, 10); i++) {
		for (int levels = 1; levels <= 3; levels++) {
			jump(levels);
			CHECK(sample_leaf(i) == i + 1);
			/* An open call below the jump survives it. */
			CHECK(sample_call(jump_within, (void *)(intptr_t)levels) == 3);
		}
	}
	CHECK(sample_leaf(0) == 1);
	return 0;
}

static long exit_thread(void *arg)
{
	(void)arg;
	pthread_exit(NULL);
}

static long await_cancel(void *arg)
{
	*(_Atomic bool *)arg = true;
	do
		pause();
	while (arg);
	return 0;
}

static void *exit_in_call(void *arg)
{
	(void)arg;
	sample_leaf(1);
	sample_call(exit_thread, NULL);
	return NULL;
}

static void *cancel_in_call(void *arg)
{
	sample_leaf(1);
	sample_call(await_cancel, arg);
	return NULL;
}

static void end_threads(void)
{
	_Atomic bool is_inside = false;
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, exit_in_call, NULL));
	CHECK(!pthread_join(thread, NULL));
	CHECK(!pthread_create(&thread, NULL, cancel_in_call, (void *)&is_inside));
	while (!is_inside)
		usleep(1000);
	CHECK(!pthread_cancel(thread));
	CHECK(!pthread_join(thread, NULL));
	truth_killed(2);
}

typedef int (*throw_function)(int levels);

/* --how throw|threads: only one of the two. Without a C++ compiler at build there is no throw. */
int load_exception(struct load *l)
{
	bool only_threads = l->how && !strcmp(l->how, "threads");
	void *library = only_threads ? NULL : dlopen("libthrow.so", RTLD_NOW);
	throw_function caught =
		library ? (throw_function)dlsym(library, "throw_through_calls") : NULL;

	if (!caught && !only_threads)
		load_extra(l, ",\"skipped\":\"exceptions: built without a C++ compiler\"");
	for (int i = 0; caught && i < load_count(l, 10); i++) {
		for (int levels = 1; levels <= 3; levels++) {
			CHECK(caught(levels) == 1);
			truth_unwound((uint64_t)levels);
			CHECK(sample_leaf(i) == i + 1);
		}
	}
	for (int i = 0; (!l->how || only_threads) && i < load_count(l, 10); i++)
		end_threads();
	return 0;
}

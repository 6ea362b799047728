// SPDX-License-Identifier: GPL-2.0-only
/* More than one stack in a thread: coroutines and alternate signal stacks. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "load.h"
#include "sample.h"

enum { STACK_SIZE = 256 << 10 };

/*
 * Where the other stack lies, seen from the thread's own. The last one, so little below that a
 * tracer may take it for the same stack, is used only when it is named.
 */
static const char *const places[] = { "malloc", "below", "above", "own", "near" };
enum { PLACES = sizeof(places) / sizeof(places[0]), NEAR = PLACES - 1 };

struct run {
	void (*situation)(char *stack);
	char *stack; /* NULL: in the thread's own stack */
};

/* The array is in a frame above those that use it. */
static __attribute__((noinline)) void run_on_own(void (*situation)(char *stack))
{
	char stack[STACK_SIZE] __attribute__((aligned(64)));

	memset(stack, 0, sizeof(stack));
	situation(stack);
	__asm__ volatile("" : : "r"(stack) : "memory");
}

static void *run(void *arg)
{
	struct run *r = arg;

	if (r->stack)
		r->situation(r->stack);
	else
		run_on_own(r->situation);
	return NULL;
}

/* One mapping holds a stack below the thread's own, the thread's, and one above. */
static void run_in_thread(const char *place, void (*situation)(char *stack))
{
	size_t own = strcmp(place, places[NEAR]) ? 4 * STACK_SIZE : STACK_SIZE / 4;
	size_t all = own + 2 * STACK_SIZE;
	char *map = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *heap = malloc(STACK_SIZE);
	struct run r = { .situation = situation };
	pthread_attr_t attr;
	pthread_t thread;

	CHECK(map != MAP_FAILED && heap);
	if (!strcmp(place, "malloc"))
		r.stack = heap;
	else if (!strcmp(place, "above"))
		r.stack = map + STACK_SIZE + own;
	else if (strcmp(place, "own") != 0)
		r.stack = map;
	pthread_attr_init(&attr);
	CHECK(!pthread_attr_setstack(&attr, map + STACK_SIZE, own));
	CHECK(!pthread_create(&thread, &attr, run, &r));
	CHECK(!pthread_join(thread, NULL));
	pthread_attr_destroy(&attr);
	munmap(map, all);
	free(heap);
}

static int everywhere(struct load *l, void (*situation)(char *stack))
{
	bool found = false;

	for (int p = 0; p < PLACES; p++) {
		if (l->how ? strcmp(l->how, places[p]) != 0 : p == NEAR)
			continue;
		found = true;
		for (int i = 0; i < load_count(l, 10); i++)
			run_in_thread(places[p], situation);
	}
	if (found)
		return 0;
	fprintf(stderr, "load: --how malloc|below|above|own|near\n");
	return 2;
}

/* The two sides of a coroutine; makecontext passes int arguments only. */
static __thread ucontext_t outside, inside;

static long switch_to_outside(void *arg)
{
	CHECK(!swapcontext(&inside, &outside));
	return sample_leaf((long)(intptr_t)arg);
}

static long switch_to_inside(void *arg)
{
	CHECK(!swapcontext(&outside, &inside));
	return sample_leaf((long)(intptr_t)arg);
}

static void coroutine(void)
{
	CHECK(sample_leaf(1) == 2);
	CHECK(sample_call(switch_to_outside, (void *)1) == 2);
	CHECK(sample_recurse(3) == 3);
	CHECK(sample_call(switch_to_outside, (void *)2) == 3);
}

/* Calls are open on both stacks at each switch; all of them return, not in order. */
static void switch_stacks(char *stack)
{
	CHECK(!getcontext(&inside));
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = STACK_SIZE;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	CHECK(sample_call(switch_to_inside, (void *)1) == 2);
	CHECK(sample_recurse(2) == 2);
	CHECK(sample_call(switch_to_inside, (void *)2) == 3);
	CHECK(!swapcontext(&outside, &inside));
	CHECK(sample_leaf(1) == 2);
}

int load_coroutine(struct load *l)
{
	return everywhere(l, switch_stacks);
}

static void handle(int signal)
{
	CHECK(sample_leaf(signal) == signal + 1);
	CHECK(sample_recurse(2) == 2);
}

static long raise_here(void *arg)
{
	CHECK(!raise(SIGUSR2));
	return sample_leaf((long)(intptr_t)arg);
}

static long raise_deeper(void *arg)
{
	return sample_call(raise_here, arg);
}

static void signal_stacks(char *stack)
{
	stack_t other = { .ss_sp = stack, .ss_size = STACK_SIZE },
		none = { .ss_flags = SS_DISABLE };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

	CHECK(!sigaltstack(&other, NULL));
	CHECK(!sigaction(SIGUSR2, &action, NULL));
	CHECK(sample_call(raise_here, (void *)1) == 2);
	CHECK(sample_call(raise_deeper, (void *)2) == 3);
	CHECK(!raise(SIGUSR2));
	CHECK(sample_leaf(1) == 2);
	CHECK(!sigaltstack(&none, NULL));
}

int load_altstack(struct load *l)
{
	/* The functions' slots must exist: a handler must not wait for the code it interrupts. */
	CHECK(sample_leaf(0) == 1 && sample_recurse(0) == 0);
	return everywhere(l, signal_stacks);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coroutines that switch in the middle of calls. MAIN_STACK: their stacks are parts of the main
 * one. Else they are on the heap, begin a call in one thread and end it in another one, and the
 * last of them is given up inside its call, with its stack.
 */
#include <alloca.h>
#include <pthread.h>

#include "harm.h"
#include "switch.h"

enum { N = 8, ROUNDS = 50, STACK = 64 << 10 };

static void *at[N], *main_at;
static int current, sum;

static int yield(void *arg)
{
	int me = current;

	(void)arg;
	switch_to(&at[me], main_at);
	return me;
}

static void body(void)
{
	int i;

	for (i = 0;; i++) {
		sum += HARM(hm_call)(yield, NULL);
		sum += HARM(hm_plain)(i);
	}
}

static void *resume_all(void *order)
{
	int i;

	for (i = 0; i < N; i++) {
		current = order ? N - 1 - i : i;
		switch_to(&main_at, at[current]);
	}
	return NULL;
}

static void one_round(int i)
{
#ifdef MAIN_STACK
	resume_all((void *)(uintptr_t)(i % 2));
#else
	pthread_t thread;

	pthread_create(&thread, NULL, resume_all, (void *)(uintptr_t)(i % 2));
	pthread_join(thread, NULL);
#endif
}

int main(void)
{
#ifdef MAIN_STACK
	char *room = alloca(N * STACK);
#else
	char *room = malloc(N * STACK);
#endif
	int i;

	for (i = 0; i < N; i++)
		at[i] = new_stack(room + i * STACK, STACK, body);
	for (i = 0; i < ROUNDS; i++)
		one_round(i);
#ifndef MAIN_STACK
	free(room);
#endif
	for (i = 0; i < 100; i++)
		sum += HARM(hm_plain)(i);
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}

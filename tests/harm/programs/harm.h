/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of tests/harm have in common: they count their own calls of the library, and
 * print the counts in their last line, as "calls hm_plain 3 hm_call 1". The counts are in memory
 * that forked children share.
 */
#ifndef HARM_H
#define HARM_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "library.h"

#define HARM_FUNCTIONS(X) \
	X(hm_plain)       \
	X(hm_call)        \
	X(hm_tail)        \
	X(hm_write)       \
	X(hm_caller)      \
	X(hm_nop5)        \
	X(hm_redzone)     \
	X(hm_near)        \
	X(hm_return)      \
	X(hm_load)        \
	X(hm_dispatch)    \
	X(hm_vex)         \
	X(hm_vex_equal)

#define HARM_NUMBER(name) number_##name,
enum harm_function { HARM_FUNCTIONS(HARM_NUMBER) HARM_N_FUNCTIONS };

/* Exit status of a program that this machine cannot run; it prints the reason. */
enum { HARM_SKIP = 77 };

static long *harm_counts;

__attribute__((constructor)) static void harm_begin(void)
{
	harm_counts =
		(long *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (harm_counts == MAP_FAILED)
		abort();
}

/* HARM(hm_plain)(1) calls the function, and counts the call. */
#define HARM(name) (harm_count(number_##name), name)

static inline void harm_count(enum harm_function number)
{
	__atomic_fetch_add(&harm_counts[number], 1, __ATOMIC_RELAXED);
}

static inline long harm_counted(enum harm_function number)
{
	return __atomic_load_n(&harm_counts[number], __ATOMIC_RELAXED);
}

/* Prints the truth. After it, nothing more may be printed, and the library not be called. */
static inline void harm_report(void)
{
#define HARM_NAME(name) #name,
	static const char *const names[] = { HARM_FUNCTIONS(HARM_NAME) };
	int i;

	printf("calls");
	for (i = 0; i < HARM_N_FUNCTIONS; i++)
		if (harm_counted((enum harm_function)i))
			printf(" %s %ld", names[i], harm_counted((enum harm_function)i));
	printf("\n");
	fflush(stdout);
}

/* Ends the program where something is not as it must be without any tracer. */
static inline void harm_check(int good, const char *what)
{
	if (good)
		return;
	printf("wrong: %s\n", what);
	fflush(stdout);
	_exit(1);
}

static inline int harm_skip(const char *reason)
{
	printf("%s\n", reason);
	return HARM_SKIP;
}

#endif

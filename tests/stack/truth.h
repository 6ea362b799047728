/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What really happened: every function of the sample stack counts itself, in a table shared by all
 * processes of a test, so that the tracer's records can be compared with it.
 *
 * Environment: STACK_TRUTH names the table's file; "off" switches the counting off (benchmarks);
 * without it the table is anonymous memory, shared with forked children only.
 */
#ifndef STACK_TRUTH_H
#define STACK_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct truth_slot;

/* One function's place in the code; remembers the slot so that a call costs no search. */
struct truth_site {
	struct truth_slot *slot;
};

struct truth_call {
	struct truth_slot *slot;
	struct truth_site *site;
	uint64_t start_ns;
	uint64_t bytes; /* counted when the call succeeds */
	int64_t code;	/* of the failure; 0: the failure has no code */
	const char *layer;
	const char *function;
	bool sized; /* the program named a size: bytes is it, be it 0 */
	bool failed;
	bool is_errno; /* code is an errno */
};

void truth_enter(struct truth_call *call);
void truth_leave(struct truth_call *call);

/* Maps the table before the first call does it; path may be NULL: then as the environment says. */
int truth_open(const char *path);

/* Calls that will never return, as the caller knows: left by longjmp or an exception. */
void truth_unwound(uint64_t calls);
/* The same: ended by the end of their thread or process, or by exec. */
void truth_killed(uint64_t calls);

/* Prints the table's members of a JSON object, without the braces. */
void truth_print(FILE *out);

/*
 * The first line of an exported function. TRUTH_LAYER is defined by the library. The cleanup runs
 * after the return expression; a frame left by longjmp does not run it.
 */
#define TRUTH() TRUTH_AS(TRUTH_LAYER)
#define TRUTH_AS(layer_)                                                                          \
	static struct truth_site truth_site;                                                      \
	struct truth_call truth __attribute__((cleanup(truth_leave))) = { .site = &truth_site,    \
									  .layer = (layer_),      \
									  .function = __func__ }; \
	truth_enter(&truth)

/* The size that the call is about. */
#define TRUTH_SIZE(bytes_) ((void)(truth.sized = true, truth.bytes = (bytes_)))

/* How a function's value says failure; each is used in the return statement. */
#define TRUTH_FAIL(value_, failed_, code_, is_errno_)             \
	({                                                        \
		__typeof__(value_) v_ = (value_);                 \
		truth.failed = (failed_);                         \
		truth.code = truth.failed ? (int64_t)(code_) : 0; \
		truth.is_errno = (is_errno_);                     \
		v_;                                               \
	})
#define TRUTH_ERRNO(value_)    TRUTH_FAIL(value_, v_ < 0, -(int64_t)v_, true)
#define TRUTH_NEGATIVE(value_) TRUTH_FAIL(value_, v_ < 0, 0, false)
#define TRUTH_NONZERO(value_)  TRUTH_FAIL(value_, v_ != 0, v_, false)
#define TRUTH_NULL(value_)     TRUTH_FAIL(value_, !v_, 0, false)

#endif

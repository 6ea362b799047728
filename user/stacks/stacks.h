/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the addresses of a stack to functions. Must be asked soon after the call: what is on a
 * program's address is known from when it was mapped, but who is gone cannot be asked any more
 * where its files are.
 */
#ifndef USER_STACKS_STACKS_H
#define USER_STACKS_STACKS_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/error.h"

struct stacks;

struct stack_frame {
	const char *function; /* NULL: not known */
	const char *library;  /* the file, as the process sees it; NULL: not known, or none */
	__u64 place;	      /* in the file, of the return address; without one, the address */
};

struct stack {
	__u64 id; /* of all stacks that were found; never used again */
	size_t n;
	const struct stack_frame *frames; /* the innermost first */
};

/* From now on. 0 and *out, or those of watch__open(). */
int stacks__open(struct stacks **out, struct error *err);
void stacks__close(struct stacks *stacks); /* NULL is fine */

/* Takes in what was mapped, forked and begun since: from time to time, so that it is not too much.
 */
void stacks__follow(struct stacks *stacks);

/* Looks at a process that is there already, so that it is known when it is gone. */
void stacks__meet(struct stacks *stacks, pid_t pid);

/* A stack as it was taken. */
struct stack_taken {
	pid_t pid;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	const __u64 *addresses;
	size_t n; /* at most TM_STACK_MAX */
	/*
	 * TM_STACK_WORDS words from the stack pointer on, where the first address is of the
	 * instruction that is next: the return address that is missing in addresses may be among
	 * them. NULL: the first address is a return address.
	 */
	const __u64 *words;
};

/* What it says. NULL without memory. Valid until the next call. */
const struct stack *stacks__find(struct stacks *stacks, const struct stack_taken *taken);

/* How many stacks were asked for of processes of which nothing was known any more. */
__u64 stacks__unknown(const struct stacks *stacks);
/* How many mappings the kernel had no room to tell of. */
__u64 stacks__lost(const struct stacks *stacks);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a probe stands in for one on a `ret`: on an instruction before it that the kernel emulates,
 * from which nothing but a few instructions leads there. What these do is known, and is packed into
 * the probe's cookie, so that the program knows what the `ret` would see. Where the lower half of
 * the cookie is 0, the probe is on the `ret`, and the cookie is tm_cookie_place().
 */
#ifndef TMTRACE_EXIT_H
#define TMTRACE_EXIT_H

/* Registers by their numbers in x86-64's instructions. */
#define TM_EXIT_AX 0
#define TM_EXIT_SP 4

/* When the way leads to the `ret`: a condition as in the opcodes of jumps, plus 1; 0: always. */
#define TM_EXIT_WHEN_SHIFT 0
#define TM_EXIT_WHEN_BITS  5
/* The stack pointer at the `ret`: a register, and so many words more. */
#define TM_EXIT_BASE_SHIFT  5
#define TM_EXIT_BASE_BITS   4
#define TM_EXIT_WORDS_SHIFT 9
#define TM_EXIT_WORDS_BITS  16 /* with a sign */
/* The result: a constant, in a register, or in memory at a register, and so many bytes more. */
#define TM_EXIT_KIND_SHIFT   25
#define TM_EXIT_KIND_BITS    3
#define TM_EXIT_HOLDER_SHIFT 28
#define TM_EXIT_HOLDER_BITS  4
#define TM_EXIT_VALUE_SHIFT  32 /* 32 bits with a sign: a constant, or the bytes */

enum tm_exit_kind {
	TM_EXIT_REGISTER,     /* all of it */
	TM_EXIT_REGISTER_LOW, /* its low 32 bits, */
	TM_EXIT_REGISTER_INT, /* with their sign extended */
	TM_EXIT_CONSTANT,     /* with its sign extended */
	TM_EXIT_CONSTANT_LOW, /* without */
	TM_EXIT_MEMORY,
	TM_EXIT_MEMORY_LOW,
	TM_EXIT_MEMORY_INT,
};

#endif

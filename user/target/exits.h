/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where functions return, found by following their code: probes on these instructions see every
 * return without touching the program's stack. Jumps are followed wherever they lead, into parts of
 * the function that lie elsewhere and into functions of the same file that it ends by jumping to;
 * so a place found can be one where other functions return, too. x86-64.
 */
#ifndef USER_TARGET_EXITS_H
#define USER_TARGET_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"
#include "target/elf_file.h"

struct exits;

/* What is known of one function. */
struct exits_found {
	const __u64 *offsets; /* of `ret` instructions, in the file, ascending; the finder's */
	size_t n;	      /* 0: it never returns */
	bool tail_calls;      /* it ends, on some way, by jumping to the start of another */
};

/*
 * Prepares to look at an open file; elf is that file, read, which must outlive the finder; fd may
 * be closed afterwards. Errors: those of elf_file__open_fd().
 */
int exits__open(struct exits **out, int fd, const struct elf_file *elf, const char *name,
		struct error *err);
void exits__close(struct exits *exits); /* NULL is fine */

/*
 * Looks at the function at an offset in the file; what is found is valid until the next call. NULL,
 * or why it cannot be told where it returns.
 */
const char *exits__find(struct exits *exits, __u64 offset, struct exits_found *found);

#endif

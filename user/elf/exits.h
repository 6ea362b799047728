/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where functions return, found by following their code: probes on these instructions see every
 * return without touching the program's stack. Jumps are followed wherever they lead, into parts of
 * the function that lie elsewhere and into functions of the same file that it ends by jumping to;
 * so a place found can be one where other functions return, too. x86-64.
 */
#ifndef USER_ELF_EXITS_H
#define USER_ELF_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"
#include "elf/elf_file.h"
#include "elf/exit_cost.h"

struct exits;

/* What the probes cost by which calls are timed where functions return. */
enum exit_class {
	EXIT_UNKNOWN,  /* there are none: the function is not timed, or a session times it */
	EXIT_EMULATED, /* all on instructions that the kernel emulates */
	EXIT_MIXED,    /* some */
	EXIT_STEPPED,  /* none: all on a `ret`, or it never returns */
	EXIT_CLASSES,
};

/* As people and records have them: "emulated", "mixed", "stepped"; UNKNOWN has NULL. */
extern const char *const exit_class_names[EXIT_CLASSES];

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

/*
 * After all functions have been looked at that are to be probed: finds where probes can stand in
 * for those on their `ret` instructions. entries: where there are probes at the functions' begins,
 * ascending. 0 or -ENOMEM.
 */
int exits__choose(struct exits *exits, const __u64 *entries, size_t n_entries);

/*
 * The n places that stand in for a `ret`: every way to it passes one of them. NULL and 0: the probe
 * is on the `ret` itself. They are valid until the finder is closed.
 */
const struct exits_way *exits__ways(const struct exits *exits, __u64 ret, size_t *n);

#endif

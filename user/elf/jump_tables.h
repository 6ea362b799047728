/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where jumps through tables of addresses lead, as compilers make them of switch statements. A
 * table is believed where the code before the jump, on every way from the function's begin, makes
 * sure of its address and of how many entries it has, and where it is in memory that is never
 * written. x86-64; for exits alone.
 */
#ifndef USER_ELF_JUMP_TABLES_H
#define USER_ELF_JUMP_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <Zydis/Zydis.h>

#include "elf/code.h"

struct jump_tables;

/* Where an instruction leads; places are offsets in the file. */
struct code_edges {
	__u64 next, branch;
	bool goes_on;  /* to next */
	bool branches; /* to branch */
	bool by_table; /* to where a register says, or memory */
	bool returns;
};

/* Says where the instruction at an offset leads; NULL, or why it cannot. */
typedef const char *(*code_edges_fn)(void *context, __u64 offset, const ZydisDecodedInstruction *in,
				     struct code_edges *edges);

/*
 * For the code of one open file, which must outlive it; fd may be closed afterwards. 0 or -ENOMEM.
 */
int jump_tables__new(struct jump_tables **out, int fd, const struct code *code);
void jump_tables__free(struct jump_tables *tables); /* NULL is fine */

/*
 * Follows the code of the function at an offset, of up to so many instructions, and finds all of
 * its jumps through tables. NULL, or why one of them cannot be told; static.
 */
const char *jump_tables__find(struct jump_tables *tables, __u64 function, size_t max,
			      code_edges_fn edges, void *context);

/*
 * Where the jump at an offset leads: n offsets, of the function that was looked at last; they are
 * valid until the next one is.
 */
const __u64 *jump_tables__targets(const struct jump_tables *tables, __u64 jump, size_t *n);

#endif

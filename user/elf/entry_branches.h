/* SPDX-License-Identifier: GPL-2.0-only */
/* Which direct branches in a file's code lead to one of some addresses. */
#ifndef USER_ELF_ENTRY_BRANCHES_H
#define USER_ELF_ENTRY_BRANCHES_H

#include <stdbool.h>

#include "elf/code.h"

/* A set of addresses of the code. */
struct branch_targets {
	unsigned char *bits;
	struct elf_range range;
};

/* An empty set. -ENOMEM, or -E2BIG where the segments lie too far apart. */
int branch_targets__init(struct branch_targets *targets, const struct code *code);
void branch_targets__free(struct branch_targets *targets);
/* Those that are no address of the code are left out. */
void branch_targets__add(struct branch_targets *targets, const struct elf_range *range);

/*
 * Calls back for every place from which a direct branch could lead to one of the targets. Every
 * byte is taken for the begin of an instruction: no branch is missed, whatever the code is, but
 * some of those found are none.
 */
void entry_branches__find(const struct code *code, const struct branch_targets *targets,
			  void (*found)(void *ctx, __u64 from, __u64 to), void *ctx);

/*
 * Is the byte at this address part of a branch to that one, going from one instruction to the next
 * from start on? Also true where the way there is no code.
 */
bool entry_branches__is_branch(const struct code *code, __u64 start, __u64 address, __u64 to);

/*
 * May an indirect jump in a function lead to any place in it? One through the file's table of
 * addresses leaves the function; and in a function that begins with endbr64 the compiler marked
 * those that lead to other places than an endbr64 (notrack).
 */
bool entry_branches__jumps_anywhere(const unsigned char *bytes, size_t n);

#endif

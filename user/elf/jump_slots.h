/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words through which a file calls functions by name (its global offset table), and what the
 * file itself knows of these functions. Internal to exits.
 */
#ifndef USER_ELF_JUMP_SLOTS_H
#define USER_ELF_JUMP_SLOTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "elf/elf_image.h"

struct jump_slots;

struct jump_slot {
	__u64 address; /* of the word, as the file is linked */
	__u64 offset;  /* in this file, of the function it defines by that name; 0: it does not */
	bool never_returns;
};

/* 0 and *out (jump_slots__free()), or -ENOMEM; a file that cannot be understood has none. */
int jump_slots__read(struct jump_slots **out, const struct elf_image *image);
void jump_slots__free(struct jump_slots *slots); /* NULL is fine */

const struct jump_slot *jump_slots__find(const struct jump_slots *slots, __u64 address);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64 instructions, decoded by Zydis, as the analysis of a function's entry looks at them. */
#ifndef USER_ELF_INSTRUCTION_H
#define USER_ELF_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <Zydis/Zydis.h>

#include "elf/entry_class.h"

struct instruction {
	ZydisDecodedInstruction head;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	const unsigned char *bytes;
};

/* Decodes the instruction at bytes, with its operands; false: the n bytes do not hold one. */
bool instruction__decode(struct instruction *in, const unsigned char *bytes, size_t n);

/* Only its head, which is faster. */
bool instruction__decode_head(ZydisDecodedInstruction *head, const unsigned char *bytes, size_t n);

/* What the kernel does with a probe on it. */
enum entry_class instruction__class(const struct instruction *in);

bool instruction__is_endbr(const struct instruction *in);

/* A jump whose target is in a register or in memory that is not at a fixed address. */
bool instruction__jumps_anywhere(const ZydisDecodedInstruction *head);

#endif

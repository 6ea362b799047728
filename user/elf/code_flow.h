/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What registers hold while code runs, as far as jumps through tables of addresses need it: bounds
 * of numbers, addresses of the file, and entries of the file's tables. Whatever is not certain is
 * not known. x86-64; for jump_tables alone.
 */
#ifndef USER_ELF_CODE_FLOW_H
#define USER_ELF_CODE_FLOW_H

#include <stdbool.h>
#include <linux/types.h>

#include "elf/instruction.h"

#define FLOW_REGISTERS 16

enum flow_kind {
	FLOW_NUMBER,  /* of which no more than bounds are known */
	FLOW_ADDRESS, /* of the file, as it is linked */
	FLOW_ENTRY,   /* of a table of distances: 32 bits, with their sign extended */
	FLOW_TARGET,  /* such an entry, with the address of its table added */
	FLOW_POINTER, /* an entry of a table of addresses: 64 bits */
};

struct flow_value {
	__u64 address; /* of the file, or of the table */
	__u64 max;     /* the number is at most this, or the index into the table was */
	__u64 id;      /* values with the same id have the same low 32 bits; 0: not known */
	__u32 low;     /* the low 32 bits are at most this, */
	__u16 word;    /* the low 16, */
	__u8 byte;     /* the low 8 */
	__u8 kind;
};

/* An operand in memory: its registers by Zydis's numbers. */
struct flow_memory {
	__s64 offset;
	__u16 base, index, segment;
	__u16 scale;
};

/* That something is compared with a number, or is at most this number. */
struct flow_limit {
	__u64 limit;
	__u64 id;   /* of a register's value, or 0 */
	int width;  /* in bits; 0: nothing is known */
	int number; /* of the register as long as it holds the value; else -1 */
	bool in_memory;
	struct flow_memory memory;
};

struct flow_state {
	struct flow_value registers[FLOW_REGISTERS];
	struct flow_limit compared; /* by the last instruction that set the flags */
	struct flow_limit known;    /* of an operand in memory */
};

/* Where a function begins nothing is known. */
void flow__start(struct flow_state *state);

/* What holds after the instruction at an address. */
void flow__step(struct flow_state *state, const struct instruction *in, __u64 address);

/* What holds as well where a conditional jump is taken, or is not. */
void flow__branch(struct flow_state *state, const ZydisDecodedInstruction *jump, bool taken);

/*
 * Another way leads to the instruction at an address: leaves in state what holds on both. Returns
 * whether that is less than before.
 */
bool flow__merge(struct flow_state *state, const struct flow_state *other, __u64 address);

/* What the operand of the instruction at an address holds before it. */
struct flow_value flow__value(const struct flow_state *state, const struct instruction *in,
			      const ZydisDecodedOperand *operand, __u64 address);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A processor's state before and after a piece of code, for comparing what an instruction does with
 * and without a probe. Not for two threads at a time.
 */
#ifndef USER_SELFTEST_MACHINE_H
#define USER_SELFTEST_MACHINE_H

#include <linux/types.h>

#define MACHINE_REGISTERS 15
#define MACHINE_STACK	  32 /* words; what lies below the stack pointer is nobody's */
#define MACHINE_MEMORY	  8

/* As machine_code.S has it. */
struct machine {
	__u64 registers[MACHINE_REGISTERS]; /* rax, rbx, rcx, rdx, rsi, rdi, rbp, r8 to r15 */
	__u64 flags;
	__u64 vectors[2][2]; /* xmm0, xmm1 */
	__u64 stack_pointer; /* afterwards, less what it was before */
	__u64 memory[MACHINE_MEMORY];
	__u64 stack[MACHINE_STACK];
};

/* So many states to begin with, which differ in their flags. */
#define MACHINE_STATES 8

/* A state to begin with; it points to itself: it is used where it is. */
void machine__set(struct machine *machine, unsigned int state);

/* Calls the code with the state, which becomes that afterwards. */
void machine__run(struct machine *machine, const void *code);

/* What differs: "a register", "the flags", ...; NULL: nothing. */
const char *machine__difference(const struct machine *a, const struct machine *b);

#endif

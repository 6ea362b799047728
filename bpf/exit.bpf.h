/* SPDX-License-Identifier: GPL-2.0-only */
/* What a probe that stands in for one on a `ret` knows of it: tmtrace/exit.h. */
#ifndef BPF_EXIT_BPF_H
#define BPF_EXIT_BPF_H

#include "operand.bpf.h"
#include "tmtrace/exit.h"

#define EXIT_PART(code, name) \
	((code) >> TM_EXIT_##name##_SHIFT & ((1ULL << TM_EXIT_##name##_BITS) - 1))

/* A register by its number in x86-64's instructions. */
TM_INLINE u64 exit__register(const struct pt_regs *regs, u32 n)
{
	u64 word;

	if (n == 0)
		REGISTER(ax);
	else if (n == 1)
		REGISTER(cx);
	else if (n == 2)
		REGISTER(dx);
	else if (n == 3)
		REGISTER(bx);
	else if (n == 4)
		REGISTER(sp);
	else if (n == 5)
		REGISTER(bp);
	else if (n == 6)
		REGISTER(si);
	else if (n == 7)
		REGISTER(di);
	else if (n == 8)
		REGISTER(r8);
	else if (n == 9)
		REGISTER(r9);
	else if (n == 10)
		REGISTER(r10);
	else if (n == 11)
		REGISTER(r11);
	else if (n == 12)
		REGISTER(r12);
	else if (n == 13)
		REGISTER(r13);
	else if (n == 14)
		REGISTER(r14);
	else
		REGISTER(r15);
	return word;
}

TM_INLINE bool exit__is_on_ret(u64 code)
{
	return !(u32)code;
}

/* Does the way lead to the `ret`? The conditions are those of the opcodes of jumps. */
TM_INLINE bool exit__is_taken(const struct pt_regs *regs, u64 code)
{
	u64 when = EXIT_PART(code, WHEN), flags = regs->flags;
	u32 o = flags >> 11 & 1, c = flags & 1, z = flags >> 6 & 1, s = flags >> 7 & 1;
	u32 p = flags >> 2 & 1, holds;

	if (!when)
		return true;
	when--;
	/* Each one by the bit of its number; the lowest bit of the opcode negates it. */
	holds = o | c << 1 | z << 2 | (c | z) << 3 | s << 4 | p << 5 | (s ^ o) << 6 |
		(z | (s ^ o)) << 7;
	return (holds >> (when >> 1 & 7) & 1) != (when & 1);
}

/* Not inlined: there is little room on the stack. */
static __attribute__((noinline)) u64 exit__base(struct pt_regs *regs, u64 code)
{
	return exit__register(regs, EXIT_PART(code, BASE));
}

/* The stack pointer at the `ret`. */
TM_INLINE u64 exit__sp(struct pt_regs *regs, u64 code)
{
	u64 base = EXIT_PART(code, BASE) == TM_EXIT_SP ? regs->sp : exit__base(regs, code);

	return base + 8 * (s64)(__s16)EXIT_PART(code, WORDS);
}

/* Not inlined, too. */
static __attribute__((noinline)) s64 exit__elsewhere(struct pt_regs *regs, u64 code)
{
	u32 kind = EXIT_PART(code, KIND);
	s64 number = (s32)(code >> TM_EXIT_VALUE_SHIFT);
	u64 word;

	if (kind == TM_EXIT_CONSTANT)
		return number;
	if (kind == TM_EXIT_CONSTANT_LOW)
		return (u32)number;
	word = exit__register(regs, EXIT_PART(code, HOLDER));
	if (kind >= TM_EXIT_MEMORY) {
		u64 address = word + number;

		word = 0;
		bpf_probe_read_user(&word, sizeof(word), (void *)address);
		kind -= TM_EXIT_MEMORY - TM_EXIT_REGISTER;
	}
	if (kind == TM_EXIT_REGISTER_LOW)
		return (u32)word;
	return kind == TM_EXIT_REGISTER_INT ? (s32)word : (s64)word;
}

/* What the function returns: mostly in the register where the caller looks for it. */
TM_INLINE s64 exit__value(struct pt_regs *regs, u64 code)
{
	if (EXIT_PART(code, KIND) == TM_EXIT_REGISTER && EXIT_PART(code, HOLDER) == TM_EXIT_AX)
		return regs->ax;
	return exit__elsewhere(regs, code);
}

#endif

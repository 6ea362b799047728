/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading what a call's arguments say, as the catalogue's specification tells. x86-64 System V. */
#ifndef BPF_OPERAND_BPF_H
#define BPF_OPERAND_BPF_H

#include "maps.bpf.h"

/* Loads one register; keeps the compiler from merging the loads, which the verifier refuses. */
#define REGISTER(name)             \
	do {                       \
		word = regs->name; \
		TM_PIN(word);      \
	} while (0)

/* Argument n (1-14) at the entry of a function. */
TM_INLINE u64 operand__argument(const struct pt_regs *regs, u32 n)
{
	u64 word = 0, sp;

	if (n == 1) {
		REGISTER(di);
	} else if (n == 2) {
		REGISTER(si);
	} else if (n == 3) {
		REGISTER(dx);
	} else if (n == 4) {
		REGISTER(cx);
	} else if (n == 5) {
		REGISTER(r8);
	} else if (n == 6) {
		REGISTER(r9);
	} else { /* above the return address */
		REGISTER(sp);
		sp = word;
		word = 0;
		bpf_probe_read_user(&word, sizeof(word), (void *)(sp + 8 * (n - 6)));
	}
	return word;
}

/* The low bytes of a word, extended as the operand's type says. */
TM_INLINE u64 operand__extend(u64 word, u8 width, u8 is_signed)
{
	u32 shift = 64 - 8 * (width & 15);

	if (width >= 8 || !width)
		return word;
	word <<= shift & 63;
	return is_signed ? (u64)((s64)word >> (shift & 63)) : word >> (shift & 63);
}

/* Where an operand is in memory. */
TM_INLINE u64 operand__address(const struct pt_regs *regs, const struct tm_operand *operand)
{
	return operand__argument(regs, operand->arg) + (s64)operand->offset;
}

/* Reads width bytes of the traced program's memory; false where they cannot be read. */
TM_INLINE bool operand__read_memory(u64 address, const struct tm_operand *operand, u64 *value)
{
	u64 word = 0;
	u32 width = operand->width;

	if (width == 0 || width > 8)
		return false;
	if (bpf_probe_read_user(&word, width, (void *)address))
		return false;
	*value = operand__extend(word, width, operand->is_signed);
	return true;
}

/* Without memory, an operand is the argument plus the offset; without an argument, a constant. */
TM_INLINE bool operand__read(const struct pt_regs *regs, const struct tm_operand *operand,
			     u64 *value)
{
	if (operand->memory)
		return operand__read_memory(operand__address(regs, operand), operand, value);
	*value = (s64)operand->offset;
	if (operand->arg)
		*value += operand__extend(operand__argument(regs, operand->arg), operand->width,
					  operand->is_signed);
	return true;
}

/* The same of what is not the argument of a call but at base: a struct, an item of an array. */
TM_INLINE bool operand__read_at(u64 base, const struct tm_operand *operand, u64 *value)
{
	if (operand->memory)
		return operand__read_memory(base + (s64)operand->offset, operand, value);
	*value = (s64)operand->offset + (operand->arg ? base : 0);
	return true;
}

/* A size that could not be read: no real one is as large. */
#define TM_SIZE_UNKNOWN (~0ULL)
/* The program gave none: a NULL pointer where the size would be, a negative count. */
#define TM_SIZE_ABSENT (~0ULL - 1)

/* Is there nothing to look at, because the program passed NULL? */
TM_INLINE bool operand__is_null(const struct pt_regs *regs, const struct tm_operand *operand)
{
	return operand->memory && operand__argument(regs, operand->arg) == 0;
}

struct size_sum {
	const struct tm_size *size;
	u64 address;
	u64 total; /* TM_SIZE_UNKNOWN: it cannot be read */
};

static long size__add_item(u32 i, struct size_sum *sum)
{
	u64 address = sum->address + (u64)i * sum->size->stride;
	u64 item;

	for (int field = 0; field < 2; field++) {
		u32 width = sum->size->item_width;

		if (field == 1 && !sum->size->item_offset[1])
			break;
		item = 0;
		if (width > sizeof(item) ||
		    bpf_probe_read_user(&item, width,
					(void *)(address + sum->size->item_offset[field & 1]))) {
			sum->total = TM_SIZE_UNKNOWN;
			return 1;
		}
		sum->total += item;
	}
	return 0;
}

/* Over n items of the array at this address; TM_SIZE_UNKNOWN where they cannot be read. */
TM_INLINE u64 size__sum(const struct tm_size *size, u64 address, u64 n)
{
	struct size_sum sum = { .size = size, .address = address };

	bpf_loop(n, size__add_item, &sum, 0);
	return sum.total;
}

/* The size of a call, from its arguments: bytes, or TM_SIZE_UNKNOWN where they cannot be read. */
static __attribute__((noinline)) u64 size__at_entry(const struct pt_regs *regs,
						    const struct tm_size *size)
{
	u64 a = 0, b = 0;

	if (operand__is_null(regs, &size->a) || operand__is_null(regs, &size->b))
		return TM_SIZE_ABSENT;
	if (!operand__read(regs, &size->a, &a))
		return TM_SIZE_UNKNOWN;
	if (size->kind == TM_SIZE_VALUE || size->kind == TM_SIZE_DELTA)
		return a;
	if (!operand__read(regs, &size->b, &b))
		return TM_SIZE_UNKNOWN;
	if ((s64)b < 0 || (size->kind == TM_SIZE_PRODUCT && (s64)a < 0))
		return TM_SIZE_ABSENT;
	if (size->kind == TM_SIZE_PRODUCT)
		return a * b;
	if (!a)
		return TM_SIZE_ABSENT;
	if (size->kind != TM_SIZE_SUM || b > TM_SUM_MAX)
		return TM_SIZE_UNKNOWN;
	return size__sum(size, a, b);
}

/* The array whose sizes are known when the operation is complete: its items; 0: there is none. */
TM_INLINE u32 size__items(const struct pt_regs *regs, const struct tm_size *size, u64 *address)
{
	u64 n = 0;

	if (!operand__read(regs, &size->a, address) || !*address ||
	    !operand__read(regs, &size->b, &n) || n > TM_SUM_MAX)
		return 0;
	return n;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "selftest/machine.h"

#define CARRY	 0x001UL
#define PARITY	 0x004UL
#define ADJUST	 0x010UL
#define ZERO	 0x040UL
#define SIGN	 0x080UL
#define OVERFLOW 0x800UL
#define FLAGS	 (CARRY | PARITY | ADJUST | ZERO | SIGN | 0x400 | OVERFLOW)

/* In the order of struct machine. */
enum { RBX = 1, RCX = 2 };

_Static_assert(offsetof(struct machine, flags) == 120 && offsetof(struct machine, vectors) == 128 &&
		       offsetof(struct machine, stack_pointer) == 160 &&
		       offsetof(struct machine, stack) == 232 && sizeof(struct machine) == 488,
	       "machine_code.S knows where they are");

void machine_call(struct machine *machine, const void *code);

void machine__set(struct machine *machine, unsigned int state)
{
	static const __u64 flags[MACHINE_STATES] = {
		0,
		CARRY,
		ZERO,
		SIGN,
		PARITY,
		OVERFLOW,
		SIGN | OVERFLOW,
		CARRY | PARITY | ZERO | SIGN | OVERFLOW,
	};

	memset(machine, 0, sizeof(*machine));
	for (int i = 0; i < MACHINE_REGISTERS; i++)
		machine->registers[i] = 0x0123456789abcdefUL * (unsigned int)(2 * i + 1);
	machine->registers[RBX] = (uintptr_t)machine->memory;
	machine->registers[RCX] = 3;
	machine->flags = flags[state % MACHINE_STATES];
	/* 1.5 and 2.25, and something above. */
	machine->vectors[0][0] = 0x3ff8000000000000UL;
	machine->vectors[1][0] = 0x4002000000000000UL;
	machine->vectors[0][1] = machine->vectors[1][1] = 0x5a5a5a5a5a5a5a5aUL;
	for (int i = 0; i < MACHINE_MEMORY; i++)
		machine->memory[i] = 0xfedcba9876543210UL + (unsigned int)i;
}

void machine__run(struct machine *machine, const void *code)
{
	machine_call(machine, code);
	machine->flags &= FLAGS;
	/* Below the stack pointer there may be anything: a signal's frame, the kernel's. */
	memset(machine->stack, 0, sizeof(machine->stack));
}

const char *machine__difference(const struct machine *a, const struct machine *b)
{
	if (memcmp(a->registers, b->registers, sizeof(a->registers)) != 0)
		return "a register";
	if (a->flags != b->flags)
		return "the flags";
	if (memcmp(a->vectors, b->vectors, sizeof(a->vectors)) != 0)
		return "a vector register";
	if (a->stack_pointer != b->stack_pointer)
		return "the stack pointer";
	return memcmp(a->memory, b->memory, sizeof(a->memory)) != 0 ? "memory" : NULL;
}

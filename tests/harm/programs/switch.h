// SPDX-License-Identifier: GPL-2.0-only
/* Switches stacks as small coroutine libraries do: the registers that a callee keeps, and rsp. */
#ifndef SWITCH_H
#define SWITCH_H

#include <stddef.h>
#include <stdint.h>

void switch_to(void **save, void *to);
__asm__(".text\n.globl switch_to\nswitch_to:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

/* A stack on which switch_to() begins body(), which must not return. */
static inline void *new_stack(char *low, size_t size, void (*body)(void))
{
	uintptr_t *sp = (uintptr_t *)((uintptr_t)(low + size) & ~15UL);
	int i;

	*--sp = 0;
	*--sp = (uintptr_t)body;
	for (i = 0; i < 6; i++)
		*--sp = 0;
	return sp;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* A function that only returns leaves every register, and the flags, as they were. */
#include <stdint.h>
#include <string.h>

#include "harm.h"

struct state {
	uint64_t general[14]; /* rax rbx rcx rdx rsi rdi r8 to r15 */
	uint64_t flags;
};

/* Calls hm_return with a pattern in all registers, and stores what is in them afterwards. */
void call_with(const struct state *before, struct state *after);
__asm__(".text\n.globl call_with\ncall_with:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"push %rsi\n"
	"mov %rdi, %rbp\n"
	"pushq 112(%rbp)\npopfq\n"
	"mov 0(%rbp), %rax\nmov 8(%rbp), %rbx\nmov 16(%rbp), %rcx\nmov 24(%rbp), %rdx\n"
	"mov 32(%rbp), %rsi\nmov 40(%rbp), %rdi\nmov 48(%rbp), %r8\nmov 56(%rbp), %r9\n"
	"mov 64(%rbp), %r10\nmov 72(%rbp), %r11\nmov 80(%rbp), %r12\nmov 88(%rbp), %r13\n"
	"mov 96(%rbp), %r14\nmov 104(%rbp), %r15\n"
	"call *hm_return@GOTPCREL(%rip)\n"
	"pushfq\n"
	"mov 8(%rsp), %rbp\n"
	"popq 112(%rbp)\n"
	"mov %rax, 0(%rbp)\nmov %rbx, 8(%rbp)\nmov %rcx, 16(%rbp)\nmov %rdx, 24(%rbp)\n"
	"mov %rsi, 32(%rbp)\nmov %rdi, 40(%rbp)\nmov %r8, 48(%rbp)\nmov %r9, 56(%rbp)\n"
	"mov %r10, 64(%rbp)\nmov %r11, 72(%rbp)\nmov %r12, 80(%rbp)\nmov %r13, 88(%rbp)\n"
	"mov %r14, 96(%rbp)\nmov %r15, 104(%rbp)\n"
	"pop %rsi\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

enum {
	CARRY = 1,
	ALWAYS = 2,
	PARITY = 4,
	ZERO = 64,
	SIGN = 128,
	INTERRUPTS = 512,
	OVERFLOW = 2048
};

int main(void)
{
	static const uint64_t flags[] = { CARRY, PARITY | ZERO, SIGN | OVERFLOW, 0 };
	struct state before, after;
	int i, k, same = 0;

	for (i = 0; i < 100; i++) {
		for (k = 0; k < 14; k++)
			before.general[k] = 0x0123456789abcdefUL * (k + 1) + i;
		before.flags = flags[i % 4] | ALWAYS | INTERRUPTS;
		harm_count(number_hm_return);
		call_with(&before, &after);
		same += !memcmp(&before, &after, sizeof(before));
	}
	printf("%d of 100 left all registers as they were\n", same);
	harm_report();
	return 0;
}

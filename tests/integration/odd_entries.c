// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with unusual begins, for the choice of where a probe goes. Without LIBRARY, a program
 * that calls each COUNT times: odd_entries COUNT
 */
#include <stdlib.h>

/* clang-format off */
#define FUNCTIONS(DO)                                                              \
	/* the site is the head of a loop: three times for each call */            \
	DO(odd_loop, "endbr64; mov $3, %eax; 1: push %rbx; pop %rbx;"              \
		     "dec %eax; jnz 1b; ret")                                      \
	/* the same by a table of addresses */                                     \
	DO(odd_table, "mov $3, %eax; 1: push %rbx; pop %rbx; dec %eax; jz 2f;"     \
		      "lea 1b(%rip), %r11; jmp *%r11; 2: ret")                     \
	/* from far, by a part that lies elsewhere */                              \
	DO(odd_far, "endbr64; mov $3, %eax; .Lback: push %rbx; pop %rbx;"          \
		    "jmp .Laway; .Lend: ret")                                      \
	/* tail recursion to the entry: a call, whatever the probe's place */      \
	DO(odd_again, "endbr64; test %edi, %edi; jz 1f; dec %edi; jmp odd_again;"  \
		      "1: ret")                                                    \
	DO(odd_argument, "endbr64; mov $7, %edi; push %rbx; pop %rbx; ret")        \
	DO(odd_store, "endbr64; movl $7, (%rsi); push %rbx; pop %rbx; ret")        \
	DO(odd_stack, "endbr64; sub $8, %rsp; push %rbx; pop %rbx;"                \
		      "add $8, %rsp; ret")                                         \
	/* no probe can be on its first instruction, nor be moved */               \
	DO(odd_lock, "lock incl (%rsi); push %rbx; pop %rbx; ret")                 \
	/* none can be on its first, but on the second */                          \
	DO(odd_prefix, "cs nopw 0(%rax,%rax,1); push %rbx; pop %rbx; ret")         \
	DO(odd_nop5, "nopl 0(%rax,%rax,1); push %rbx; pop %rbx; ret")              \
	DO(odd_second_nop5, "endbr64; nopl 0(%rax,%rax,1); push %rbx; pop %rbx; ret") \
	DO(odd_short, "endbr64; ret")                                              \
	DO(odd_plain, "endbr64; push %rbx; pop %rbx; ret")                         \
	DO(odd_test, "endbr64; test %rdi, %rdi; je 1f; 1: ret")                    \
	DO(odd_jump, "endbr64; jmp 1f; nop; 1: ret")
/* clang-format on */

#ifdef LIBRARY
#define DEFINE(name, code)                                                                    \
	asm(".globl " #name "; .type " #name ", @function; " #name ": " code "; .size " #name \
	    ", . - " #name);
asm(".text; .balign 64");
FUNCTIONS(DEFINE)
/* Without a size nobody knows where it ends. */
asm(".globl odd_endless; .type odd_endless, @function; odd_endless: endbr64; push %rbx;"
    "pop %rbx; ret");
asm(".section .text.away, \"ax\"; .Laway: dec %eax; jz .Lend; jmp .Lback; .text");
#else
#define DECLARE(name, code) extern void name(int, int *);
#define CALL(name, code)    name(0, &value);
FUNCTIONS(DECLARE)
extern void odd_endless(int, int *);

int main(int argc, char **argv)
{
	int value = 0;

	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
		FUNCTIONS(CALL)
		odd_endless(0, &value);
	}
	return 0;
}
#endif

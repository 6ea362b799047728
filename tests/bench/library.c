// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that do next to nothing and whose instructions are fixed: those by which they begin and
 * return decide what probes cost. bench_guarded returns as a function with a stack protector does,
 * so that probes at both ends can be on instructions that the kernel emulates; the others have
 * nothing but a `ret`. bench_many_000 to bench_many_499 begin with push, too.
 */
#define FUNCTION(name, instructions)   \
	".balign 64\n"                 \
	".globl " name "\n"            \
	".type " name ", @function\n"  \
	"" name ": " instructions "\n" \
	".size " name ", . - " name "\n"

#define ONE(n) FUNCTION("bench_many_" n, "push %rbp; mov %edi, %eax; pop %rbp; ret")
#define TEN(n)     \
	ONE(n "0") \
	ONE(n "1") \
	ONE(n "2") ONE(n "3") ONE(n "4") ONE(n "5") ONE(n "6") ONE(n "7") ONE(n "8") ONE(n "9")
#define HUNDRED(n) \
	TEN(n "0") \
	TEN(n "1") \
	TEN(n "2") TEN(n "3") TEN(n "4") TEN(n "5") TEN(n "6") TEN(n "7") TEN(n "8") TEN(n "9")

asm(".text");
asm(FUNCTION("bench_push", "push %rbp; mov %rsp, %rbp; mov %edi, %eax; pop %rbp; ret"));
asm(FUNCTION("bench_endbr64", "endbr64; push %rbp; mov %edi, %eax; pop %rbp; ret"));
asm(FUNCTION("bench_sub", "sub $24, %rsp; mov %edi, %eax; add $24, %rsp; ret"));
asm(FUNCTION("bench_guarded",
	     "push %rbp; mov %rsp, %rbp; sub $16, %rsp; mov %fs:40, %rax; mov %rax, -8(%rbp);"
	     "mov %edi, %eax; mov -8(%rbp), %rdx; sub %fs:40, %rdx; jne 1f; leave; ret;"
	     "1: call __stack_chk_fail@PLT"));
asm(HUNDRED("0") HUNDRED("1") HUNDRED("2") HUNDRED("3") HUNDRED("4"));

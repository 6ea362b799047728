/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls code with a state of the processor that struct machine says (machine.h). */

#define FLAGS	120
#define VECTOR0 128
#define VECTOR1 144
#define POINTER 160
#define END	488	/* of the struct, which ends with the stack */

	.macro tm_each_register what
	\what	rax, 0
	\what	rbx, 8
	\what	rcx, 16
	\what	rdx, 24
	\what	rdi, 40
	\what	rbp, 48
	\what	r8, 56
	\what	r9, 64
	\what	r10, 72
	\what	r11, 80
	\what	r12, 88
	\what	r13, 96
	\what	r14, 104
	\what	r15, 112
	.endm
	.macro tm_get reg offset
	mov	\offset(%rsi), %\reg
	.endm
	.macro tm_put reg offset
	mov	%\reg, \offset(%rsi)
	.endm

	.local	own_sp
	.comm	own_sp, 8, 8
	.local	machine
	.comm	machine, 8, 8
	.local	code
	.comm	code, 8, 8
	.local	last_rsi
	.comm	last_rsi, 8, 8

	.text
	.globl	machine_call
	.hidden	machine_call
	.type	machine_call, @function
machine_call:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rdi, machine(%rip)
	mov	%rsi, code(%rip)
	mov	%rsp, own_sp(%rip)
	mov	%rdi, %rsi
	lea	END(%rsi), %rsp
	push	FLAGS(%rsi)
	popf
	movdqu	VECTOR0(%rsi), %xmm0
	movdqu	VECTOR1(%rsi), %xmm1
	tm_each_register tm_get
	mov	32(%rsi), %rsi
	call	*code(%rip)
	/* No flag changes before they are kept. */
	mov	%rsi, last_rsi(%rip)
	mov	machine(%rip), %rsi
	tm_each_register tm_put
	mov	%rsp, POINTER(%rsi)
	lea	END(%rsi), %rsp
	pushf
	pop	FLAGS(%rsi)
	cld
	mov	last_rsi(%rip), %rax
	mov	%rax, 32(%rsi)
	lea	END(%rsi), %rax
	sub	%rax, POINTER(%rsi)
	movdqu	%xmm0, VECTOR0(%rsi)
	movdqu	%xmm1, VECTOR1(%rsi)
	mov	own_sp(%rip), %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	machine_call, . - machine_call

	.section .note.GNU-stack,"",@progbits

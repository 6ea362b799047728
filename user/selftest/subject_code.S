/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of subject.h, and what looks whether a call of one has changed a register. */

/*
 * tm_function starts a function, tm_probe marks where its probe belongs, tm_return where it returns:
 * an entry of the table, in the order of enum subject_site. All return x + 1.
 */
	.macro tm_function
	.balign	64
771:
	.endm
	.macro tm_probe
772:
	.pushsection .rodata.subject_places,"a",@progbits
	.long	771b - subject_code_begin, 772b - subject_code_begin
	.popsection
	.endm
/* The return, of which there is one. */
	.macro tm_return
774:	ret
	.pushsection .rodata.subject_places,"a",@progbits
	.long	774b - subject_code_begin
	.popsection
	.endm
	.macro tm_nop5
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	.endm

	.macro tm_push_first
	tm_function
	tm_probe
	push	%rbp
	mov	%rsp, %rbp
	lea	1(%rdi), %rax
	pop	%rbp
	tm_return
	.endm

	.macro tm_nop5_first
	tm_function
	tm_probe
	tm_nop5
	lea	1(%rdi), %rax
	tm_return
	.endm

	.macro tm_endbr_first
	tm_function
	tm_probe
	endbr64
	push	%rbp
	lea	1(%rdi), %rax
	pop	%rbp
	tm_return
	.endm

	.macro tm_sub_first
	tm_function
	tm_probe
	sub	$24, %rsp
	lea	1(%rdi), %rax
	add	$24, %rsp
	tm_return
	.endm

/* Fills the red zone from -\first(%rsp) down; of a leaf function all 128 bytes are its own. */
	.macro tm_fill first
	.set	tm_at, \first
	.rept	(128 - \first) / 8 + 1
	lea	tm_at(%rdi), %rax
	mov	%rax, -tm_at(%rsp)
	.set	tm_at, tm_at + 8
	.endr
	.endm
/* Compares; the stack pointer has gone down by \down since. */
	.macro tm_compare first down
	xor	%edx, %edx
	.set	tm_at, \first
	.rept	(128 - \first) / 8 + 1
	lea	tm_at(%rdi), %rax
	xor	\down - tm_at(%rsp), %rax
	or	%rax, %rdx
	.set	tm_at, tm_at + 8
	.endr
	.endm
	.macro tm_leaf_end
	lea	1(%rdi), %rax
	test	%rdx, %rdx
	je	773f
	mov	$-1, %rax
773:	tm_return
	.endm

	.pushsection .rodata.subject_places,"a",@progbits
	.balign	4
	.globl	subject_places
	.hidden	subject_places
subject_places:
	.popsection

	.pushsection .rodata.subject_code,"a",@progbits
	.balign	64
	.globl	subject_code_begin
	.hidden	subject_code_begin
subject_code_begin:

	tm_push_first	/* SITE_PUSH */

	tm_function	/* SITE_NOP1 */
	tm_probe
	nop
	lea	1(%rdi), %rax
	tm_return

	tm_endbr_first	/* SITE_ENDBR */
	tm_sub_first	/* SITE_SUB */

	tm_function	/* SITE_AFTER_ENDBR */
	endbr64
	tm_probe
	push	%rbp
	lea	1(%rdi), %rax
	pop	%rbp
	tm_return

	tm_function	/* SITE_AFTER_MOV */
	mov	%rdi, %rax
	tm_probe
	push	%rbp
	lea	1(%rax), %rax
	pop	%rbp
	tm_return

	tm_nop5_first	/* SITE_NOP5 */

	tm_function	/* SITE_LEAF_PUSH; the push itself overwrites the first word */
	tm_fill	16
	tm_probe
	push	%rbp
	tm_compare 16, 8
	pop	%rbp
	tm_leaf_end

	tm_function	/* SITE_LEAF_NOP1 */
	tm_fill	8
	tm_probe
	nop
	tm_compare 8, 0
	tm_leaf_end

	tm_function	/* SITE_LEAF_NOP5 */
	tm_fill	8
	tm_probe
	tm_nop5
	tm_compare 8, 0
	tm_leaf_end

	tm_function	/* SITE_OUTER */
	tm_probe
	push	%rbx
	mov	%rdi, %rbx
	mov	%rdx, %rdi
	call	*%rsi
	lea	1(%rbx), %rax
	pop	%rbx
	tm_return

	tm_push_first	/* SITE_INNER */
	tm_push_first	/* SITE_STRICT_PUSH */
	tm_nop5_first	/* SITE_STRICT_NOP5 */
	tm_push_first	/* SITE_COUNT_PUSH */
	tm_nop5_first	/* SITE_COUNT_NOP5 */
	tm_endbr_first	/* SITE_COUNT_ENDBR */
	tm_push_first	/* SITE_INSTRUCTION */
	tm_push_first	/* SITE_BARE */

#include "instruction_samples.inc"

	.balign	64
	.globl	subject_code_end
	.hidden	subject_code_end
subject_code_end:
	.popsection

	.pushsection .rodata.subject_places,"a",@progbits
	.globl	subject_places_end
	.hidden	subject_places_end
subject_places_end:
	.popsection

/*
 * Calls the function with a pattern in every register, and compares afterwards. rdi keeps the
 * argument x; rax is the result. The function's address is on the stack.
 */
	.macro tm_load reg number
	mov	$0x5a5a1000 + \number, %\reg
	.endm
	.macro tm_verify reg number
	cmp	$0x5a5a1000 + \number, %\reg
	jne	780f
	.endm
	.macro tm_each what
	\what	rbx, 1
	\what	rcx, 2
	\what	rdx, 3
	\what	rsi, 4
	\what	rdi, 5
	\what	rbp, 6
	\what	r8, 7
	\what	r9, 8
	\what	r10, 9
	\what	r11, 10
	\what	r12, 11
	\what	r13, 12
	\what	r14, 13
	\what	r15, 14
	.endm
	.macro tm_load_vector reg
	movq	(%rsp), %xmm\reg	/* the function's address: any value will do */
	.endm
	.macro tm_verify_vector reg
	movq	%xmm\reg, %rcx
	cmp	(%rsp), %rcx
	jne	780f
	.endm

	.text
	.globl	subject_check_registers
	.hidden	subject_check_registers
	.type	subject_check_registers, @function
subject_check_registers:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	%rdi
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	tm_load_vector \n
	.endr
	tm_each	tm_load
	call	*(%rsp)
	tm_each	tm_verify
	cmp	$0x5a5a1000 + 5 + 1, %rax
	jne	780f
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	tm_verify_vector \n
	.endr
	xor	%eax, %eax
	jmp	781f
780:	mov	$1, %eax
781:	add	$8, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	subject_check_registers, . - subject_check_registers

	.section .note.GNU-stack,"",@progbits

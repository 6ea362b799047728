// SPDX-License-Identifier: GPL-2.0-only
/* Functions with beginnings and ends that compilers make, and that a kernel can get wrong. */
	.text

.macro function name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
.endm
.macro end name
	.cfi_endproc
	.size \name, . - \name
.endm

function hm_nop5
	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00
	lea 1(%rdi), %eax
	ret
end hm_nop5

function hm_redzone
	mov %edi, -8(%rsp)
	movl $1, -16(%rsp)
	mov -8(%rsp), %eax
	add -16(%rsp), %eax
	ret
end hm_redzone

function hm_near
	add $1, %edi
	jmp .Lplain
end hm_near

function hm_return
	ret
end hm_return

function hm_load
	mov (%rdi), %eax
	ret
end hm_load

function hm_dispatch
	lea .Ltarget(%rip), %rax
	push %rax
	.cfi_adjust_cfa_offset 8
	ret
	.cfi_adjust_cfa_offset -8
.Ltarget:
	lea 1(%rdi), %eax
	ret
end hm_dispatch

function hm_vex
	vmovq %xmm0, %rax
	ret
end hm_vex

function hm_vex_equal
	vpcmpeqb %ymm1, %ymm1, %ymm2
	vmovd %xmm2, %eax
	sub %eax, %edi
	mov %edi, %eax
	vzeroupper
	ret
end hm_vex_equal

	/* What hm_near ends in: a function of this file that has no name outside. */
	.p2align 4
	.type .Lplain, @function
.Lplain:
	.cfi_startproc
	lea 1(%rdi), %eax
	ret
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits

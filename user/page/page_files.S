/* SPDX-License-Identifier: GPL-2.0-only */
/* The style and the script of a page, and the policy that allows these two alone, as strings of C. */

	.section .rodata
	.macro tm_begin name
	.globl	\name
	.type	\name, @object
\name:
	.endm
	.macro tm_end name
	.byte	0
	.size	\name, . - \name
	.endm

	tm_begin page_style
	.incbin	"page/style"
	tm_end	page_style

	tm_begin page_script
	.incbin	"page/script"
	tm_end	page_script

	tm_begin page_policy
	.incbin	"page/policy"
	tm_end	page_policy

	.section .note.GNU-stack,"",@progbits

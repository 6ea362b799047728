/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of SQL, each a string of C. */

	.section .rodata
	.macro tm_text name, file
	.globl	\name
	.type	\name, @object
\name:
	.incbin	"\file"
	.byte	0
	.size	\name, . - \name
	.endm

	tm_text	export_sql_tables, user/export/tables.sql
	tm_text	export_sql_views, user/export/views.sql

	.section .note.GNU-stack,"",@progbits

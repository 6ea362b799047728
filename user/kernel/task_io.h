/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the kernel counts what its tasks read and write (tmtrace/task_io.h). */
#ifndef USER_KERNEL_TASK_IO_H
#define USER_KERNEL_TASK_IO_H

#include <stdbool.h>

#include "base/note_list.h"

struct btf;
struct tmtrace_bpf;

enum task_io_support {
	TASK_IO_NONE,  /* it counts nothing */
	TASK_IO_CALLS, /* system calls and their bytes (CONFIG_TASK_XACCT) */
	TASK_IO_ALL,   /* bytes from and to storage, too (CONFIG_TASK_IO_ACCOUNTING) */
};

/* By the kernel's types. What is missing is a note. */
enum task_io_support task_io__support(const struct btf *btf, struct note_list *notes);

/* Has the programs loaded that take it over, if there is anything. */
void task_io__choose(struct tmtrace_bpf *skel, enum task_io_support support);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Which file a mapping is of: asked by the loader, answered by bpf/inode.bpf.c. */
#ifndef TMTRACE_FILE_H
#define TMTRACE_FILE_H

/*
 * The address of the kernel's inode is as long its own as somebody probes it; its number and device
 * tell it from one that has that address later.
 */
struct tm_file {
	__u64 mapping; /* the question: an address in the asking process */
	__u64 inode;   /* 0: nothing is mapped there */
	__u64 number;
	__u64 device; /* as the kernel writes it */
};

#endif

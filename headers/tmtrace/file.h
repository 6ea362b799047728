/* SPDX-License-Identifier: GPL-2.0-only */
/* Which file a mapping is of, and which files are mapped: asked by the loader, answered by
 * bpf/inode.bpf.c. */
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

/* Is a file mapped? */
enum tm_file_use {
	TM_FILE_UNUSED,
	TM_FILE_MAPPED,	  /* by some process, for whatever */
	TM_FILE_UNLINKED, /* it is not mapped, and has no name any more */
};

struct tm_file_question {
	struct tm_file file;
	/* The answer: */
	__u64 use;     /* enum tm_file_use */
	__u64 version; /* another one: it may have been written to; 0: it is not known */
};

/* So many are asked for at once; those without an inode are none. */
#define TM_FILE_QUESTIONS 16

struct tm_file_questions {
	struct tm_file_question files[TM_FILE_QUESTIONS];
};

#endif

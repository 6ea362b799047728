/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are executed or mapped as code, and were never before: the kernel side rings, so that
 * the loader looks at once. Of the others it hears soon enough.
 */
#ifndef TMTRACE_DOORBELL_H
#define TMTRACE_DOORBELL_H

#define TM_FILE_WAYS	4
#define TM_FILE_BUCKETS 4096 /* a power of two; a library takes one place, a program another */

/*
 * A file's hash is its tag, 0 is none. The loader writes it to one of the places of its bucket:
 * then it is known.
 */
#define TM_FILE_PLACES (TM_FILE_BUCKETS * TM_FILE_WAYS)

/* A file that is in none of its places. */
struct tm_ring {
	__u64 tag;
	__u32 bucket;
	__u32 pad;
};

#endif

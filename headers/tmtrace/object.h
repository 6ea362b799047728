/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is counted of a single file, or object of a library, that a process uses: how often, how
 * much, in which sizes and in which order. Include <linux/types.h> or vmlinux.h first.
 *
 *   tm_object_slots  hash: struct tm_object_key -> slot number
 *   tm_objects       array, mmapped: one struct tm_object per slot, counters that only grow
 *   tm_object_names  array, mmapped: one struct tm_object_name per slot
 *   tm_free_objects  queue: slots that the loader has folded, to be used again
 */
#ifndef TMTRACE_OBJECT_H
#define TMTRACE_OBJECT_H

#include "tmtrace/key.h"

/* What a record is of; below TM_OBJECT_FILE an object of a library: enum tm_object_kind. */
enum tm_object_what {
	TM_OBJECT_FILE = 8, /* id: inode number; device of the super block << 32 | generation */
	TM_OBJECT_PATHS,    /* all operations of a job that name no open file, only a path */
	TM_OBJECT_OTHERS,   /* all of a job and layer that have no record of their own */
};

/* The key is hashed in the kernel as bytes: no padding. */
struct tm_object_key {
	__u64 job;   /* cgroup id */
	__u64 id[2]; /* as `what` says; 0 in those of a whole job */
	__u32 tgid;  /* the process; 0 in those of a whole job */
	__u8 layer;
	__u8 what; /* enum tm_object_what, or enum tm_object_kind */
	__u8 pad[2];
};

/*
 * Darshan's classes of access sizes: up to 100 bytes, 1 KiB, 10 KiB, 100 KiB, 1 MiB, 4 MiB, 10 MiB,
 * 100 MiB, 1 GiB, and above.
 */
#define TM_OBJECT_SIZES 10

/* The largest size of a class but the last. */
static inline __u64 tm_object_size_edge(__u32 class)
{
	switch (class) {
	case 0:
		return 100;
	case 1:
		return 1ULL << 10;
	case 2:
		return 10ULL << 10;
	case 3:
		return 100ULL << 10;
	case 4:
		return 1ULL << 20;
	case 5:
		return 4ULL << 20;
	case 6:
		return 10ULL << 20;
	case 7:
		return 100ULL << 20;
	case 8:
		return 1ULL << 30;
	default:
		return ~0ULL;
	}
}

static inline __u32 tm_object_size_class(__u64 bytes)
{
	__u32 class = 0;

	while (class < TM_OBJECT_SIZES - 1 && bytes > tm_object_size_edge(class))
		class ++;
	return class;
}

/* Different sizes whose accesses are counted one by one. */
#define TM_OBJECT_COMMON 8

/*
 * How often a size occurred. Misra and Gries' counters: where all are taken, one more size takes
 * one from each, and the place of one that is 0. So counts are exact as long as no more different
 * sizes occur than there are places, else at most too low, by no more than one in so many + 1.
 */
struct tm_common_size {
	__u64 tag; /* bytes + 1; 0: free */
	__u64 count;
};

/* The reads of an object, or its writes. Their number: the sum of sizes[], and unsized. */
struct tm_access {
	__u64 unsized; /* operations that failed, or whose size is not known */
	__u64 bytes;
	__u64 total_ns;
	__u64 consecutive; /* begin where the one before ended */
	__u64 forward;	   /* begin further on: these and the consecutive ones are sequential */
	__u64 next;	   /* where the last one ended, + 1; 0: no offset was known yet */
	__u64 end;	   /* the largest offset at which one ended */
	__u64 first_ns;	   /* CLOCK_MONOTONIC: when the first began; 0: there was none */
	__u64 last_ns;	   /* and the last ended */
	/* The one that took longest, of those that did not fail: */
	__u64 slowest_ns;
	__u64 slowest_start_ns;
	__u64 slowest_bytes;
	__u64 slowest_offset; /* ~0: not known */
	__u64 pad;
	__u64 sizes[TM_OBJECT_SIZES];
	struct tm_common_size common[TM_OBJECT_COMMON];
};

/* The first and the last time that an operation began; 0: there was none. CLOCK_MONOTONIC. */
struct tm_span {
	__u64 first_ns;
	__u64 last_ns;
};

enum tm_direction {
	TM_DIRECTION_READ,
	TM_DIRECTION_WRITE,
	TM_DIRECTIONS, /* neither */
};

enum tm_object_state {
	TM_OBJECT_FREE,
	TM_OBJECT_LIVE, /* written last */
};

/* Operations by function: as many as a layer of the kernel has. */
#define TM_OBJECT_FUNCTIONS TM_VFS_FUNCTIONS

struct tm_object {
	struct tm_object_key key;
	__u32 state;  /* enum tm_object_state */
	__u32 serial; /* goes up when the slot is no longer this key's */
	__u64 errors; /* of all operations */
	__u64 retries;
	__u64 switches;	 /* reads after writes and writes after reads */
	__u32 direction; /* of the last of them, + 1; 0: there was none */
	__u32 is_cut;	 /* of the name, the begin is missing */
	struct tm_access access[TM_DIRECTIONS];
	/* What is neither: vfs: by enum tm_vfs_function; libraries: all at 0. */
	__u64 others[TM_OBJECT_FUNCTIONS];
	__u64 others_ns;
	__u64 others_bytes;
	struct tm_span opens, closes; /* vfs */
} __attribute__((aligned(64)));

/*
 * A path, from the file upwards, each component ended by NUL; an empty one is the end. Of an object
 * that has one, its name. The first part may fill up to TM_NAME_PART, then comes a component.
 */
#define TM_NAME_PART   256
#define TM_OBJECT_NAME (2 * TM_NAME_PART)

/* So much of an object's name counts, as in call.h: in words, for its id is a hash of them. */
#define TM_NAME_WORDS 14

struct tm_name_words {
	__u64 word[TM_NAME_WORDS];
};

struct tm_object_name {
	char text[TM_OBJECT_NAME];
};

/* A slot and what its serial was when it was looked up. */
struct tm_object_ref {
	__u32 slot; /* TM_NO_OBJECT: none */
	__u32 serial;
};

#define TM_NO_OBJECT (~0U)

/*
 * The first slots are for what there is no other room for, by layer modulo so many, of all jobs
 * together. The next are kept for TM_OBJECT_PATHS and TM_OBJECT_OTHERS.
 */
#define TM_OBJECT_NOBODY   16
#define TM_OBJECT_RESERVED 32
#define TM_OBJECTS_MIN	   128 /* slots of a table that is of use */

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Storage pools that calls tell of: what the library's struct of one says, as the catalogue knows
 * where. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_POOL_H
#define TMTRACE_POOL_H

#include "tmtrace/spec.h"

struct tm_pool_key {
	__u64 id[2];
	__u32 layer; /* of the key of series */
	__u32 pad;
};

#define TM_POOL_NAME 48

/* As it was told of last. */
struct tm_pool {
	__u64 capacity; /* bytes */
	__u32 type;
	__u32 probe; /* of the function that told, counted from TM_PROBE_USER */
	__u32 known; /* 1 << enum tm_pool_field: it could be read */
	__u32 pad;
	char name[TM_POOL_NAME]; /* cut */
};

/* So many are known at a time, and so many of one call are looked at. */
#define TM_POOLS_MAX	   256
#define TM_POOLS_OF_A_CALL 64

#endif

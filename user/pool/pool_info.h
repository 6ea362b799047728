/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_POOL_POOL_INFO_H
#define USER_POOL_POOL_INFO_H

#include <linux/types.h>

/* What a library has told of a storage pool. */
struct pool_info {
	__u8 layer;	  /* of the library, as in struct tm_key */
	__u64 id[2];	  /* the higher half first */
	const char *name; /* NULL: not known */
	const char *type; /* of its storage, by the catalogue's name; NULL: not known */
	__u64 capacity;	  /* bytes; 0: not known */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The storage pools in a recording. */
#ifndef USER_RECORDING_RECORDED_POOLS_H
#define USER_RECORDING_RECORDED_POOLS_H

#include <stddef.h>

#include "base/pack.h"
#include "pool/pool_info.h"
#include "tmtrace/pool.h"

struct recorded_pools;

struct recorded_pools *recorded_pools__new(void);	 /* NULL: no memory */
void recorded_pools__free(struct recorded_pools *pools); /* NULL is fine */

/* Puts an entry's payload together. */
void recorded_pools__pack(struct pack *pack, const struct pool_info *pool);
/* Takes over that of a place, from 1: 0, or -EBADMSG where it makes no sense. */
int recorded_pools__take(struct recorded_pools *pools, __u64 place, struct unpack *unpack);

/* From 0; NULL: there are no more. Valid until its place is taken over again. */
const struct pool_info *recorded_pools__at(const struct recorded_pools *pools, size_t i);

#endif

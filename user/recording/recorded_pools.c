// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "recording/recorded_pools.h"

struct recorded_pools {
	struct pool_info at[TM_POOLS_MAX]; /* by place - 1 */
	bool is_there[TM_POOLS_MAX];
};

struct recorded_pools *recorded_pools__new(void)
{
	return calloc(1, sizeof(struct recorded_pools));
}

static void release(struct pool_info *pool)
{
	free((char *)pool->name);
	free((char *)pool->type);
}

void recorded_pools__free(struct recorded_pools *pools)
{
	if (!pools)
		return;
	for (size_t i = 0; i < TM_POOLS_MAX; i++)
		release(&pools->at[i]);
	free(pools);
}

void recorded_pools__pack(struct pack *pack, const struct pool_info *pool)
{
	pack__u64(pack, pool->layer);
	pack__u64(pack, pool->id[0]);
	pack__u64(pack, pool->id[1]);
	pack__u64(pack, pool->capacity);
	pack__string(pack, pool->name);
	pack__string(pack, pool->type);
}

int recorded_pools__take(struct recorded_pools *pools, __u64 place, struct unpack *unpack)
{
	struct pool_info pool = { 0 };

	if (!place || place > TM_POOLS_MAX)
		return -EBADMSG;
	pool.layer = (__u8)unpack__below(unpack, 1 << 8);
	pool.id[0] = unpack__u64(unpack);
	pool.id[1] = unpack__u64(unpack);
	pool.capacity = unpack__u64(unpack);
	pool.name = unpack__string(unpack);
	pool.type = unpack__string(unpack);
	if (unpack->failed) {
		release(&pool);
		return -EBADMSG;
	}
	release(&pools->at[place - 1]);
	pools->at[place - 1] = pool;
	pools->is_there[place - 1] = true;
	return 0;
}

const struct pool_info *recorded_pools__at(const struct recorded_pools *pools, size_t i)
{
	for (size_t place = 0; place < TM_POOLS_MAX; place++)
		if (pools->is_there[place] && !i--)
			return &pools->at[place];
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "report/names.h"
#include "sink/json_pool.h"

void json_pool__add(struct record *record, const struct report_run *run,
		    const struct pool_info *pool, __u64 time_ns)
{
	char id[NAMES_POOL_ID];

	record__begin(record, run, "pool", time_ns, run->hostname);
	record__string(record, "layer", names__layer(run, pool->layer));
	record__string(record, "id", names__pool_id(pool, id));
	record__string(record, "name", pool->name);
	record__string(record, "storage_type", pool->type);
	record__measured(record, "capacity_bytes", pool->capacity, pool->capacity != 0);
	record__bool(record, "final", true);
	record__end(record);
}

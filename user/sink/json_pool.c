// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "report/names.h"
#include "sink/json_pool.h"
#include "sink/json_value.h"

struct json_object *json_pool__record(const struct report_run *run, const struct pool_info *pool,
				      __u64 time_ns)
{
	struct json_object *record = json_value__record(run, "pool", time_ns);
	char id[NAMES_POOL_ID];

	if (!record)
		return NULL;
	json_value__add_string(record, "layer", names__layer(run, pool->layer));
	json_value__add_string(record, "id", names__pool_id(pool, id));
	json_value__add_string(record, "name", pool->name);
	json_value__add_string(record, "storage_type", pool->type);
	json_value__add_measured(record, "capacity_bytes", pool->capacity, pool->capacity != 0);
	json_value__add(record, "final", json_object_new_boolean(1));
	return record;
}

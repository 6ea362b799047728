// SPDX-License-Identifier: GPL-2.0-only
#include "page/rest.h"
#include "sink/json_value.h"

void page_rest__add(struct page_rest *rest, const struct figures *figures)
{
	rest->n++;
	figures__add(&rest->sum, figures);
}

void page_rest__add_series(struct page_rest *rest, const struct snapshot_series *series)
{
	struct figures figures;

	figures__total(&figures, series);
	page_rest__add(rest, &figures);
}

struct json_object *page_rest__object(const struct page_rest *rest)
{
	struct json_object *object = rest->n ? json_object_new_object() : NULL;

	if (!object)
		return NULL;
	json_value__add_u64(object, "n", rest->n);
	json_value__add_u64(object, "count", rest->sum.count);
	json_value__add_u64(object, "errors", rest->sum.errors);
	json_value__add_u64(object, "bytes", rest->sum.bytes);
	json_value__add_u64(object, "total_ns", rest->sum.total_ns);
	json_value__add_u64(object, "self_ns", rest->sum.self_ns);
	json_value__add_u64(object, "queue_ns", rest->sum.queue_ns);
	return object;
}

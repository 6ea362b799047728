// SPDX-License-Identifier: GPL-2.0-only
#include "page/rest.h"
#include "sink/record_tree.h"

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
	struct record_tree tree = record_tree__new(NULL);
	struct record *record = &tree.record;

	if (!rest->n)
		return NULL;
	record__open(record, NULL);
	record__u64(record, "n", rest->n);
	record__u64(record, "count", rest->sum.count);
	record__u64(record, "errors", rest->sum.errors);
	record__u64(record, "bytes", rest->sum.bytes);
	record__u64(record, "total_ns", rest->sum.total_ns);
	record__u64(record, "self_ns", rest->sum.self_ns);
	record__u64(record, "queue_ns", rest->sum.queue_ns);
	record__close(record);
	return record_tree__take(&tree);
}

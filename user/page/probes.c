// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "page/probes.h"
#include "page/room.h"
#include "sink/probe_text.h"
#include "sink/record_tree.h"

/* The probes of a layer together. */
struct layer {
	const char *name, *mechanism;
	__u64 n, states[PROBE_OFF];
	__u64 hits, recorded, filtered, in_flight, lost, unsized;
};

struct layers {
	struct layer *at;
	size_t n, room;
};

static struct layer *find_layer(struct layers *layers, const struct probe *probe)
{
	size_t i = 0;

	while (i < layers->n && strcmp(layers->at[i].name, probe->layer) != 0)
		i++;
	if (i < layers->n)
		return &layers->at[i];
	if (array__grow((void **)&layers->at, &layers->room, layers->n, sizeof(*layers->at)) < 0)
		return NULL;
	layers->at[layers->n++] = (struct layer){ .name = probe->layer };
	return &layers->at[i];
}

static int add_probe(struct layers *layers, const struct probe *probe,
		     const struct tm_ledger *ledger)
{
	struct layer *layer;

	if (probe->state == PROBE_OFF && !ledger->hits)
		return 0;
	layer = find_layer(layers, probe);
	if (!layer)
		return -ENOMEM;
	layer->n++;
	if (probe->state < PROBE_OFF)
		layer->states[probe->state]++;
	if (probe->mechanism)
		layer->mechanism = probe->mechanism;
	layer->hits += ledger->hits;
	layer->recorded += ledger->recorded;
	layer->filtered += ledger->filtered;
	layer->in_flight += ledger->in_flight;
	layer->lost += ledger__lost(ledger);
	layer->unsized += ledger->unsized;
	return 0;
}

static void add_layer(struct record *record, const struct layer *layer)
{
	record__open(record, NULL);
	record__string(record, "layer", layer->name);
	record__string(record, "mechanism", layer->mechanism);
	record__u64(record, "n", layer->n);
	for (enum probe_state state = 0; state < PROBE_OFF; state++)
		record__u64(record, probe_state__name(state), layer->states[state]);
	record__u64(record, "hits", layer->hits);
	record__u64(record, "recorded", layer->recorded);
	record__u64(record, "filtered", layer->filtered);
	record__u64(record, "lost", layer->lost);
	record__u64(record, "in_flight", layer->in_flight);
	record__u64(record, "unsized", layer->unsized);
	record__close(record);
}

static int write_layers(struct page_document *document, const struct report_run *run,
			const struct snapshot *snapshot)
{
	struct record_tree tree = record_tree__new(NULL);
	struct layers layers = { 0 };
	int ret = 0;

	for (size_t i = 0; i < run->n_probes && i < snapshot->n_ledgers && !ret; i++)
		ret = add_probe(&layers, &run->probes[i], &snapshot->ledgers[i]);
	record__open_array(&tree.record, NULL);
	for (size_t i = 0; i < layers.n; i++)
		add_layer(&tree.record, &layers.at[i]);
	record__close_array(&tree.record);
	page_document__put_array(document, "probes", record_tree__take(&tree), ROOM_PROBES);
	free(layers.at);
	return ret;
}

struct lost {
	size_t probe;
	enum tm_loss loss;
	__u64 n;
};

static int compare_by_losses(const void *left, const void *right)
{
	const struct lost *a = left, *b = right;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return a->probe < b->probe ? -1 : a->probe > b->probe;
}

static struct json_object *record_of(const struct report_run *run, const struct snapshot *snapshot,
				     const struct lost *lost)
{
	struct record_tree tree = record_tree__new(NULL);

	probe_text__add_loss(&tree.record, run, snapshot, lost->probe, lost->loss);
	return record_tree__take(&tree);
}

static int write_losses(struct page_document *document, const struct report_run *run,
			const struct snapshot *snapshot)
{
	struct page_list list = page_list__new(document, ROOM_LOSSES);
	struct record_tree rest = record_tree__new(NULL);
	struct lost *losses = NULL;
	size_t n = 0, room = 0, written = 0;
	__u64 sum = 0;
	int ret = 0;

	for (size_t i = 0; i < run->n_probes && i < snapshot->n_ledgers; i++) {
		for (enum tm_loss loss = 0; loss < TM_LOSSES && !ret; loss++) {
			if (!snapshot->ledgers[i].lost[loss])
				continue;
			ret = array__grow((void **)&losses, &room, n, sizeof(*losses));
			if (!ret)
				losses[n++] =
					(struct lost){ i, loss, snapshot->ledgers[i].lost[loss] };
		}
	}
	if (n)
		qsort(losses, n, sizeof(*losses), compare_by_losses);
	while (written < n && page_list__add(&list, record_of(run, snapshot, &losses[written])))
		written++;
	for (size_t i = written; i < n; i++)
		sum += losses[i].n;
	if (written < n) {
		record__open(&rest.record, NULL);
		record__u64(&rest.record, "n", n - written);
		record__u64(&rest.record, "count", sum);
		record__close(&rest.record);
	}
	page_document__put_list(document, "losses", &list, record_tree__take(&rest));
	free(losses);
	return ret;
}

int page_probes__write(struct page_document *document, const struct report_run *run,
		       const struct snapshot *snapshot)
{
	int ret = write_layers(document, run, snapshot);

	return ret ? ret : write_losses(document, run, snapshot);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "page/probes.h"
#include "page/room.h"
#include "sink/json_value.h"
#include "sink/probe_text.h"

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

static struct json_object *layer_object(const struct layer *layer)
{
	struct json_object *object = json_object_new_object();

	if (!object)
		return NULL;
	json_value__add_string(object, "layer", layer->name);
	json_value__add_string(object, "mechanism", layer->mechanism);
	json_value__add_u64(object, "n", layer->n);
	for (enum probe_state state = 0; state < PROBE_OFF; state++)
		json_value__add_u64(object, probe_state__name(state), layer->states[state]);
	json_value__add_u64(object, "hits", layer->hits);
	json_value__add_u64(object, "recorded", layer->recorded);
	json_value__add_u64(object, "filtered", layer->filtered);
	json_value__add_u64(object, "lost", layer->lost);
	json_value__add_u64(object, "in_flight", layer->in_flight);
	json_value__add_u64(object, "unsized", layer->unsized);
	return object;
}

static int write_layers(struct page_document *document, const struct report_run *run,
			const struct snapshot *snapshot)
{
	struct json_object *array = json_object_new_array();
	struct layers layers = { 0 };
	int ret = 0;

	for (size_t i = 0; i < run->n_probes && i < snapshot->n_ledgers && !ret; i++)
		ret = add_probe(&layers, &run->probes[i], &snapshot->ledgers[i]);
	for (size_t i = 0; array && i < layers.n; i++)
		json_object_array_add(array, layer_object(&layers.at[i]));
	page_document__put_array(document, "probes", array, ROOM_PROBES);
	free(layers.at);
	return ret;
}

struct lost {
	size_t probe;
	enum tm_loss loss;
	__u64 n;
};

static int compare(const void *left, const void *right)
{
	const struct lost *a = left, *b = right;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return a->probe < b->probe ? -1 : a->probe > b->probe;
}

static struct json_object *record_of(const struct report_run *run, const struct snapshot *snapshot,
				     const struct lost *lost)
{
	struct json_text text = { 0 };

	probe_text__add_loss(&text, run, snapshot, lost->probe, lost->loss);
	return json_text__take_object(&text);
}

static int write_losses(struct page_document *document, const struct report_run *run,
			const struct snapshot *snapshot)
{
	struct page_list list = page_list__new(document, ROOM_LOSSES);
	struct json_object *rest = NULL;
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
		qsort(losses, n, sizeof(*losses), compare);
	while (written < n && page_list__add(&list, record_of(run, snapshot, &losses[written])))
		written++;
	for (size_t i = written; i < n; i++)
		sum += losses[i].n;
	if (written < n)
		rest = json_object_new_object();
	if (rest) {
		json_value__add_u64(rest, "n", n - written);
		json_value__add_u64(rest, "count", sum);
	}
	page_document__put_list(document, "losses", &list, rest);
	free(losses);
	return ret;
}

int page_probes__write(struct page_document *document, const struct report_run *run,
		       const struct snapshot *snapshot)
{
	int ret = write_layers(document, run, snapshot);

	return ret ? ret : write_losses(document, run, snapshot);
}

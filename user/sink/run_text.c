// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "sink/json_record.h"
#include "sink/json_value.h"

static struct json_object *string_array(const char *const *strings, size_t n)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < n; i++)
		json_object_array_add(array, json_value__string(strings[i]));
	return array;
}

/* The layers in the order in which the mechanisms name them, each once. */
static void add_layers(struct json_object *record, const struct report_run *run)
{
	struct json_object *layers = json_object_new_array();
	struct json_object *mechanisms = json_object_new_object();
	struct json_object *first;
	char both[256];

	for (size_t i = 0; layers && mechanisms && i < run->n_mechanisms; i++) {
		const struct report_mechanism *m = &run->mechanisms[i];

		if (!json_object_object_get_ex(mechanisms, m->layer, &first)) {
			json_object_array_add(layers, json_value__string(m->layer));
			json_value__add_string(mechanisms, m->layer, m->mechanism);
			continue;
		}
		snprintf(both, sizeof(both), "%s+%s", json_object_get_string(first), m->mechanism);
		json_value__add_string(mechanisms, m->layer, both);
	}
	json_value__add(record, "layers", layers);
	json_value__add(record, "mechanisms", mechanisms);
}

static void add_cost(struct json_object *record, const struct report_run *run, bool ended)
{
	struct json_object *hit = run->n_hit_costs ? json_object_new_object() : NULL;
	struct json_object *inside = run->n_hit_costs ? json_object_new_object() : NULL;
	struct json_object *counted = run->n_hit_costs ? json_object_new_object() : NULL;
	struct json_object *share = NULL;
	char text[32];

	for (size_t i = 0; i < run->n_hit_costs; i++) {
		const struct report_hit_cost *cost = &run->hit_costs[i];

		json_value__add_u64(hit, cost->site_class, cost->ns);
		json_value__add_u64(inside, cost->site_class, cost->inside_ns);
		json_value__add_measured(counted, cost->site_class, cost->counted_ns,
					 cost->counted_ns != 0);
	}
	json_value__add(record, "hit_cost_ns", hit);
	json_value__add(record, "hit_inside_ns", inside);
	json_value__add(record, "hit_counted_ns", counted);
	if (ended && run->probe_share >= 0) {
		snprintf(text, sizeof(text), "%.6f", run->probe_share);
		share = json_object_new_double_s(run->probe_share, text);
	}
	json_value__add(record, "probe_share", share);
}

struct json_object *json_record__run(const struct report_run *run, __u64 end_ns,
				     const char *const *notes, size_t n_notes)
{
	struct json_object *record =
		json_value__record(run, "run", end_ns ? end_ns : run->start_ns);
	size_t argc = 0;

	if (!record)
		return NULL;
	while (run->argv && run->argv[argc])
		argc++;
	json_value__add_string(record, "version", run->version);
	json_value__add_string(record, "kernel", run->kernel);
	json_value__add(record, "argv",
			run->combined ? NULL : string_array((const char *const *)run->argv, argc));
	json_value__add_string(record, "scope", run->scope);
	json_value__add_u64(record, "start_ns", run->start_ns);
	json_value__add_measured(record, "end_ns", end_ns, end_ns != 0);
	add_layers(record, run);
	add_cost(record, run, end_ns != 0);
	json_value__add(record, "notes", string_array(notes, n_notes));
	json_value__add(record, "final", json_object_new_boolean(end_ns != 0));
	return record;
}

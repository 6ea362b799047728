// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "sink/run_text.h"

static void add_strings(struct record *record, const char *name, const char *const *strings,
			size_t n)
{
	record__open_array(record, name);
	for (size_t i = 0; i < n; i++)
		record__string(record, NULL, strings[i]);
	record__close_array(record);
}

static void add_arguments(struct record *record, char *const *argv)
{
	size_t argc = 0;

	while (argv && argv[argc])
		argc++;
	add_strings(record, "argv", (const char *const *)argv, argc);
}

/* Is it the first one of its layer? */
static bool is_first(const struct report_run *run, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(run->mechanisms[k].layer, run->mechanisms[i].layer))
			return false;
	return true;
}

/* Those of the layer whose first one is i, with "+" between. */
static void add_mechanisms_of(struct record *record, const struct report_run *run, size_t i)
{
	const char *layer = run->mechanisms[i].layer;
	char all[256];
	size_t n = 0;

	for (size_t k = i; k < run->n_mechanisms && n < sizeof(all); k++)
		if (!strcmp(run->mechanisms[k].layer, layer))
			n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", n ? "+" : "",
					      run->mechanisms[k].mechanism);
	record__string(record, layer, all);
}

/* The layers in the order in which the mechanisms name them, each once. */
static void add_layers(struct record *record, const struct report_run *run)
{
	record__open_array(record, "layers");
	for (size_t i = 0; i < run->n_mechanisms; i++)
		if (is_first(run, i))
			record__string(record, NULL, run->mechanisms[i].layer);
	record__close_array(record);
	record__open(record, "mechanisms");
	for (size_t i = 0; i < run->n_mechanisms; i++)
		if (is_first(run, i))
			add_mechanisms_of(record, run, i);
	record__close(record);
}

/* false: none was measured. */
static bool open_costs(struct record *record, const struct report_run *run, const char *name)
{
	if (run->n_hit_costs)
		record__open(record, name);
	else
		record__null(record, name);
	return run->n_hit_costs != 0;
}

/* By class of sites. */
static void add_hit_costs(struct record *record, const struct report_run *run)
{
	const struct report_hit_cost *costs = run->hit_costs;

	if (open_costs(record, run, "hit_cost_ns")) {
		for (size_t i = 0; i < run->n_hit_costs; i++)
			record__u64(record, costs[i].site_class, costs[i].ns);
		record__close(record);
	}
	if (open_costs(record, run, "hit_inside_ns")) {
		for (size_t i = 0; i < run->n_hit_costs; i++)
			record__u64(record, costs[i].site_class, costs[i].inside_ns);
		record__close(record);
	}
	if (open_costs(record, run, "hit_counted_ns")) {
		for (size_t i = 0; i < run->n_hit_costs; i++)
			record__measured(record, costs[i].site_class, costs[i].counted_ns,
					 costs[i].counted_ns != 0);
		record__close(record);
	}
}

void run_text__add(struct record *record, const struct report_run *run, __u64 end_ns,
		   const char *const *notes, size_t n_notes)
{
	bool ended = end_ns != 0;

	record__begin(record, run, "run", ended ? end_ns : run->start_ns, run->hostname);
	record__string(record, "version", run->version);
	record__string(record, "kernel", run->kernel);
	if (run->combined)
		record__null(record, "argv");
	else
		add_arguments(record, run->argv);
	record__string(record, "scope", run->scope);
	record__u64(record, "start_ns", run->start_ns);
	record__measured(record, "end_ns", end_ns, ended);
	add_layers(record, run);
	add_hit_costs(record, run);
	if (ended && run->probe_share >= 0)
		record__fixed(record, "probe_share", run->probe_share, 6);
	else
		record__null(record, "probe_share");
	add_strings(record, "notes", notes, n_notes);
	record__bool(record, "final", ended);
	record__end(record);
}

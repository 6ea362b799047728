// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/units.h"
#include "report/names.h"
#include "report/title.h"
#include "report/unusual.h"

int unusual__each_period(const struct snapshot *snapshot,
			 int (*visit)(void *context, const struct timeline *timeline,
				      const struct slow_period *period),
			 void *context)
{
	struct slow_period periods[SLOW_PERIODS_MAX];
	int ret = 0;

	for (size_t i = 0; i < snapshot->n_timelines && !ret; i++) {
		size_t n;

		ret = slow_periods__find(snapshot->timelines[i], periods, &n);
		for (size_t j = 0; !ret && j < n; j++)
			ret = visit(context, snapshot->timelines[i], &periods[j]);
	}
	return ret;
}

struct node_visit {
	int (*visit)(void *context, const struct nodes_layer *layer, const struct slow_node *node);
	void *context;
};

static int visit_layer(void *context, const struct nodes_layer *layer)
{
	const struct node_visit *to = context;
	struct slow_node *slow = calloc(layer->n + 1, sizeof(*slow));
	int n = slow ? slow_nodes__find(layer, slow) : -ENOMEM, ret = n < 0 ? n : 0;

	for (int i = 0; i < n && !ret; i++)
		ret = to->visit(to->context, layer, &slow[i]);
	free(slow);
	return ret;
}

int unusual__each_node(const struct report_part *parts, size_t n,
		       int (*visit)(void *context, const struct nodes_layer *layer,
				    const struct slow_node *node),
		       void *context)
{
	struct node_visit to = { visit, context };

	return nodes__each(parts, n, visit_layer, &to);
}

struct printing {
	const struct table_options *options;
	const struct report_run *run;
	bool begun;
};

static void begin_line(struct printing *printing)
{
	FILE *out = printing->options->out;

	if (!printing->begun) {
		title__heading(printing->options, "unusual:");
		fputc('\n', out);
	}
	printing->begun = true;
	fputs("  ", out);
}

/* "p75 1.2 ms, 5.1 times the usual 236 us (12 deviations), with 4.0 times as many calls: load" */
static void print_rest(FILE *out, int percentile, __u64 ns, __u64 usual_ns, double deviations,
		       double load, bool by_load)
{
	char now[UNITS_ROOM], usual[UNITS_ROOM];

	fprintf(out, "p%d %s, %.1f times the usual %s (%.0f deviations), ", percentile,
		units__time(now, ns), (double)ns / (double)usual_ns, units__time(usual, usual_ns),
		deviations);
	if (fabs(load - 1) < 0.1)
		fprintf(out, "with as many calls as usual: ");
	else
		fprintf(out, "with %.1f times as many calls: ", load);
	fprintf(out, "%s\n", by_load ? "load" : "latency");
}

static int print_period(void *context, const struct timeline *timeline,
			const struct slow_period *period)
{
	struct printing *printing = context;
	const struct timeline_about about = timeline__about(timeline);
	const struct job_info *job = names__job(printing->run, about.job);
	char day[32], text[UNITS_ROOM];
	FILE *out = printing->options->out;

	begin_line(printing);
	if (job_info__is_job(job)) {
		fprintf(out, "job ");
		title__text(out, job->jobid);
		fprintf(out, ", ");
	}
	title__text(out, names__layer(printing->run, about.layer));
	fprintf(out,
		" from %s for %s: ", clock__local(day, sizeof(day), period->start_ns, "%H:%M:%S"),
		units__time(text, period->end_ns - period->start_ns));
	print_rest(out, period->percentile, period->latency_ns, period->usual_ns,
		   period->deviations, period->load, period->by_load);
	return 0;
}

static int print_node(void *context, const struct nodes_layer *layer, const struct slow_node *slow)
{
	struct printing *printing = context;
	FILE *out = printing->options->out;

	begin_line(printing);
	title__text(out, layer->name);
	fputc(' ', out);
	title__text(out, names__function(slow->node->part->run, &slow->function));
	fprintf(out, " on ");
	title__text(out, slow->node->part->name);
	fprintf(out, ": ");
	print_rest(out, slow->percentile, slow->latency_ns, slow->usual_ns, slow->deviations,
		   slow->load, slow->by_load);
	return 0;
}

int unusual__print(const struct table_options *options, const struct report_run *run,
		   const struct snapshot *snapshot, const struct report_part *parts, size_t n)
{
	struct printing printing = { .options = options, .run = run };
	int ret = unusual__each_period(snapshot, print_period, &printing);

	if (!ret && n > 1)
		ret = unusual__each_node(parts, n, print_node, &printing);
	return ret;
}

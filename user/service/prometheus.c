// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "metrics/labels.h"
#include "report/names.h"
#include "service/node_metrics.h"
#include "service/prometheus.h"

static void write_one(struct metrics_text *text, const struct metrics_about *about, __u64 value)
{
	metrics_text__begin(text, about);
	metrics_text__number(text, "", value);
}

/* What there was no room for. The last ones: the samples are counted, these two among them. */
static void write_folded(struct metrics_text *text, const struct metrics *metrics)
{
	static const struct metrics_about jobs = {
		"tmtrace_folded_jobs", NULL, METRICS_GAUGE,
		"Jobs that have no metrics of their own, and are in the job other."
	};
	static const struct metrics_about rows = {
		"tmtrace_folded_rows", NULL, METRICS_GAUGE,
		"Functions and devices of jobs that are in their function or device other."
	};
	static const struct metrics_about times = {
		"tmtrace_folds", NULL, METRICS_COUNTER,
		"How often a job has lost its metrics to the job other, since the service began."
	};
	static const struct metrics_about samples = { "tmtrace_metrics_samples", NULL,
						      METRICS_GAUGE, "Samples of this text." };
	static const struct metrics_about most = { "tmtrace_metrics_max_samples", NULL,
						   METRICS_GAUGE,
						   "Samples that there may be at most." };
	struct metrics_folded folded = metrics__folded(metrics);

	write_one(text, &jobs, folded.jobs);
	write_one(text, &rows, folded.rows);
	write_one(text, &times, folded.times);
	write_one(text, &most, metrics__most_samples(metrics));
	write_one(text, &samples, text->samples + 1);
}

int prometheus__write(const struct prometheus *prometheus, enum metrics_format format, FILE *out)
{
	struct metrics_text text;
	int ret;

	metrics_text__start(&text, out, format);
	node_metrics__write(&text, prometheus->status);
	ret = metrics__write_jobs(prometheus->metrics, prometheus->status->run, &text);
	if (!ret)
		ret = metrics__write(prometheus->metrics, prometheus->status->run, &text);
	write_folded(&text, prometheus->metrics);
	metrics_text__end(&text);
	return text.failed ? -ENOMEM : ret;
}

static void write_layer(struct metrics_text *text, const struct report_run *run,
			const struct metrics_job *job, const struct metrics_layer *layer,
			const struct metrics_layer_sum *sum)
{
	const char *name = names__layer(run, layer->layer);
	struct metrics_labels labels = { 0 };
	__u64 value;

	if (!metrics_layer__get(layer, sum, &value))
		return;
	metrics_labels__append(&labels, job->labels);
	metrics_labels__add(&labels, "layer", name ? name : "?");
	metrics_labels__add_time(&labels, "since", job->since_ns);
	if (labels.failed)
		text->failed = true;
	else if (sum->offset == offsetof(struct metrics_layer, own_ns))
		metrics_text__seconds(text, labels.text, value);
	else
		metrics_text__number(text, labels.text, value);
	metrics_labels__free(&labels);
}

void prometheus__write_sums(void *prometheus, FILE *out)
{
	const struct prometheus *of = prometheus;
	const struct metrics *metrics = of->metrics;
	struct metrics_text text;

	metrics_text__start(&text, out, METRICS_PROMETHEUS);
	node_metrics__write(&text, of->status);
	metrics__write_jobs(metrics, of->status->run, &text);
	for (size_t i = 0; i < METRICS_LAYER_SUMS; i++) {
		metrics_text__begin(&text, &metrics_layer_sums[i].about);
		for (size_t j = 0; j < metrics__n_jobs(metrics); j++) {
			const struct metrics_job *job = metrics__job(metrics, j);

			for (size_t k = 0; k < job->layers.n; k++)
				write_layer(&text, of->status->run, job, &job->layers.at[k],
					    &metrics_layer_sums[i]);
		}
	}
	write_folded(&text, metrics);
}

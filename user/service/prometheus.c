// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
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
	int rc;

	metrics_text__start(&text, out, format);
	node_metrics__write(&text, prometheus->status);
	rc = metrics__write_jobs(prometheus->metrics, prometheus->status->run, &text);
	if (!rc)
		rc = metrics__write(prometheus->metrics, prometheus->status->run, &text);
	write_folded(&text, prometheus->metrics);
	metrics_text__end(&text);
	return text.failed ? -ENOMEM : rc;
}

/* A sum of a job in a layer. */
struct sum {
	struct metrics_about about;
	size_t at; /* of the number in struct metrics_layer */
};

#define OF(member) offsetof(struct metrics_layer, member)

static const struct sum all_sums[] = {
	{ { "tmtrace_job_calls", NULL, METRICS_COUNTER,
	    "Calls, operations on files or requests to devices of a job in a layer." },
	  OF(calls) },
	{ { "tmtrace_job_errors", NULL, METRICS_COUNTER, "Those that failed." }, OF(errors) },
	{ { "tmtrace_job_bytes", "bytes", METRICS_COUNTER, "Bytes that they moved." }, OF(bytes) },
	{ { "tmtrace_job_seconds", "seconds", METRICS_COUNTER,
	    "Time that they took, of library calls without traced calls inside." },
	  OF(own_ns) },
	{ { "tmtrace_job_read_bytes", "bytes", METRICS_COUNTER,
	    "Bytes that were read, of files or devices." },
	  OF(read_bytes) },
	{ { "tmtrace_job_written_bytes", "bytes", METRICS_COUNTER,
	    "Bytes that were written, to files or devices." },
	  OF(written_bytes) },
};

/* Of libraries it is not known which calls read or write. */
static bool has_sum(const struct metrics_layer *layer, const struct sum *sum)
{
	return layer->layer < TM_LAYER_USER ||
	       (sum->at != OF(read_bytes) && sum->at != OF(written_bytes));
}

static void write_layer(struct metrics_text *text, const struct report_run *run,
			const struct metrics_job *job, const struct metrics_layer *layer,
			const struct sum *sum)
{
	const char *name = names__layer(run, layer->layer);
	struct metrics_labels labels = { 0 };
	__u64 value = *(const __u64 *)((const char *)layer + sum->at);

	metrics_labels__append(&labels, job->labels);
	metrics_labels__add(&labels, "layer", name ? name : "?");
	metrics_labels__add_time(&labels, "since", job->since_ns);
	if (labels.failed)
		text->failed = true;
	else if (sum->at == OF(own_ns))
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
	for (size_t i = 0; i < sizeof(all_sums) / sizeof(*all_sums); i++) {
		metrics_text__begin(&text, &all_sums[i].about);
		for (size_t j = 0; j < metrics__n_jobs(metrics); j++) {
			const struct metrics_job *job = metrics__job(metrics, j);

			for (size_t k = 0; k < job->n_layers; k++)
				if (has_sum(&job->layers[k], &all_sums[i]))
					write_layer(&text, of->status->run, job, &job->layers[k],
						    &all_sums[i]);
		}
	}
	write_folded(&text, metrics);
}

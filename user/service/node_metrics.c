// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "metrics/labels.h"
#include "report/names.h"
#include "service/node_metrics.h"

static void write_info(struct metrics_text *text, const struct report_run *run)
{
	static const struct metrics_about about = {
		"tmtrace_build", NULL, METRICS_INFO,
		"What runs here, and since when its counters do "
		"by their epoch."
	};
	struct metrics_labels labels = { 0 };

	metrics_labels__add(&labels, "version", run->version);
	metrics_labels__add(&labels, "kernel", run->kernel ? run->kernel : "");
	metrics_labels__add(&labels, "epoch", run->epoch ? run->epoch : "");
	text->failed |= labels.failed;
	if (!labels.failed) {
		metrics_text__begin(text, &about);
		metrics_text__number(text, labels.text, 1);
	}
	metrics_labels__free(&labels);
}

/* A number of the node, without labels. */
struct number {
	struct metrics_about about;
	__u64 value;
};

static void write_numbers(struct metrics_text *text, const struct number *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		metrics_text__begin(text, &numbers[i].about);
		if (numbers[i].about.unit && !strcmp(numbers[i].about.unit, "seconds"))
			metrics_text__seconds(text, "", numbers[i].value);
		else
			metrics_text__number(text, "", numbers[i].value);
	}
}

static void write_probes(struct metrics_text *text, const struct status_sums *sums)
{
	static const struct metrics_about states = { "tmtrace_probes", NULL, METRICS_GAUGE,
						     "Probes by their state." };
	static const struct metrics_about losses = {
		"tmtrace_lost", NULL, METRICS_COUNTER,
		"Hits that could not be counted, by the reason."
	};

	metrics_text__begin(text, &states);
	for (enum probe_state state = 0; state < PROBE_OFF; state++)
		metrics_text__number_of(text, "", "state", probe_state__name(state),
					sums->states[state]);
	metrics_text__begin(text, &losses);
	for (enum tm_loss loss = 0; loss < TM_LOSSES; loss++)
		metrics_text__number_of(text, "", "reason", probe_loss_names[loss],
					sums->lost_by[loss]);
}

/* Of layers that were parked: as long as the function that was longest. */
static void write_parked(struct metrics_text *text, const struct report_run *run, __u64 time_ns)
{
	static const struct metrics_about about = {
		"tmtrace_parked_seconds", "seconds", METRICS_COUNTER,
		"For how long a function of the layer was not counted, as it was parked or left "
		"out: the longest of all."
	};
	bool begun = false;

	for (int layer = 0; names__layer(run, (__u8)layer) || layer < TM_LAYER_USER; layer++) {
		const char *name = NULL;
		__u64 longest = 0, ns;

		for (size_t i = 0; i < run->n_probes; i++) {
			if (run->probes[i].layer_id != layer)
				continue;
			ns = probe__parked_ns(&run->probes[i], time_ns);
			if (ns <= longest)
				continue;
			longest = ns;
			name = run->probes[i].layer;
		}
		if (!name)
			continue;
		if (!begun)
			metrics_text__begin(text, &about);
		begun = true;
		metrics_text__seconds_of(text, "", "layer", name, longest);
	}
}

static void write_log(struct metrics_text *text, const struct service_status *status)
{
	static const struct metrics_about about = {
		"tmtrace_log_records", NULL, METRICS_COUNTER,
		"Records for the log, by what became of them."
	};

	metrics_text__begin(text, &about);
	metrics_text__number_of(text, "", "outcome", "sent", status->log.sent);
	metrics_text__number_of(text, "", "outcome", "held_back", status->log.held_back);
	metrics_text__number_of(text, "", "outcome", "lost", status->log.lost);
}

/* A part of the node's processors; negative: it is not known. */
static void write_share(struct metrics_text *text, const struct metrics_about *about, double share)
{
	if (share < 0)
		return;
	metrics_text__begin(text, about);
	metrics_text__ratio(text, share);
}

static void write_cost(struct metrics_text *text, const struct service_status *status)
{
	static const struct metrics_about probes = {
		"tmtrace_probes_cost_ratio", "ratio", METRICS_GAUGE,
		"What the probes take of the node's processors, in the last interval."
	};
	static const struct metrics_about own = {
		"tmtrace_service_cost_ratio", "ratio", METRICS_GAUGE,
		"What the service takes of the node's processors, in the last interval."
	};
	static const struct metrics_about following = {
		"tmtrace_following_cost_ratio", "ratio", METRICS_GAUGE,
		"What it takes of the node's processors to follow processes, when it was measured "
		"last."
	};
	static const struct metrics_about other = { "tmtrace_other_calls_cost_ratio", "ratio",
						    METRICS_GAUGE,
						    "What it takes of the node's processors to "
						    "look at system calls that are no operations "
						    "on files, in the last interval." };
	const struct number numbers[] = {
		{ { "tmtrace_cpu_seconds", "seconds", METRICS_COUNTER,
		    "CPU time of the service, since its process began." },
		  status->own_ns },
		{ { "tmtrace_memory_bytes", "bytes", METRICS_GAUGE,
		    "Resident memory of the service." },
		  status->cost.memory_bytes },
	};

	write_numbers(text, numbers, sizeof(numbers) / sizeof(*numbers));
	write_share(text, &probes, status->cost.probes_share);
	write_share(text, &other, status->cost.other_share);
	write_share(text, &following, status->cost.following_share);
	write_share(text, &own, status->cost.own_share);
}

/* Those that there are. */
static void write_bounds(struct metrics_text *text, const struct service_status *status)
{
	static const struct metrics_about probes = {
		"tmtrace_probes_bound_ratio", "ratio", METRICS_GAUGE,
		"What the probes may take of the node's processors."
	};
	static const struct metrics_about thread = {
		"tmtrace_thread_bound_ratio", "ratio", METRICS_GAUGE,
		"What the probes may take of the time of a thread."
	};
	static const struct metrics_about own = {
		"tmtrace_service_bound_ratio", "ratio", METRICS_GAUGE,
		"What the service may take of the node's processors."
	};
	static const struct metrics_about history = {
		"tmtrace_history_interval_seconds", "seconds", METRICS_GAUGE,
		"How often the history is written: every second, unless the service costs too much."
	};
	const struct service_config *config = status->config;

	write_share(text, &probes, config->bounds.node > 0 ? config->bounds.node : -1);
	write_share(text, &thread, config->bounds.thread > 0 ? config->bounds.thread : -1);
	write_share(text, &own,
		    config->max_service_overhead > 0 ? config->max_service_overhead : -1);
	if (!(status->history_s > 0))
		return;
	metrics_text__begin(text, &history);
	metrics_text__seconds(text, "", (__u64)(status->history_s * NS_PER_S));
}

void node_metrics__write(struct metrics_text *text, const struct service_status *status)
{
	const struct report_run *run = status->run;
	__u64 time_ns = status->snapshot->time_ns;
	struct status_sums sums;

	status__sum(&sums, status);
	const struct number numbers[] = {
		{ { "tmtrace_start_time_seconds", "seconds", METRICS_GAUGE,
		    "When the counters began, in seconds since 1970." },
		  run->start_ns },
		{ { "tmtrace_uptime_seconds", "seconds", METRICS_GAUGE,
		    "Since the counters began." },
		  time_ns > run->start_ns ? time_ns - run->start_ns : 0 },
		{ { "tmtrace_restarts", NULL, METRICS_COUNTER,
		    "Starts of the service since the counters began." },
		  status->restarts },
		{ { "tmtrace_hits", NULL, METRICS_COUNTER, "Hits of all probes." }, sums.hits },
		{ { "tmtrace_recorded", NULL, METRICS_COUNTER, "Hits that were counted." },
		  sums.recorded },
		{ { "tmtrace_filtered", NULL, METRICS_COUNTER,
		    "Hits that are of nothing that is traced." },
		  sums.filtered },
		{ { "tmtrace_series", NULL, METRICS_GAUGE, "Series of figures that are kept." },
		  status->snapshot->n_series },
		{ { "tmtrace_max_series", NULL, METRICS_GAUGE,
		    "Series of figures that there is room for." },
		  status->config->series },
	};

	write_info(text, run);
	write_numbers(text, numbers, sizeof(numbers) / sizeof(*numbers));
	write_probes(text, &sums);
	write_cost(text, status);
	write_bounds(text, status);
	write_parked(text, run, time_ns);
	write_log(text, status);
	outputs__write_metrics(&status->outputs, text);
}

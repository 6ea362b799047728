// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "metrics/labels.h"
#include "metrics/shown.h"

/* What of a row a metric shows. */
enum value {
	VALUE_NUMBER, /* the counter that the metric names */
	VALUE_BYTES,  /* where there is a size */
	VALUE_OWN,    /* where there is a time, as the following */
	VALUE_QUEUE,
	VALUE_TIMES,   /* a sample for each kind of time */
	VALUE_LATENCY, /* a histogram */
	VALUE_IN_FLIGHT,
	/* What the kernel itself counts, a sample for each kind: */
	VALUE_KERNEL_CALLS,
	VALUE_KERNEL_BYTES,
	VALUE_KERNEL_STORAGE,
	/* The part of these calls that came while operations on files were counted, and the rest:
	 */
	VALUE_COVERAGE,
	VALUE_MISSED,
	/* The same by the time, of a function that was parked, and about how many those are: */
	VALUE_SEEN,
	VALUE_UNSEEN,
};

struct shown {
	enum metric_kind kind;
	enum value value;
	struct metrics_about about;
	size_t at; /* of VALUE_NUMBER: the counter's place in struct metric_counters */
};

#define COUNTER(member) offsetof(struct metric_counters, member)

#define HELP_LATENCY "without those that were counted at the level summary."

#define HELP_COVERAGE                                                                         \
	"The part of a job's calls on files of which the figures of vfs are, or of its time " \
	"in which a library's function was counted, where these are not all."

static const struct shown all_shown[] = {
	{ METRIC_CALLS,
	  VALUE_NUMBER,
	  { "tmtrace_calls", NULL, METRICS_COUNTER,
	    "Calls of functions, and operations on files, that have ended." },
	  COUNTER(count) },
	{ METRIC_CALLS,
	  VALUE_NUMBER,
	  { "tmtrace_errors", NULL, METRICS_COUNTER, "Those of them that failed." },
	  COUNTER(errors) },
	{ METRIC_CALLS,
	  VALUE_NUMBER,
	  { "tmtrace_retries", NULL, METRICS_COUNTER,
	    "Those of them that are to be tried again: EAGAIN, EINTR." },
	  COUNTER(retries) },
	{ METRIC_CALLS,
	  VALUE_BYTES,
	  { "tmtrace_bytes", "bytes", METRICS_COUNTER, "Bytes that they moved." } },
	{ METRIC_CALLS,
	  VALUE_OWN,
	  { "tmtrace_seconds", "seconds", METRICS_COUNTER,
	    "Time that they took, of library calls without traced calls inside." } },
	{ METRIC_CALLS,
	  VALUE_TIMES,
	  { "tmtrace_inside_seconds", "seconds", METRICS_COUNTER,
	    "Where the time inside them went, traced calls inside among them." } },
	{ METRIC_CALLS,
	  VALUE_LATENCY,
	  { "tmtrace_latency_seconds", "seconds", METRICS_HISTOGRAM,
	    "Time from their begins to their ends, " HELP_LATENCY } },
	{ METRIC_CALLS,
	  VALUE_IN_FLIGHT,
	  { "tmtrace_in_flight", NULL, METRICS_GAUGE, "Calls and operations that are open." } },
	{ METRIC_OPERATIONS,
	  VALUE_NUMBER,
	  { "tmtrace_operations", NULL, METRICS_COUNTER,
	    "Asynchronous operations of libraries that are complete, by who launched them." },
	  COUNTER(count) },
	{ METRIC_OPERATIONS,
	  VALUE_NUMBER,
	  { "tmtrace_operation_errors", NULL, METRICS_COUNTER, "Those of them that failed." },
	  COUNTER(errors) },
	{ METRIC_OPERATIONS,
	  VALUE_BYTES,
	  { "tmtrace_operation_bytes", "bytes", METRICS_COUNTER, "Bytes that they moved." } },
	{ METRIC_OPERATIONS,
	  VALUE_TIMES,
	  { "tmtrace_operation_part_seconds", "seconds", METRICS_COUNTER,
	    "Time in the calls that launched them, in calls that asked for them, and how late "
	    "these "
	    "were." } },
	{ METRIC_OPERATIONS,
	  VALUE_LATENCY,
	  { "tmtrace_operation_latency_seconds", "seconds", METRICS_HISTOGRAM,
	    "Time from launch to completion, " HELP_LATENCY } },
	{ METRIC_OPERATIONS,
	  VALUE_IN_FLIGHT,
	  { "tmtrace_operations_in_flight", NULL, METRICS_GAUGE,
	    "Operations that are not complete." } },
	{ METRIC_REQUESTS,
	  VALUE_NUMBER,
	  { "tmtrace_device_requests", NULL, METRICS_COUNTER,
	    "Requests to block devices that are complete." },
	  COUNTER(count) },
	{ METRIC_REQUESTS,
	  VALUE_NUMBER,
	  { "tmtrace_device_errors", NULL, METRICS_COUNTER, "Those of them that failed." },
	  COUNTER(errors) },
	{ METRIC_REQUESTS,
	  VALUE_BYTES,
	  { "tmtrace_device_bytes", "bytes", METRICS_COUNTER, "Bytes that they moved." } },
	{ METRIC_REQUESTS,
	  VALUE_OWN,
	  { "tmtrace_device_seconds", "seconds", METRICS_COUNTER,
	    "Time that the device took for them." } },
	{ METRIC_REQUESTS,
	  VALUE_QUEUE,
	  { "tmtrace_device_queue_seconds", "seconds", METRICS_COUNTER,
	    "Time before the device got them." } },
	{ METRIC_REQUESTS,
	  VALUE_LATENCY,
	  { "tmtrace_device_latency_seconds", "seconds", METRICS_HISTOGRAM,
	    "Time that the device took for one, " HELP_LATENCY } },
	{ METRIC_REQUESTS,
	  VALUE_IN_FLIGHT,
	  { "tmtrace_device_requests_in_flight", NULL, METRICS_GAUGE,
	    "Requests that are not complete." } },
	{ METRIC_KERNEL_IO,
	  VALUE_KERNEL_CALLS,
	  { "tmtrace_kernel_io_calls", NULL, METRICS_COUNTER,
	    "System calls that read and write, on any descriptor, as the kernel counts them." } },
	{ METRIC_KERNEL_IO,
	  VALUE_KERNEL_BYTES,
	  { "tmtrace_kernel_io_bytes", "bytes", METRICS_COUNTER, "Bytes that they moved." } },
	{ METRIC_KERNEL_IO,
	  VALUE_KERNEL_STORAGE,
	  { "tmtrace_kernel_io_storage_bytes", "bytes", METRICS_COUNTER,
	    "Bytes from storage, and those that are to be written there, however that was asked "
	    "for; cancelled: of these, truncated before they were written." } },
	{ METRIC_KERNEL_IO,
	  VALUE_MISSED,
	  { "tmtrace_kernel_io_missed_calls", NULL, METRICS_COUNTER,
	    "Those of tmtrace_kernel_io_calls that came while operations on files of that kind "
	    "were not counted, as vfs was parked or left out; other: both, for other "
	    "operations." } },
	{ METRIC_KERNEL_IO,
	  VALUE_COVERAGE,
	  { "tmtrace_coverage_ratio", "ratio", METRICS_GAUGE, HELP_COVERAGE } },
	/* The same metric: it must follow. */
	{ METRIC_CALLS,
	  VALUE_SEEN,
	  { "tmtrace_coverage_ratio", "ratio", METRICS_GAUGE, HELP_COVERAGE } },
	{ METRIC_CALLS,
	  VALUE_UNSEEN,
	  { "tmtrace_unseen_calls", NULL, METRICS_GAUGE,
	    "About so many calls of a library's function were not seen, as it was parked." } },
};

#define N_SHOWN (sizeof(all_shown) / sizeof(*all_shown))

/* The counts of the kernel that a metric has, and what its samples are of. */
static const struct {
	enum value value;
	enum tm_task_io_count count;
	const char *operation;
} kernel_counts[] = {
	{ VALUE_KERNEL_CALLS, TM_TASK_IO_SYSCR, "read" },
	{ VALUE_KERNEL_CALLS, TM_TASK_IO_SYSCW, "write" },
	{ VALUE_KERNEL_BYTES, TM_TASK_IO_RCHAR, "read" },
	{ VALUE_KERNEL_BYTES, TM_TASK_IO_WCHAR, "write" },
	{ VALUE_KERNEL_STORAGE, TM_TASK_IO_READ_BYTES, "read" },
	{ VALUE_KERNEL_STORAGE, TM_TASK_IO_WRITE_BYTES, "write" },
	{ VALUE_KERNEL_STORAGE, TM_TASK_IO_CANCELLED_BYTES, "cancelled" },
};

/* What of the calls of the kernel's count was missed, by operation. */
static const struct {
	enum tm_missed missed;
	const char *operation;
} missed_counts[] = {
	{ TM_MISSED_SYSCR, "read" },
	{ TM_MISSED_SYSCW, "write" },
	{ TM_MISSED_CALLS, "other" },
};

#define N_MISSED_COUNTS (sizeof(missed_counts) / sizeof(*missed_counts))

#define N_KERNEL_COUNTS (sizeof(kernel_counts) / sizeof(*kernel_counts))

/* Names of the parts of the time, as records have them; NULL: the rows do not have it. */
static const char *time_name(const struct report_run *run, const struct metric_key *key, int time)
{
	static const char *const inside[TM_TIMES] = {
		[TM_TIME_VFS] = "vfs",	   [TM_TIME_NET] = "net",
		[TM_TIME_WAIT] = "wait",   [TM_TIME_SYSCALL] = "syscall",
		[TM_TIME_BLOCK] = "block", [TM_TIME_IOWAIT] = "iowait",
	};
	static const char *const parts[TM_OPERATION_TIMES] = {
		[TM_OPERATION_SUBMIT] = "submit",
		[TM_OPERATION_WAIT] = "wait",
		[TM_OPERATION_LATE] = "late_poll",
	};

	if (key->kind == METRIC_OPERATIONS)
		return time < TM_OPERATION_TIMES ? parts[time] : NULL;
	if (!report__knows(run, (enum tm_time)time))
		return NULL;
	/* An operation on files is itself the time on files. */
	if (key->layer == TM_LAYER_VFS && time != TM_TIME_BLOCK && time != TM_TIME_IOWAIT)
		return NULL;
	return inside[time];
}

static bool has_size(const struct report_run *run, const struct metric_key *key)
{
	const struct tm_key like = {
		.layer = key->layer,
		.function = key->function,
		.flags = key->kind == METRIC_OPERATIONS ? TM_KEY_OPERATION : 0,
	};

	return metric_key__is_other(key) || names__has_size(run, &like);
}

static size_t count_samples(const struct report_run *run, const struct metric_key *key,
			    enum value value)
{
	size_t n = 0;

	switch (value) {
	case VALUE_BYTES:
		return has_size(run, key);
	case VALUE_TIMES:
		for (int time = 0; time < TM_TIMES; time++)
			n += time_name(run, key, time) != NULL;
		return n;
	case VALUE_LATENCY:
		return METRIC_EDGES + 3; /* with all, their number and sum */
	case VALUE_KERNEL_CALLS:
	case VALUE_KERNEL_BYTES:
	case VALUE_KERNEL_STORAGE:
		for (size_t i = 0; i < N_KERNEL_COUNTS; i++)
			n += kernel_counts[i].value == value;
		return n;
	case VALUE_COVERAGE:
	case VALUE_MISSED:
		return N_MISSED_COUNTS;
	default:
		return 1;
	}
}

size_t metrics_shown__samples(const struct report_run *run, const struct metric_key *key)
{
	size_t n = 0;

	for (size_t i = 0; i < N_SHOWN; i++)
		if (all_shown[i].kind == key->kind)
			n += count_samples(run, key, all_shown[i].value);
	return n;
}

static void write_times(struct metrics_text *text, const struct report_run *run,
			const struct metrics_shown_row *shown)
{
	const struct metric_key *key = &shown->row->key;
	const char *label = key->kind == METRIC_OPERATIONS ? "part" : "kind", *name;

	for (int time = 0; time < TM_TIMES; time++) {
		name = time_name(run, key, time);
		if (name)
			metrics_text__seconds_of(text, shown->labels, label, name,
						 shown->row->sums.counters.times_ns[time]);
	}
}

static void write_latency(struct metrics_text *text, const struct metrics_shown_row *shown)
{
	const struct metric_counters *counters = &shown->row->sums.counters;
	const struct metrics_histogram histogram = { metric_edges_ns, counters->buckets,
						     METRIC_EDGES, counters->total_ns };

	metrics_text__histogram(text, shown->labels, &histogram);
}

static void write_kernel_counts(struct metrics_text *text, const struct metrics_shown_row *shown,
				enum value value)
{
	for (size_t i = 0; i < N_KERNEL_COUNTS; i++)
		if (kernel_counts[i].value == value)
			metrics_text__number_of(
				text, shown->labels, "operation", kernel_counts[i].operation,
				shown->row->sums.counters.task_io[kernel_counts[i].count]);
}

/* Of calls of which some were missed. */
static bool is_missed(const struct metric_counters *counters)
{
	for (size_t i = 0; i < N_MISSED_COUNTS; i++)
		if (counters->missed[missed_counts[i].missed])
			return true;
	return counters->parked_ns != 0;
}

static __u64 calls_of(const struct metric_counters *counters, enum tm_missed missed)
{
	__u64 reads = counters->task_io[TM_TASK_IO_SYSCR],
	      writes = counters->task_io[TM_TASK_IO_SYSCW];

	if (missed == TM_MISSED_CALLS)
		return reads + writes;
	return missed == TM_MISSED_SYSCR ? reads : writes;
}

static void write_missed(struct metrics_text *text, const struct metrics_shown_row *shown,
			 enum value value)
{
	const struct metric_counters *counters = &shown->row->sums.counters;

	for (size_t i = 0; i < N_MISSED_COUNTS; i++) {
		__u64 missed = counters->missed[missed_counts[i].missed];
		__u64 calls = calls_of(counters, missed_counts[i].missed);

		if (value == VALUE_MISSED)
			metrics_text__number_of(text, shown->labels, "operation",
						missed_counts[i].operation, missed);
		else
			metrics_text__ratio_of(
				text, shown->labels, "operation", missed_counts[i].operation,
				missed < calls ? 1 - (double)missed / (double)calls : !missed);
	}
}

/* Of what is only counted, no time is known. */
static bool is_timed(const struct metric_counters *counters)
{
	return counters->total_ns || metric_counters__bucketed(counters);
}

static void write_row(struct metrics_text *text, const struct report_run *run,
		      const struct shown *metric, const struct metrics_shown_row *shown)
{
	const struct metric_counters *counters = &shown->row->sums.counters;
	const char *labels = shown->labels;

	if (metric->value >= VALUE_OWN && metric->value <= VALUE_LATENCY && !is_timed(counters))
		return;
	switch (metric->value) {
	case VALUE_NUMBER:
		metrics_text__number(text, labels,
				     *(const __u64 *)((const char *)counters + metric->at));
		break;
	case VALUE_BYTES:
		if (has_size(run, &shown->row->key))
			metrics_text__number(text, labels, counters->bytes);
		break;
	case VALUE_OWN:
		metrics_text__seconds(text, labels, counters->own_ns);
		break;
	case VALUE_QUEUE:
		metrics_text__seconds(text, labels, counters->queue_ns);
		break;
	case VALUE_TIMES:
		write_times(text, run, shown);
		break;
	case VALUE_LATENCY:
		write_latency(text, shown);
		break;
	case VALUE_IN_FLIGHT:
		metrics_text__number(text, labels, shown->row->sums.in_flight);
		break;
	case VALUE_KERNEL_CALLS:
	case VALUE_KERNEL_BYTES:
	case VALUE_KERNEL_STORAGE:
		write_kernel_counts(text, shown, metric->value);
		break;
	case VALUE_COVERAGE:
	case VALUE_MISSED:
		write_missed(text, shown, metric->value);
		break;
	case VALUE_SEEN:
		metrics_text__ratio_of(text, labels, NULL, NULL,
				       counters->parked_ns < counters->span_ns
					       ? 1 - (double)counters->parked_ns /
								 (double)counters->span_ns
					       : 0);
		break;
	case VALUE_UNSEEN:
		metrics_text__number(text, labels, counters->unseen);
		break;
	}
}

void metrics_shown__write(struct metrics_text *text, const struct report_run *run,
			  const struct metrics_shown_row *rows, size_t n)
{
	bool begun = false;

	for (size_t i = 0; i < N_SHOWN; i++) {
		if (!i || strcmp(all_shown[i].about.name, all_shown[i - 1].about.name))
			begun = false;
		for (size_t j = 0; j < n; j++) {
			if (rows[j].row->key.kind != all_shown[i].kind ||
			    (all_shown[i].value >= VALUE_COVERAGE &&
			     !is_missed(&rows[j].row->sums.counters)))
				continue;
			if (!begun)
				metrics_text__begin(text, &all_shown[i].about);
			begun = true;
			write_row(text, run, &all_shown[i], &rows[j]);
		}
	}
}

void metrics_shown__label(struct metrics_labels *labels, const struct report_run *run,
			  const struct metric_key *key)
{
	const struct tm_key like = { .layer = key->layer, .function = key->function };
	const char *layer = names__layer(run, key->layer);
	const char *function = metric_key__is_other(key) ? JOB_OTHERS : names__function(run, &like);
	char number[32];

	if (key->kind == METRIC_KERNEL_IO)
		return;
	if (!function) {
		snprintf(number, sizeof(number), "%u", key->function);
		function = number;
	}
	metrics_labels__add(labels, "layer", layer ? layer : "?");
	if (key->kind != METRIC_REQUESTS) {
		metrics_labels__add(labels, "function", function);
		return;
	}
	metrics_labels__add(labels, "device", metric_key__is_other(key) ? JOB_OTHERS : key->device);
	metrics_labels__add(labels, "operation", function);
}

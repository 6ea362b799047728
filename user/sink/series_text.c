// SPDX-License-Identifier: GPL-2.0-only
#include "addb/sums.h"
#include "report/names.h"
#include "report/series_fields.h"
#include "sink/estimate_text.h"
#include "sink/series_text.h"
#include "tmtrace/object.h"

static void add_errors_by(struct record *record, const struct report_run *run,
			  const struct tm_series *total)
{
	char name[NAMES_ROOM];

	record__open(record, "errors_by");
	for (int i = 0; i < TM_ERRORS; i++)
		if (total->error_count[i])
			record__u64(record,
				    names__error(run, &total->key, total->error_code[i], name),
				    total->error_count[i]);
	if (total->errors_other)
		record__u64(record, names__error(run, &total->key, 0, name), total->errors_other);
	record__close(record);
}

/* What a record's numbers are of. */
struct numbers {
	const struct report_run *run;
	const struct snapshot *snapshot;
	const struct tm_series *total;
	const struct figures *figures;
	bool sized;
};

/* A VFS operation is itself the time on files. */
static bool knows_time(const struct numbers *numbers, enum tm_time time)
{
	bool inside = numbers->total->key.layer != TM_LAYER_VFS || time == TM_TIME_BLOCK ||
		      time == TM_TIME_IOWAIT;

	return numbers->figures->timed && inside && report__knows(numbers->run, time);
}

static bool is_known(const struct numbers *numbers, const struct series_field *field)
{
	switch (field->known) {
	case KNOWN_SIZED:
		return numbers->sized;
	case KNOWN_TIMED:
		return numbers->figures->timed != 0;
	case KNOWN_BUCKETED:
		return numbers->figures->bucketed != 0;
	case KNOWN_INSIDE:
		return knows_time(numbers, field->which);
	case KNOWN_LATER:
		return report__knows(numbers->run, field->which);
	case KNOWN_OLDEST:
		return numbers->total->queue_ns != 0;
	default:
		return true;
	}
}

static void add_numbers(struct record *record, const struct numbers *numbers,
			enum series_record type)
{
	for (size_t i = 0; i < series_fields_n; i++) {
		const struct series_field *field = &series_fields[i];
		__u64 value = series_field__value(field, numbers->figures);

		if (!(field->records & type))
			continue;
		if (field->known == KNOWN_OLDEST)
			value = numbers->snapshot->monotonic_ns - value;
		record__measured(record, field->name, value, is_known(numbers, field));
		if (field->known == KNOWN_ERRORS)
			add_errors_by(record, numbers->run, numbers->total);
	}
}

static void add_buckets(struct record *record, const char *name, const struct histogram *histogram,
			bool measured)
{
	if (measured)
		record__buckets(record, name, histogram);
	else
		record__null(record, name);
}

static void add_histograms(struct record *record, const struct figures *figures,
			   const struct snapshot_series *series)
{
	record__string(record, "scheme", TM_HISTOGRAM_SCHEME);
	add_buckets(record, "buckets", &series->latency, figures->timed != 0);
	add_buckets(record, "size_buckets", &series->size, figures->sized != 0);
}

static void add_interval(struct record *record, const struct report_run *run,
			 const struct snapshot *snapshot, size_t i, bool has_size)
{
	struct figures figures;

	record__open(record, "interval");
	figures__interval(&figures, snapshot->series[i], snapshot->before[i]);
	record__u64(record, "start_ns", snapshot->before_ns ? snapshot->before_ns : run->start_ns);
	record__u64(record, "end_ns", snapshot->time_ns);
	record__u64(record, "count", figures.count);
	record__u64(record, "errors", figures.errors);
	record__measured(record, "bytes", figures.bytes, has_size);
	record__measured(record, "p50_ns", figures.p50_ns, figures.bucketed != 0);
	record__measured(record, "p99_ns", figures.p99_ns, figures.bucketed != 0);
	record__measured(record, "max_ns", figures.max_ns, figures.timed != 0);
	record__close(record);
}

void series_text__add_key(struct record *record, const struct report_run *run,
			  const struct tm_series *total)
{
	const struct tm_key *key = &total->key;
	char name[NAMES_ROOM];

	record__string(record, "cgroup", names__cgroup(run, key->job));
	record__cgroup(record, key->job, key->job && !run->combined);
	record__string(record, "step", names__step(run, key));
	record__string(record, "layer", names__layer(run, key->layer));
	record__string(record, "function", names__function(run, key));
	if (key->layer == TM_LAYER_VFS) {
		names__fs_type(run, total, name);
		record__string(record, "fs_type", name[0] ? name : NULL);
		record__string(record, "mount", names__mount(run, total));
	}
	if (key->layer == TM_LAYER_BLOCK) {
		names__device(run, total, name);
		record__string(record, "device", name[0] ? name : NULL);
		if (key->flags & TM_KEY_NO_DISK)
			record__string(record, "fs_type", names__fs_type(run, total, name));
		record__bool(record, "writeback", key->flags & TM_KEY_WRITEBACK);
		record__bool(record, "metadata", key->flags & TM_KEY_METADATA);
	}
	if (key->layer >= TM_LAYER_USER)
		return;
	if (key->where && !run->combined)
		record__hex(record, "where", key->where);
	else
		record__null(record, "where");
}

void series_text__add_who(struct record *record, const struct process_info *process, __s64 rank,
			  const char *jobid)
{
	record__number(record, "pid", process ? process->pid : 0, process);
	record__measured(record, "rank", (__u64)rank, rank >= 0);
	record__string(record, "comm", process ? process->comm : NULL);
	record__measured(record, "uid", process ? process->uid : 0, process);
	record__string(record, "jobid", jobid);
	record__string(record, "workflow", process ? process->workflow : NULL);
	record__string(record, "component", process ? process->component : NULL);
}

/* What a sum over ADDB2 records is of. */
static void add_addb_key(struct record *record, __u64 where)
{
	bool state = addb_sum__kind(where) == ADDB_SUM_STATE;
	char text[256];

	record__hex(record, "id", tm_addb_where_id(where));
	record__string(record, "name", addb_sum__record(where, text, sizeof(text)));
	record__string(record, "fom", addb_sum__fom(where, text, sizeof(text)));
	record__string(record, state ? "state" : "field",
		       addb_sum__what(where, text, sizeof(text)));
}

/* Calls of a function that was parked for a while are not all, nor are its times. */
static void add_gap(struct record *record, const struct gaps *gaps, const struct tm_key *key)
{
	__u64 ns = gaps__of(gaps, key);

	if (ns)
		record__u64(record, "parked_ns", ns);
	ns = gaps__untimed(gaps, key);
	if (ns)
		record__u64(record, "untimed_ns", ns);
}

/*
 * Was something of it not seen, and it is not known how much? What stands beside calls is seen with
 * them.
 */
static bool is_of_unknown(const struct snapshot *snapshot, size_t i, const struct gaps *gaps)
{
	struct tm_key calls = snapshot->series[i]->total.key;
	struct unseen_calls unseen;

	if (calls.layer < TM_LAYER_USER)
		return gaps__of(gaps, &calls) && !estimate__is_told(snapshot, i);
	if (!key__is_addb(&calls)) {
		calls.flags = 0;
		calls.where = 0;
		if (unseen_calls__of(&unseen, snapshot, &calls, false))
			return key__is_beside(&snapshot->series[i]->total.key) &&
			       unseen.figures[TM_UNSEEN_MISSED_NS];
	}
	return gaps__of(gaps, &calls);
}

/* What of all there was the figures are of. */
static void add_estimate(struct record *record, const struct snapshot *snapshot, size_t i,
			 const struct gaps *gaps, bool sized, bool timed)
{
	struct estimate estimate;

	if (estimate__of_series(&estimate, snapshot, i, gaps))
		estimate_text__add(record, &estimate, sized, timed);
	else if (is_of_unknown(snapshot, i, gaps))
		estimate_text__add_unknown(record);
}

static void add_size_class(struct record *record, __u64 class)
{
	if (class >= TM_OBJECT_SIZES) {
		record__null(record, "size_class");
		return;
	}
	record__open_array(record, "size_class");
	record__size_edges(record, (__u32) class);
	record__close_array(record);
}

/* Of calls or operations it may be known that they have sizes before there are any. */
static bool has_size(const struct report_run *run, const struct tm_key *key,
		     const struct figures *figures)
{
	const unsigned int calls = IN_CALLS | IN_DEVICE | IN_OP;

	return figures->sized || (series_record__of(key) & calls && names__has_size(run, key));
}

void series_text__add(struct record *record, const struct report_run *run,
		      const struct snapshot *snapshot, size_t i, bool final,
		      const struct gaps *gaps)
{
	const struct snapshot_series *series = snapshot->series[i];
	const struct tm_series *total = &series->total;
	const struct tm_key *key = &total->key;
	enum series_record type = series_record__of(key);
	struct figures figures;
	const struct process_info *process;
	struct numbers numbers = { run, snapshot, total, &figures, false };
	const char *jobid;

	figures__total(&figures, series);
	numbers.sized = has_size(run, key, &figures);
	process = names__process(run, key->process);
	record__begin(record, run, series_record__type(type), snapshot->time_ns,
		      process && process->node ? process->node : run->hostname);
	series_text__add_key(record, run, total);
	if (key__is_by_size(key))
		add_size_class(record, key->where);
	if (key__is_addb(key))
		add_addb_key(record, key->where);
	/* Other names may have taken the process's place. */
	jobid = names__jobid(run, key);
	process = names__process(run, key->process);
	series_text__add_who(record, process, process ? process->rank : -1, jobid);
	add_numbers(record, &numbers, type);
	add_histograms(record, &figures, series);
	if (!final || snapshot->before_ns)
		add_interval(record, run, snapshot, i, numbers.sized);
	add_gap(record, gaps, key);
	add_estimate(record, snapshot, i, gaps, numbers.sized, figures.timed != 0);
	record__bool(record, "final", final);
	record__end(record);
}

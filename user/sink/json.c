// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/json.h"
#include "sink/json_addb.h"
#include "sink/json_call.h"
#include "sink/json_nodes.h"
#include "sink/json_process.h"
#include "sink/json_unusual.h"
#include "sink/record_text.h"
#include "sink/record_tree.h"
#include "sink/records.h"

/* So many bytes of ADDB2 records are written together. */
#define ADDB_BYTES (64U << 10)

struct sink_json {
	struct record_text text; /* where records and their newlines are put together */
	struct records records;
	FILE *file;
	bool can_take_back; /* a regular file, and not one that others append to */
	char *name;
	struct json_calls *calls; /* NULL: there were none yet */
	size_t gathers;	     /* so many bytes before they are written; 0: each record at once */
	size_t limit;	     /* the same just now */
	__u64 gathered;	     /* records that are in the text */
	__u64 written, lost; /* records */
	int failure;	     /* the last one: negative errno */
};

/* Leaves no half line at the end of the file. Best effort: the failure itself is reported. */
static void take_back(struct sink_json *sink, off_t start)
{
	int fd = fileno(sink->file);
	struct stat st;

	clearerr(sink->file);
	if (start < 0 || fstat(fd, &st) < 0 || st.st_size != lseek(fd, 0, SEEK_CUR))
		return;
	if (ftruncate(fd, start) == 0)
		fseeko(sink->file, start, SEEK_SET);
}

/* Writes whole lines, or none. */
static int write_lines(struct sink_json *sink, const char *text, size_t len)
{
	off_t start = sink->can_take_back ? lseek(fileno(sink->file), 0, SEEK_CUR) : -1;
	int ret;

	errno = 0;
	if (fwrite(text, 1, len, sink->file) == len)
		return 0;
	ret = errno ? -errno : -EIO;
	take_back(sink, start);
	return ret;
}

static void count(struct sink_json *sink, __u64 records, int ret)
{
	if (!ret) {
		sink->written += records;
	} else {
		sink->lost += records;
		sink->failure = ret;
	}
}

static void write_text(struct sink_json *sink)
{
	if (sink->gathered)
		count(sink, sink->gathered, write_lines(sink, sink->text.bytes, sink->text.n));
	sink->gathered = sink->text.n = 0;
}

/* A record is in the text, or failed to be: that is counted, for report(). */
static void end_line(struct record *record)
{
	struct sink_json *sink = (struct sink_json *)record;
	struct record_text *text = &sink->text;
	int ret = record->failure;

	if (!ret)
		ret = record_text__add_bytes(text, "\n", 1);
	if (ret) {
		text->n = text->start;
		count(sink, 1, ret);
	} else {
		sink->gathered++;
	}
	if (text->n >= sink->limit)
		write_text(sink);
}

int sink_json__new(struct sink_json **out, FILE *file, const char *name,
		   const struct report_run *run, struct error *err)
{
	struct sink_json *sink = calloc(1, sizeof(*sink));
	struct stat st;

	if (sink)
		sink->name = strdup(name);
	if (!sink || !sink->name) {
		free(sink);
		return error__set(err, -ENOMEM, "%s: out of memory", name);
	}
	sink->text = record_text__new(end_line);
	sink->records = (struct records){ .to = &sink->text.record, .run = run };
	sink->file = file;
	sink->can_take_back = fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) &&
			      !(fcntl(fileno(file), F_GETFL) & O_APPEND);
	/* Each line is written at once: one who follows the file, or kills us, finds whole lines.
	 */
	fflush(file);
	setvbuf(file, NULL, _IONBF, 0);
	*out = sink;
	return 0;
}

/* The error of what was put since lost was so high; 0 if all was written. */
static int report(const struct sink_json *sink, __u64 lost_before, struct error *err)
{
	if (sink->lost == lost_before)
		return 0;
	return error__set(err, sink->failure, "%s: %s: %llu record%s lost after %llu written",
			  sink->name, strerror(-sink->failure), sink->lost,
			  sink->lost == 1 ? "" : "s", sink->written);
}

int sink_json__run_start(struct sink_json *sink, struct error *err)
{
	__u64 lost = sink->lost;

	records__start(&sink->records);
	return report(sink, lost, err);
}

void sink_json__gather(struct sink_json *sink, size_t bytes)
{
	sink->gathers = sink->limit = bytes;
}

void sink_json__all_jobs(struct sink_json *sink)
{
	sink->records.all_jobs = true;
}

void sink_json__called_probes(struct sink_json *sink)
{
	sink->records.called_probes = true;
}

void sink_json__use(struct sink_json *sink, const struct report_run *run)
{
	sink->records.run = run;
	json_calls__free(sink->calls);
	sink->calls = NULL;
}

int sink_json__run_end(struct sink_json *sink, const struct snapshot *snapshot, struct error *err)
{
	__u64 lost = sink->lost;

	records__end(&sink->records, snapshot);
	return report(sink, lost, err);
}

int sink_json__snapshot(struct sink_json *sink, const struct snapshot *snapshot, bool final,
			struct error *err)
{
	__u64 lost = sink->lost;

	records__snapshot(&sink->records, snapshot, final);
	return report(sink, lost, err);
}

/* A sink, and when what it writes was measured. */
struct nodes_sink {
	struct sink_json *sink;
	__u64 time_ns;
};

static int put_layer(void *context, const struct nodes_layer *layer)
{
	const struct nodes_sink *to = context;

	json_nodes__add(to->sink->records.to, to->sink->records.run, layer, to->time_ns);
	return 0;
}

int sink_json__nodes(struct sink_json *sink, const struct report_part *parts, size_t n,
		     const struct snapshot *snapshot, struct error *err)
{
	struct nodes_sink to = { sink, snapshot->time_ns };
	__u64 lost = sink->lost;
	int ret = nodes__each(parts, n, put_layer, &to);

	if (ret)
		return error__set(err, ret, "%s: %s", sink->name, strerror(-ret));
	return report(sink, lost, err);
}

static int put_period(void *context, const struct timeline *timeline,
		      const struct slow_period *period)
{
	const struct nodes_sink *to = context;

	json_unusual__add_period(to->sink->records.to, to->sink->records.run, timeline, period,
				 to->time_ns);
	return 0;
}

static int put_slow_node(void *context, const struct nodes_layer *layer,
			 const struct slow_node *node)
{
	const struct nodes_sink *to = context;

	json_unusual__add_node(to->sink->records.to, to->sink->records.run, layer, node,
			       to->time_ns);
	return 0;
}

int sink_json__unusual(struct sink_json *sink, const struct report_part *parts, size_t n,
		       const struct snapshot *snapshot, struct error *err)
{
	struct nodes_sink to = { sink, snapshot->time_ns };
	__u64 lost = sink->lost;
	int ret = unusual__each_period(snapshot, put_period, &to);

	if (!ret && n > 1)
		ret = unusual__each_node(parts, n, put_slow_node, &to);
	if (ret)
		return error__set(err, ret, "%s: %s", sink->name, strerror(-ret));
	return report(sink, lost, err);
}

int sink_json__calls(struct sink_json *sink, const struct call_batch *batch, struct error *err)
{
	__u64 lost = sink->lost;

	if (!sink->calls)
		sink->calls = json_calls__new(sink->records.run);
	if (!sink->calls)
		count(sink, batch->n_calls + batch->n_operations, -ENOMEM);
	sink->limit = SIZE_MAX;
	for (size_t i = 0; sink->calls && i < batch->n_calls; i++)
		json_calls__add(sink->calls, sink->records.to, batch, i);
	for (size_t i = 0; sink->calls && i < batch->n_operations; i++)
		json_calls__add_operation(sink->calls, sink->records.to, batch, i);
	sink->limit = sink->gathers;
	write_text(sink);
	return report(sink, lost, err);
}

int sink_json__process(struct sink_json *sink, const struct process_account *account,
		       struct error *err)
{
	__u64 lost = sink->lost;

	json_process__add(sink->records.to, sink->records.run, account);
	return report(sink, lost, err);
}

int sink_json__record(struct sink_json *sink, struct json_object *record, struct error *err)
{
	__u64 lost = sink->lost;

	if (record) {
		record_tree__walk(record, sink->records.to, NULL);
		end_line(sink->records.to);
	} else {
		count(sink, 1, -ENOMEM);
	}
	json_object_put(record);
	return report(sink, lost, err);
}

void sink_json__addb(struct sink_json *sink, const struct addb_record *record,
		     const struct addb_origin *origin)
{
	sink->limit = sink->gathers > ADDB_BYTES ? sink->gathers : ADDB_BYTES;
	json_addb__add(sink->records.to, sink->records.run, record, origin);
	sink->limit = sink->gathers;
}

void sink_json__addb_counts(struct sink_json *sink, const struct addb_counts *counts)
{
	json_addb__add_counts(sink->records.to, sink->records.run, counts);
}

int sink_json__flush(struct sink_json *sink, struct error *err)
{
	__u64 lost = sink->lost;

	write_text(sink);
	return report(sink, lost, err);
}

int sink_json__close(struct sink_json *sink, struct error *err)
{
	int ret;

	if (!sink)
		return 0;
	write_text(sink);
	ret = report(sink, 0, err);
	json_calls__free(sink->calls);
	free(sink->text.bytes);
	free(sink->name);
	free(sink);
	return ret;
}

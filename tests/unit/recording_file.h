/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings in files of their own, and what is made of them. To be included once, after
 * json_records.h.
 */
#ifndef TESTS_UNIT_RECORDING_FILE_H
#define TESTS_UNIT_RECORDING_FILE_H

#include <unistd.h>

#include "recording/recording_reader.h"
#include "recording/recording_writer.h"
#include "report/table.h"
#include "ring/ring_file.h"

#define RECORDING_FILE_SIZE (1 << 20)

static const struct recording_about about = { .user = "ann", .boot_id = "b1", .cpus = 4 };

struct file {
	char dir[32], path[64];
};

static inline int new_file(struct file *file)
{
	struct error err;
	int fd;

	strcpy(file->dir, "/tmp/recording.XXXXXX");
	assert_non_null(mkdtemp(file->dir));
	snprintf(file->path, sizeof(file->path), "%s/data", file->dir);
	fd = ring_file__make(file->path, &err);
	assert_true(fd >= 0);
	return fd;
}

static inline void remove_file(const struct file *file)
{
	unlink(file->path);
	rmdir(file->dir);
}

static inline struct recording_writer *new_writer(struct file *file)
{
	struct recording_writer *writer;
	struct error err;

	assert_int_equal(recording_writer__create(&writer, new_file(file), file->path,
						  RECORDING_FILE_SIZE, &err),
			 0);
	return writer;
}

static inline void put(struct recording_writer *writer, const struct sample *sample, bool final)
{
	struct error err;

	if (recording_writer__snapshot(writer, &sample->run, &sample->snapshot, final, &err) < 0)
		fail_msg("%s", err.text);
}

static inline void start(struct recording_writer *writer, const struct sample *sample)
{
	struct error err;

	assert_int_equal(recording_writer__start(writer, &sample->run, &about, &err), 0);
}

static inline void end(struct recording_writer *writer)
{
	struct error err;

	assert_int_equal(recording_writer__close(writer, &err), 0);
}

static inline struct recording *open_file(const struct file *file)
{
	struct recording *recording;
	struct error err;

	if (recording__open(&recording, file->path, &err) < 0)
		fail_msg("%s", err.text);
	return recording;
}

/* The records of a run and its snapshot, as text. */
static inline char *records_of(const struct report_run *run, const struct snapshot *snapshot)
{
	struct record_sink *sink;
	FILE *file = tmpfile();
	struct error err;
	char *text;
	long n;

	assert_non_null(file);
	assert_int_equal(sink_json__new(&sink, file, "records", run, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, start, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, snapshot, snapshot, true, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, end, snapshot, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, close, &err), 0);
	n = ftell(file);
	text = calloc(1, (size_t)n + 1);
	rewind(file);
	assert_int_equal(fread(text, 1, (size_t)n, file), n);
	fclose(file);
	return text;
}

static inline char *tables_of(const struct report_run *run, const struct snapshot *snapshot)
{
	struct table_options options = { .histograms = true };
	char *text = NULL;
	struct error err;
	size_t n;

	options.out = open_memstream(&text, &n);
	assert_int_equal(table__print(&options, run, snapshot, &err), 0);
	fclose(options.out);
	return text;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* What was recorded of a run is read back as that run: the same records and tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "json_records.h"
#include "recording/recording_format.h"
#include "recording/recording_reader.h"
#include "recording/recording_writer.h"
#include "report/figures.h"
#include "report/share.h"
#include "report/table.h"
#include "ring/ring_file.h"
#include "ring/ring_writer.h"

#define SIZE (1 << 20)

static const struct recording_about about = { .user = "ann", .boot_id = "b1", .cpus = 4 };

struct file {
	char dir[32], path[64];
};

static int new_file(struct file *file)
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

static void remove_file(const struct file *file)
{
	unlink(file->path);
	rmdir(file->dir);
}

static struct recording_writer *new_writer(struct file *file)
{
	struct recording_writer *writer;
	struct error err;

	assert_int_equal(recording_writer__create(&writer, new_file(file), file->path, SIZE, &err),
			 0);
	return writer;
}

static void put(struct recording_writer *writer, const struct sample *sample, bool final)
{
	struct error err;

	if (recording_writer__snapshot(writer, &sample->run, &sample->snapshot, final, &err) < 0)
		fail_msg("%s", err.text);
}

static void start(struct recording_writer *writer, const struct sample *sample)
{
	struct error err;

	assert_int_equal(recording_writer__start(writer, &sample->run, &about, &err), 0);
}

static void end(struct recording_writer *writer)
{
	struct error err;

	assert_int_equal(recording_writer__close(writer, &err), 0);
}

static struct recording *open_file(const struct file *file)
{
	struct recording *recording;
	struct error err;

	if (recording__open(&recording, file->path, &err) < 0)
		fail_msg("%s", err.text);
	return recording;
}

/* The records of a run and its snapshot, as text. */
static char *records_of(const struct report_run *run, const struct snapshot *snapshot)
{
	struct sink_json *sink;
	FILE *file = tmpfile();
	struct error err;
	char *text;
	long n;

	assert_non_null(file);
	assert_int_equal(sink_json__new(&sink, file, "records", run, &err), 0);
	assert_int_equal(sink_json__run_start(sink, &err), 0);
	assert_int_equal(sink_json__snapshot(sink, snapshot, true, &err), 0);
	assert_int_equal(sink_json__run_end(sink, snapshot, &err), 0);
	assert_int_equal(sink_json__close(sink, &err), 0);
	n = ftell(file);
	text = calloc(1, (size_t)n + 1);
	rewind(file);
	assert_int_equal(fread(text, 1, (size_t)n, file), n);
	fclose(file);
	return text;
}

static char *tables_of(const struct report_run *run, const struct snapshot *snapshot)
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

static void check_same(struct sample *sample, const struct recording *recording)
{
	const struct report_run *run = recording__run(recording);
	const struct snapshot *snapshot = recording__snapshot(recording);
	char *live, *read;

	sample->run.probe_share = share__of_probes(&sample->run, &sample->snapshot);
	live = records_of(&sample->run, &sample->snapshot);
	read = records_of(run, snapshot);
	assert_string_equal(live, read);
	free(live);
	free(read);
	live = tables_of(&sample->run, &sample->snapshot);
	read = tables_of(run, snapshot);
	assert_string_equal(live, read);
	free(live);
	free(read);
}

static void test_same_records_and_tables(void **state)
{
	struct recording_state what;
	struct recording_writer *writer;
	struct recording *recording;
	struct sample sample;
	struct file file;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 0);
	sample__fill(&sample, 1001);
	sample__fill(&sample, 2002);
	writer = new_writer(&file);
	start(writer, &sample);
	put(writer, &sample, true);
	end(writer);

	recording = open_file(&file);
	check_same(&sample, recording);
	recording__state(recording, &what);
	assert_true(what.ended);
	assert_int_equal(what.snapshots, 1);
	assert_int_equal(what.unreadable, 0);
	assert_string_equal(recording__about(recording)->user, "ann");
	assert_string_equal(recording__about(recording)->boot_id, "b1");
	assert_int_equal(recording__about(recording)->cpus, 4);
	recording__close(recording);
	remove_file(&file);
	sample__close(&sample);
}

/* More of a series, as the next read of a drain has it. */
static void move_series(struct sample *sample, size_t i, __u64 calls)
{
	struct merge merge;

	merge__start(&merge, &sample->series[i]->total.key);
	merge.total = sample->series[i]->total;
	histogram__add(merge.latency, &sample->series[i]->latency);
	histogram__add(merge.size, &sample->series[i]->size);
	sample__calls(&merge, calls, 5000, 0);
	if (sample->before[i] != sample->series[i])
		free((void *)sample->before[i]);
	sample->before[i] = sample->series[i];
	sample->series[i] = merge__finish(&merge);
}

static void rest(struct sample *sample)
{
	for (size_t i = 0; i < sample->snapshot.n_series; i++) {
		if (sample->before[i] != sample->series[i])
			free((void *)sample->before[i]);
		sample->before[i] = sample->series[i];
	}
	sample->snapshot.before_ns = sample->snapshot.time_ns;
	sample->snapshot.time_ns += 1000 * MS;
}

/* Each snapshot comes back with what was before it. */
static void test_history(void **state)
{
	struct recording_writer *writer;
	struct recording *recording;
	struct sample sample;
	struct error err;
	struct file file;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	writer = new_writer(&file);
	start(writer, &sample);
	put(writer, &sample, false);
	for (__u64 second = 1; second <= 10; second++) {
		rest(&sample);
		move_series(&sample, 0, second);
		put(writer, &sample, second == 10);
	}
	end(writer);

	recording = open_file(&file);
	sample.snapshot.before_ns = 0;
	check_same(&sample, recording);
	recording__rewind(recording);
	for (__u64 second = 0; second <= 10; second++) {
		const struct snapshot *snapshot;
		struct figures figures;

		assert_int_equal(recording__next(recording, &err), RECORDING_STEP_SNAPSHOT);
		snapshot = recording__snapshot(recording);
		assert_int_equal(snapshot->n_series, sample.snapshot.n_series);
		assert_int_equal(snapshot->time_ns, SAMPLE_TIME + second * 1000 * MS);
		if (!second) {
			assert_null(snapshot->before[0]);
			continue;
		}
		assert_int_equal(snapshot->before_ns, snapshot->time_ns - 1000 * MS);
		assert_ptr_equal(snapshot->before[1], snapshot->series[1]);
		figures__interval(&figures, snapshot->series[0], snapshot->before[0]);
		assert_int_equal(figures.count, second);
	}
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_END);
	assert_int_equal(recording__total(recording, &err), 0);
	check_same(&sample, recording);
	recording__close(recording);
	remove_file(&file);
	sample__close(&sample);
}

/* What is written later is found by who reads already; the totals stay when the file wraps. */
static void test_follow_and_wrap(void **state)
{
	struct recording_writer *writer;
	struct recording_state what;
	struct recording *recording;
	struct sample sample;
	struct file file;
	struct error err;
	__u64 steps = 0;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	writer = new_writer(&file);
	start(writer, &sample);
	recording = open_file(&file);
	recording__rewind(recording);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_END);
	put(writer, &sample, false);
	for (int i = 0; i < 4000; i++) {
		rest(&sample);
		for (size_t j = 0; j < 4; j++)
			move_series(&sample, j, 1);
		put(writer, &sample, i == 3999);
	}
	end(writer);
	assert_int_equal(recording__update(recording, &err), 0);
	while (recording__next(recording, &err) > 0)
		steps++;
	assert_true(steps > 10 && steps < 4000);
	recording__state(recording, &what);
	assert_true(what.ended);
	recording__close(recording);

	recording = open_file(&file);
	sample.snapshot.before_ns = 0;
	check_same(&sample, recording);
	recording__close(recording);
	remove_file(&file);
	sample__close(&sample);
}

/* The run alone: killed before its first snapshot. */
static void test_run_alone(void **state)
{
	struct recording_writer *writer;
	struct recording_state what;
	struct recording *recording;
	struct sample sample;
	struct file file;
	struct error err;
	char *text;

	(void)state;
	sample__open(&sample);
	writer = new_writer(&file);
	start(writer, &sample);
	end(writer);
	recording = open_file(&file);
	recording__state(recording, &what);
	assert_false(what.ended);
	assert_int_equal(what.snapshots, 0);
	text = tables_of(recording__run(recording), recording__snapshot(recording));
	assert_non_null(strstr(text, "nothing was recorded"));
	recording__rewind(recording);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_END);
	assert_int_equal(recording__total(recording, &err), 0);
	assert_true(recording__snapshot(recording)->time_ns > sample.run.start_ns);
	free(text);
	recording__close(recording);
	remove_file(&file);
	sample__close(&sample);
}

static void put_state(struct ring_writer *ring, __u16 type, __u64 key, const void *data, size_t n)
{
	struct error err;

	assert_int_equal(ring_writer__state(ring, type, key, data, n, &err), 0);
}

/* A series that is forgotten is not in the totals, but in the history; it can come again. */
static void test_forgotten_series(void **state)
{
	const struct snapshot *snapshot;
	struct recording_writer *writer;
	struct recording *recording;
	struct ring_reader *reader;
	struct ring_writer *ring;
	struct ring_entry entry;
	struct sample sample;
	struct file whole, file;
	struct error err;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	writer = new_writer(&whole);
	start(writer, &sample);
	put(writer, &sample, false);
	end(writer);
	assert_int_equal(ring_reader__open(&reader, whole.path, &err), 0);
	assert_int_equal(ring_reader__scan(reader, &err), 0);
	assert_int_equal(ring_writer__create(&ring, new_file(&file), file.path, SIZE, &err), 0);
	while (ring_reader__next(reader, &entry))
		put_state(ring, entry.type, entry.key, entry.data, entry.size);
	assert_int_equal(ring_writer__forget(ring, RECORDING_SERIES, 2, &err), 0);
	assert_int_equal(ring_writer__forget(ring, RECORDING_SERIES, 900, &err), 0);
	assert_int_equal(ring_writer__flush(ring, &err), 0);

	recording = open_file(&file);
	snapshot = recording__snapshot(recording);
	assert_int_equal(snapshot->n_series, sample.snapshot.n_series - 1);
	for (size_t i = 0; i < snapshot->n_series; i++)
		assert_memory_equal(&snapshot->series[i]->total.key,
				    &sample.series[i + (i > 0)]->total.key, sizeof(struct tm_key));
	recording__rewind(recording);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_SNAPSHOT);
	assert_int_equal(recording__snapshot(recording)->n_series, sample.snapshot.n_series);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_END);

	ring_reader__rewind(reader);
	while (ring_reader__next(reader, &entry))
		if (entry.type == RECORDING_SERIES || entry.type == RECORDING_MARK)
			put_state(ring, entry.type, entry.key, entry.data, entry.size);
	assert_int_equal(ring_writer__flush(ring, &err), 0);
	assert_int_equal(recording__update(recording, &err), 0);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_SNAPSHOT);
	snapshot = recording__snapshot(recording);
	assert_int_equal(snapshot->n_series, sample.snapshot.n_series);
	assert_null(snapshot->before[1]); /* new again */
	assert_non_null(snapshot->before[0]);
	recording__close(recording);
	ring_reader__close(reader);
	assert_int_equal(ring_writer__close(ring, &err), 0);
	remove_file(&file);
	remove_file(&whole);
	sample__close(&sample);
}

/* Opens what a ring file has, and makes everything of it where that is a run. */
static int read_everything(const struct file *file, struct error *err)
{
	struct recording *recording;
	int ret = recording__open(&recording, file->path, err);

	if (ret < 0)
		return ret;
	free(records_of(recording__run(recording), recording__snapshot(recording)));
	free(tables_of(recording__run(recording), recording__snapshot(recording)));
	recording__rewind(recording);
	while (recording__next(recording, err) > 0)
		;
	recording__close(recording);
	return 0;
}

static void test_not_readable(void **state)
{
	static const unsigned char newer[] = { RECORDING_VERSION + 1 };
	static const unsigned char nonsense[] = { RECORDING_VERSION, 200 };
	struct ring_writer *ring;
	struct error err;
	struct file file;

	(void)state;
	assert_int_equal(ring_writer__create(&ring, new_file(&file), file.path, SIZE, &err), 0);
	assert_int_equal(read_everything(&file, &err), -ENODATA);
	put_state(ring, RECORDING_RUN, 1, newer, sizeof(newer));
	assert_int_equal(ring_writer__flush(ring, &err), 0);
	assert_int_equal(read_everything(&file, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "newer"));
	put_state(ring, RECORDING_RUN, 1, nonsense, sizeof(nonsense));
	assert_int_equal(ring_writer__close(ring, &err), 0);
	assert_int_equal(read_everything(&file, &err), -EBADMSG);
	remove_file(&file);
}

/* Blocks that are intact with entries that are not: each state of a real one, changed at random. */
static void test_hostile_entries(void **state)
{
	struct recording_writer *writer;
	struct sample sample;
	struct file good;
	struct error err;

	(void)state;
	srand(1);
	sample__open(&sample);
	sample__fill(&sample, 1001);
	writer = new_writer(&good);
	start(writer, &sample);
	put(writer, &sample, true);
	end(writer);
	for (int round = 0; round < 100; round++) {
		struct ring_reader *reader;
		struct ring_writer *ring;
		struct ring_entry entry;
		struct file bad;

		assert_int_equal(ring_reader__open(&reader, good.path, &err), 0);
		assert_int_equal(ring_reader__scan(reader, &err), 0);
		assert_int_equal(ring_writer__create(&ring, new_file(&bad), bad.path, SIZE, &err),
				 0);
		while (ring_reader__next(reader, &entry)) {
			unsigned char data[4096];
			size_t n = entry.size < sizeof(data) ? entry.size : sizeof(data);

			memcpy(data, entry.data, n);
			if (n && entry.type != RECORDING_RUN && rand() % 2)
				data[(size_t)rand() % n] = (unsigned char)rand();
			if (rand() % 16 == 0)
				n = n ? (size_t)rand() % n : 0;
			if (rand() % 16 == 0)
				entry.key ^= 1ULL << rand() % 64;
			if (entry.key)
				put_state(ring, entry.type, entry.key, data, n);
		}
		assert_int_equal(ring_writer__close(ring, &err), 0);
		ring_reader__close(reader);
		read_everything(&bad, &err);
		remove_file(&bad);
	}
	remove_file(&good);
	sample__close(&sample);
}

static void test_numbers(void **state)
{
	static const __u64 values[] = { 0, 1, 127, 128, 1ULL << 32, UINT64_MAX };
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	pack__start(&pack);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		pack__u64(&pack, values[i]);
		pack__s64(&pack, (__s64)values[i]);
	}
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		assert_int_equal(unpack__u64(&unpack), values[i]);
		assert_int_equal(unpack__s64(&unpack), (__s64)values[i]);
	}
	assert_false(unpack.failed);
	assert_int_equal(unpack__u64(&unpack), 0);
	assert_true(unpack.failed);
	pack__free(&pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_records_and_tables), cmocka_unit_test(test_history),
		cmocka_unit_test(test_follow_and_wrap),		cmocka_unit_test(test_run_alone),
		cmocka_unit_test(test_forgotten_series),	cmocka_unit_test(test_not_readable),
		cmocka_unit_test(test_hostile_entries),		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}

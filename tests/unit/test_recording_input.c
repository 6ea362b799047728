// SPDX-License-Identifier: GPL-2.0-only
/* Recordings with entries that are not as they usually are: hostile, of other versions, forgotten.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "recording/recording_format.h"
#include "recording_file.h"
#include "ring/ring_writer.h"

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
	assert_int_equal(
		ring_writer__create(&ring, new_file(&file), file.path, RECORDING_FILE_SIZE, &err),
		0);
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
	static const unsigned char nonsense[] = { RECORDING_VERSION, 200 };
	struct ring_writer *ring;
	struct error err;
	struct file file;

	(void)state;
	assert_int_equal(
		ring_writer__create(&ring, new_file(&file), file.path, RECORDING_FILE_SIZE, &err),
		0);
	assert_int_equal(read_everything(&file, &err), -ENODATA);
	put_state(ring, RECORDING_RUN, 1, nonsense, sizeof(nonsense));
	assert_int_equal(ring_writer__close(ring, &err), 0);
	assert_int_equal(read_everything(&file, &err), -EBADMSG);
	remove_file(&file);
}

/* A recording whose entries are coded in another way is refused as that, and not as damaged. */
static void check_coding(__u64 coding, const char *version, const char *wanted)
{
	static const char series[] = "coded differently";
	struct pack pack = { 0 };
	struct ring_writer *ring;
	struct error err;
	struct file file;

	assert_int_equal(
		ring_writer__create(&ring, new_file(&file), file.path, RECORDING_FILE_SIZE, &err),
		0);
	put_state(ring, RECORDING_SERIES, 1, series, sizeof(series));
	pack__u64(&pack, coding);
	pack__string(&pack, version);
	pack__string(&pack, "what follows is not known");
	put_state(ring, RECORDING_RUN, 1, pack.bytes, pack.n);
	put_state(ring, RECORDING_SERIES, 2, series, sizeof(series));
	pack__free(&pack);
	assert_int_equal(ring_writer__close(ring, &err), 0);
	assert_int_equal(read_everything(&file, &err), -ENOTSUP);
	if (!strstr(err.text, wanted))
		fail_msg("not \"%s\" in \"%s\"", wanted, err.text);
	remove_file(&file);
}

static void test_other_codings(void **state)
{
	(void)state;
	check_coding(RECORDING_VERSION + 1, "77.1.2", "another version of tmtrace (77.1.2, ");
	check_coding(RECORDING_VERSION - 1, "0.0.7", "another version of tmtrace (0.0.7, ");
	check_coding(UINT64_MAX, "\033[2J", "this one, " TMTRACE_VERSION ", reads those");
}

/* Single calls of another version are counted apart from what is damaged. */
static void test_other_calls(void **state)
{
	const struct call_batch_header newer = { .version = 99 },
				       damaged = { .version = 1, .n_calls = 7 };
	static const struct tm_call calls[3];
	struct recording_writer *writer;
	struct recording_state what;
	struct recording *recording;
	struct call_batch batch;
	struct sample sample;
	struct file file;
	struct error err;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	writer = new_writer(&file);
	start(writer, &sample);
	batch = (struct call_batch){
		.data = &newer, .size = sizeof(newer), .calls = calls, .n_calls = 3
	};
	assert_int_equal(recording_writer__calls(writer, &sample.run, &batch, &err), 0);
	batch.data = &damaged;
	assert_int_equal(recording_writer__calls(writer, &sample.run, &batch, &err), 0);
	put(writer, &sample, true);
	end(writer);

	recording = open_file(&file);
	recording__rewind(recording);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_CALLS);
	assert_int_equal(recording__calls(recording, &batch), -ENOTSUP);
	assert_int_equal(recording__next(recording, &err), RECORDING_STEP_CALLS);
	assert_int_equal(recording__calls(recording, &batch), -EBADMSG);
	recording__state(recording, &what);
	assert_int_equal(what.other_version, 1);
	assert_int_equal(what.unreadable, 1);
	recording__close(recording);
	remove_file(&file);
	sample__close(&sample);
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
		assert_int_equal(ring_writer__create(&ring, new_file(&bad), bad.path,
						     RECORDING_FILE_SIZE, &err),
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forgotten_series), cmocka_unit_test(test_not_readable),
		cmocka_unit_test(test_other_codings),	 cmocka_unit_test(test_other_calls),
		cmocka_unit_test(test_hostile_entries),
	};

	return cmocka_run_group_tests_name("recording_input", tests, NULL, NULL);
}

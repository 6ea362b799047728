// SPDX-License-Identifier: GPL-2.0-only
/* A ring-buffered file: what is put in comes out, however often it wraps. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ring_sample.h"

static void close_all(struct sample_file *file, struct ring_writer *writer,
		      struct ring_reader *reader)
{
	struct error err = { 0 };

	ring_reader__close(reader);
	if (ring_writer__close(writer, &err) < 0)
		fail_msg("%s", err.text);
	close(file->fd);
}

static void commit(struct ring_writer *writer)
{
	struct error err = { 0 };

	if (ring_writer__flush(writer, &err) < 0)
		fail_msg("%s", err.text);
}

static void state(struct ring_writer *writer, __u64 key, __u64 version, size_t size)
{
	struct error err = { 0 };

	if (sample_state(writer, key, version, size, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_round_trip(void **unused)
{
	struct sample_found found = { 0 };
	struct sample_file file;
	struct ring_writer *writer;
	struct ring_reader *reader;
	struct ring_info info;

	(void)unused;
	sample_file__make(&file);
	writer = sample_file__write(&file, 1 << 20);
	reader = sample_file__read(&file);
	sample_read(reader, &found);
	assert_int_equal(found.entries, 0);
	ring_reader__info(reader, &info);
	assert_int_equal(info.size, 1 << 20);
	assert_int_equal(info.n_blocks, 0);
	assert_false(info.cut);

	state(writer, 0, 1, 100);
	state(writer, 1, 1, 24);
	sample_events(writer, 0, 3, 25);
	state(writer, 0, 2, 3000);
	sample_events(writer, 3, 0, 24);
	commit(writer);
	commit(writer); /* nothing new: no block */
	sample_events(writer, 3, 5, 200);
	commit(writer);

	assert_int_equal(ring_reader__scan(reader, NULL), 0);
	sample_read(reader, &found);
	assert_int_equal(found.entries, 6);
	assert_int_equal(found.versions[0], 2);
	assert_int_equal(found.versions[1], 1);
	assert_int_equal(found.events, 8);
	ring_reader__info(reader, &info);
	assert_int_equal(info.n_blocks, 2);
	assert_true(info.created_ns <= info.first_ns && info.first_ns <= info.last_ns);

	ring_reader__rewind(reader);
	memset(&found, 0, sizeof(found));
	sample_read(reader, &found);
	assert_int_equal(found.entries, 6);
	assert_int_equal(found.losses.overwritten + found.losses.damaged + found.losses.dropped, 0);
	assert_false(found.losses.unfinished);
	close_all(&file, writer, reader);
}

/* States of all sizes, some of which never change again, and events, ten times around. */
static void wrap(size_t size, size_t state_max)
{
	__u64 seed = 88172645463325252ULL + size, versions[SAMPLE_KEYS] = { 0 }, events = 0;
	__u64 written = 0, version = 0, n_states = size / 4 / state_max;
	struct sample_found found = { 0 };
	struct sample_file file;
	struct ring_writer *writer;
	struct ring_reader *reader;

	if (n_states > SAMPLE_KEYS)
		n_states = SAMPLE_KEYS;
	sample_file__make(&file);
	writer = sample_file__write(&file, size);
	while (written < 10 * size) {
		/* The low keys often, the high ones hardly. */
		__u64 key = sample_random(&seed) % n_states * (sample_random(&seed) % 64) / 63;
		size_t bytes = 24 + sample_random(&seed) % (state_max - 40);

		state(writer, key, ++version, bytes);
		versions[key] = version;
		sample_events(writer, events, 10, 24 + sample_random(&seed) % 500);
		events += 10;
		written += bytes + 290;
		if (sample_random(&seed) % 16 == 0)
			commit(writer);
	}
	commit(writer);
	reader = sample_file__read(&file);
	sample_read(reader, &found);
	assert_memory_equal(found.versions, versions, sizeof(versions));
	/* The queue may be full for a moment. */
	assert_int_equal(found.losses.dropped, ring_writer__dropped(writer));
	assert_int_equal(found.losses.overwritten + found.losses.dropped + found.events, events);
	assert_int_equal(found.losses.damaged_blocks, 0);
	assert_true(found.events > 0 && found.events < events);
	close_all(&file, writer, reader);
}

static void test_wrap(void **unused)
{
	(void)unused;
	wrap(1 << 20, 1000);
	wrap(1 << 20, 20000);
	wrap(128 << 10, 3000);
	wrap((68 << 10) + 1, 300);
	wrap(300001, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

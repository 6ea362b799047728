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

/*
 * States of all sizes, some of which never change again, and events, ten times around. forget: also
 * some that are forgotten, and set again.
 */
static void wrap(size_t size, size_t state_max, bool forget)
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
		bool gone = forget && sample_random(&seed) % 3 == 0;

		if (gone)
			sample_forget(writer, key);
		else
			state(writer, key, ++version, bytes);
		versions[key] = gone ? 0 : version;
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
	wrap(1 << 20, 1000, false);
	wrap(1 << 20, 20000, false);
	wrap(128 << 10, 3000, false);
	wrap((68 << 10) + 1, 300, false);
	wrap(300001, 10000, false);
}

static void test_wrap_forgotten(void **unused)
{
	(void)unused;
	wrap(1 << 20, 1000, true);
	wrap(1 << 20, 20000, true);
	wrap(128 << 10, 3000, true);
	wrap((68 << 10) + 1, 300, true);
	wrap(300001, 10000, true);
}

/* What a reader finds who comes now. */
static struct sample_found find(const struct sample_file *file)
{
	struct ring_reader *reader = sample_file__read(file);
	struct sample_found found = { 0 };

	sample_read(reader, &found);
	ring_reader__close(reader);
	return found;
}

/* As many bytes of events as the ring has, in so many parts. */
static void write_lap(struct ring_writer *writer, size_t size, __u64 *events)
{
	for (size_t written = 0; written < size; written += 1024) {
		sample_events(writer, (*events)++, 1, 1000);
		if (*events % 4 == 0)
			commit(writer);
	}
	commit(writer);
}

/* A forgotten state is hidden as long as it could be read; then nothing is left of it. */
static void test_forget(void **unused)
{
	const size_t size = 256 << 10;
	struct sample_found found;
	struct ring_writer *writer;
	struct sample_file file;
	__u64 events = 0;

	(void)unused;
	sample_file__make(&file);
	writer = sample_file__write(&file, size);
	sample_forget(writer, 9); /* there is none */
	for (__u64 key = 0; key < 60; key++)
		state(writer, key, 1, 1000);
	commit(writer);
	for (__u64 key = 0; key < 60; key++)
		sample_forget(writer, key);
	sample_forget(writer, 3); /* it is forgotten already */
	/* Their quarter is free at once. */
	for (__u64 key = 100; key < 155; key++)
		state(writer, key, 1, 1000);
	commit(writer);
	found = find(&file);
	assert_int_equal(found.forgotten, 60);
	for (int lap = 0; lap < 4; lap++) {
		for (int part = 0; part < 8; part++) {
			write_lap(writer, size / 8, &events);
			found = find(&file);
			for (__u64 key = 0; key < SAMPLE_KEYS; key++)
				assert_int_equal(found.versions[key], key >= 100 && key < 155);
		}
	}
	assert_int_equal(found.forgotten, 0);
	state(writer, 3, 7, 100);
	commit(writer);
	assert_int_equal(find(&file).versions[3], 7);
	close_all(&file, writer, NULL);
}

static void let_go(struct ring_writer *writer, __u64 key)
{
	struct error err;

	assert_int_equal(ring_writer__let_go(writer, SAMPLE_STATE, key, &err), 0);
}

/* A state that was let go is found as long as anything that was there before; then it is gone. */
static void test_let_go(void **unused)
{
	const size_t size = 256 << 10;
	struct sample_found found;
	struct ring_writer *writer;
	struct sample_file file;
	__u64 events = 0, before;

	(void)unused;
	sample_file__make(&file);
	writer = sample_file__write(&file, size);
	let_go(writer, 9); /* there is none */
	for (__u64 key = 0; key < 60; key++)
		state(writer, key, 1, 1000);
	write_lap(writer, size / 2, &events);
	for (__u64 key = 0; key < 60; key++)
		let_go(writer, key);
	let_go(writer, 3); /* that is done already */
	before = events;
	/* Their quarter is free at once. */
	for (__u64 key = 100; key < 155; key++)
		state(writer, key, 1, 1000);
	for (int part = 0; part < 32; part++) {
		write_lap(writer, size / 16, &events);
		found = find(&file);
		for (__u64 key = 0; key < 60 && found.last - found.events < before; key++)
			assert_int_equal(found.versions[key], 1);
		for (__u64 key = 100; key < 155; key++)
			assert_int_equal(found.versions[key], 1);
	}
	assert_true(found.last - found.events > before);
	for (__u64 key = 0; key < 60; key++)
		assert_int_equal(found.versions[key], 0);
	state(writer, 3, 7, 100);
	commit(writer);
	assert_int_equal(find(&file).versions[3], 7);
	close_all(&file, writer, NULL);
}

/* Jobs that come and go, for months: many more than have room at once. */
static void test_come_and_go(void **unused)
{
	const __u64 jobs = 50000, alive = 16;
	struct sample_file file;
	struct ring_writer *writer;
	struct ring_reader *reader;
	struct ring_entry entry;
	struct error err = { 0 };
	__u64 there = 0;

	(void)unused;
	sample_file__make(&file);
	writer = sample_file__write(&file, 128 << 10);
	for (__u64 job = alive; job < jobs; job++) {
		state(writer, job, 1, 100);
		state(writer, job, 2, 200);
		assert_int_equal(ring_writer__forget(writer, SAMPLE_STATE, job - alive, &err), 0);
		if (job % 8 == 0)
			commit(writer);
	}
	commit(writer);
	reader = sample_file__read(&file);
	while (ring_reader__next(reader, &entry)) {
		if (!entry.forgotten)
			sample_check(&entry);
		there += !entry.copy && !entry.forgotten && entry.key >= jobs - alive;
		assert_true(entry.key > jobs - 4000);
	}
	assert_int_equal(there, 2 * alive);
	close_all(&file, writer, reader);
}

/* States that fill their quarter to the last, in one stretch, and then only events for long. */
static void crowd(size_t size, size_t state_size)
{
	__u64 n = 0, events = 0, versions[SAMPLE_KEYS] = { 0 };
	struct sample_found found = { 0 };
	struct sample_file file;
	struct ring_writer *writer;
	struct ring_reader *reader;
	struct error err = { 0 };

	sample_file__make(&file);
	writer = sample_file__write(&file, size);
	while (n < SAMPLE_KEYS && sample_state(writer, n, 1, state_size, &err) == 0)
		versions[n++] = 1;
	assert_true(n == SAMPLE_KEYS || err.code == -ENOSPC);
	for (size_t written = 0; written < 10 * size; written += 1000) {
		sample_events(writer, events++, 1, 1000);
		if (events % 64 == 0) {
			/* What is there can change. */
			versions[events % n] = events;
			state(writer, events % n, events, state_size);
		}
		if (events % 4 == 0)
			commit(writer);
	}
	commit(writer);
	reader = sample_file__read(&file);
	sample_read(reader, &found);
	assert_memory_equal(found.versions, versions, sizeof(versions));
	assert_int_equal(found.losses.overwritten + found.losses.dropped + found.events, events);
	close_all(&file, writer, reader);
}

static void test_crowded(void **unused)
{
	(void)unused;
	crowd(RING_FILE_MIN, 24);
	crowd(RING_FILE_MIN, 1000);
	crowd(RING_FILE_MIN, 4000);
	crowd(300000, 8100); /* of two a block, and nothing beside */
	crowd(300000, 5000); /* of one */
	crowd(1 << 20, 1024);
}

/* The text says a size that does. */
static void test_too_small(void **unused)
{
	struct sample_file file;
	struct ring_writer *writer;
	struct error err = { 0 };
	const char *would;
	__u64 n = 0, mib;

	(void)unused;
	sample_file__make(&file);
	writer = sample_file__write(&file, 128 << 10);
	while (sample_state(writer, n, 1, 1000, &err) == 0)
		n++;
	assert_int_equal(err.code, -ENOSPC);
	assert_in_range(n, 128 / 4 - 4, 128 / 4);
	would = strstr(err.text, " MiB would do");
	assert_non_null(would);
	while (would[-1] >= '0' && would[-1] <= '9')
		would--;
	mib = strtoull(would, NULL, 10);
	/* Those that are there can change all the same. */
	state(writer, 0, 2, 1000);
	close_all(&file, writer, NULL);

	sample_file__make(&file);
	writer = sample_file__write(&file, mib << 20);
	for (__u64 key = 0; key <= n; key++)
		state(writer, key, 1, 1000);
	close_all(&file, writer, NULL);
}

static void test_too_large(void **unused)
{
	struct sample_file file;
	struct ring_writer *writer;
	struct error err = { 0 };
	size_t most;

	(void)unused;
	sample_file__make(&file);
	writer = sample_file__write(&file, 64 << 20);
	most = ring_writer__entry_max(writer);
	assert_in_range(most, 255 << 10, 256 << 10);
	close_all(&file, writer, NULL);

	sample_file__make(&file);
	writer = sample_file__write(&file, 512 << 10);
	most = ring_writer__entry_max(writer);
	state(writer, 1, 1, most);
	assert_int_equal(sample_state(writer, 1, 2, most + 1, &err), -E2BIG);
	assert_non_null(strstr(err.text, "too large"));
	sample_events(writer, 0, 1, most);
	state(writer, 1, 2, 100);
	close_all(&file, writer, NULL);
}

/* More events than a number in a block's header takes. */
static void test_many_events(void **unused)
{
	struct sample_file file;
	struct ring_writer *writer;
	struct ring_reader *reader;
	struct sample_found found = { 0 };

	(void)unused;
	sample_file__make(&file);
	writer = sample_file__write(&file, 512 << 10);
	sample_events(writer, 0, UINT32_MAX, 100);
	sample_events(writer, UINT32_MAX, UINT32_MAX, 100);
	sample_events(writer, 2ULL * UINT32_MAX, 1, 100);
	commit(writer);
	reader = sample_file__read(&file);
	sample_read(reader, &found);
	assert_int_equal(found.events, 2ULL * UINT32_MAX + 1);
	assert_int_equal(found.losses.damaged, 0);
	close_all(&file, writer, reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_wrap_forgotten), cmocka_unit_test(test_forget),
		cmocka_unit_test(test_let_go),	       cmocka_unit_test(test_come_and_go),
		cmocka_unit_test(test_crowded),	       cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_too_large),      cmocka_unit_test(test_many_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

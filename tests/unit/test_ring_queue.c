// SPDX-License-Identifier: GPL-2.0-only
/* A ring on a disk that is slow, full or broken. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ring_sample.h"
#include "ring_disk.h"
#include "ring/ring_queue.h"

#define FILE_SIZE (4 << 20)

static int setup(void **state)
{
	struct sample_file *file = malloc(sizeof(*file));

	assert_non_null(file);
	disk__reset();
	sample_file__make(file);
	*state = file;
	return 0;
}

static int teardown(void **state)
{
	struct sample_file *file = *state;

	close(file->fd);
	free(file);
	disk__reset();
	return 0;
}

/* Writes so many events, 100 in each entry. */
static void put_events(struct ring_writer *writer, __u64 n)
{
	for (__u64 i = 0; i < n; i += 100)
		sample_events(writer, i, 100, 6400);
}

/* Nothing waits for a disk that does nothing; what does not fit into the queue is counted. */
static void test_held_disk(void **state)
{
	struct ring_writer *writer = sample_file__write(*state, FILE_SIZE);
	struct sample_found found = { 0 };
	struct ring_reader *reader;
	struct error err = { 0 };
	__u64 dropped;

	disk__set(&disk.holding_writes, true);
	for (__u64 key = 0; key < 8; key++)
		assert_int_equal(sample_state(writer, key, 1, 100, &err), 0);
	put_events(writer, 200000);
	assert_int_equal(ring_writer__commit(writer, &err), 0);
	dropped = ring_writer__dropped(writer);
	/* 32 blocks wait, of less than 256 KiB. */
	assert_in_range(dropped, 200000 - RING_QUEUE_BLOCKS * 4096, 200000 - 100);
	disk__set(&disk.holding_writes, false);
	assert_int_equal(ring_writer__flush(writer, &err), 0);
	assert_int_equal(ring_writer__dropped(writer), dropped);

	reader = sample_file__read(*state);
	sample_read(reader, &found);
	assert_int_equal(found.losses.dropped, dropped);
	assert_int_equal(found.losses.dropped + found.losses.overwritten + found.events, 200000);
	assert_int_equal(found.losses.damaged, 0);
	for (size_t key = 0; key < 8; key++)
		assert_int_equal(found.versions[key], 1);
	ring_reader__close(reader);
	assert_int_equal(ring_writer__close(writer, &err), 0);
}

/* Dropped at the very end: the file says it, though no entry comes any more. */
static void test_dropped_last(void **state)
{
	struct ring_writer *writer = sample_file__write(*state, FILE_SIZE);
	struct sample_found found = { 0 };
	struct ring_reader *reader;
	struct error err = { 0 };

	disk__set(&disk.holding_writes, true);
	put_events(writer, 200000);
	disk__set(&disk.holding_writes, false);
	assert_int_equal(ring_writer__close(writer, &err), 0);
	reader = sample_file__read(*state);
	sample_read(reader, &found);
	assert_true(found.losses.dropped > 0);
	assert_int_equal(found.losses.dropped + found.losses.overwritten + found.events, 200000);
	ring_reader__close(reader);
}

/* Writing goes on while a sync takes long, up to where it would overwrite what is not synced. */
static void test_held_sync(void **state)
{
	size_t size = 256 << 10;
	struct ring_writer *writer = sample_file__write(*state, size);
	struct sample_found found = { 0 };
	struct ring_reader *reader;
	struct error err = { 0 };
	__u64 events = 0;

	disk__set(&disk.holding_syncs, true);
	assert_int_equal(sample_state(writer, 3, 1, 100, &err), 0);
	for (size_t written = 0; written < size / 2; written += 1024, events++)
		sample_events(writer, events, 1, 1000);
	assert_int_equal(ring_writer__flush(writer, &err), 0);
	disk__await(&disk.syncs, 1);
	/* Two more rings, which cannot all be there: the state is in the first block. */
	for (size_t written = 0; written < 2 * size; written += 1024, events++)
		sample_events(writer, events, 1, 1000);
	assert_int_equal(ring_writer__commit(writer, &err), 0);
	reader = sample_file__read(*state);
	sample_read(reader, &found);
	assert_int_equal(found.versions[3], 1);
	assert_int_equal(found.losses.overwritten, 0);
	ring_reader__close(reader);

	disk__set(&disk.holding_syncs, false);
	assert_int_equal(ring_writer__flush(writer, &err), 0);
	assert_int_equal(ring_writer__close(writer, &err), 0);
	memset(&found, 0, sizeof(found));
	reader = sample_file__read(*state);
	sample_read(reader, &found);
	assert_int_equal(found.versions[3], 1);
	assert_int_equal(found.losses.dropped + found.losses.overwritten + found.events, events);
	ring_reader__close(reader);
}

static void expect_error(struct ring_writer *writer, int code, const char *text)
{
	struct error err = { 0 };

	assert_int_equal(ring_writer__flush(writer, &err), code);
	assert_non_null(strstr(err.text, text));
	assert_int_equal(sample_state(writer, 1, 1, 100, &err), code);
	assert_int_equal(ring_writer__close(writer, &err), code);
	assert_non_null(strstr(err.text, text));
}

/* The error of the disk is that of every call afterwards; nothing hangs. */
static void test_broken_disk(void **state)
{
	struct ring_writer *writer = sample_file__write(*state, FILE_SIZE);
	struct error err = { 0 };

	assert_int_equal(sample_state(writer, 1, 1, 100, &err), 0);
	disk.write_error = EIO;
	expect_error(writer, -EIO, "cannot be written");
}

static void test_broken_sync(void **state)
{
	struct ring_writer *writer = sample_file__write(*state, 256 << 10);
	struct error err = { 0 };

	disk.sync_error = ENOSPC; /* as file systems say it that allocate late */
	disk__set(&disk.holding_syncs, true);
	for (int i = 0; i < 100; i++)
		sample_events(writer, 0, 1, 1000);
	assert_int_equal(ring_writer__flush(writer, &err), 0);
	disk__set(&disk.holding_syncs, false);
	assert_int_equal(ring_writer__close(writer, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "brought to the disk"));
}

/* Writes that end early are continued. */
static void test_short_writes(void **state)
{
	struct ring_writer *writer = sample_file__write(*state, FILE_SIZE);
	struct sample_found found = { 0 };
	struct ring_reader *reader;
	struct error err = { 0 };

	disk.write_most = 777;
	put_events(writer, 2000);
	assert_int_equal(ring_writer__close(writer, &err), 0);
	reader = sample_file__read(*state);
	sample_read(reader, &found);
	assert_int_equal(found.events, 2000);
	ring_reader__close(reader);
}

static void expect_full(const struct sample_file *file, int code, int error, const char *text)
{
	struct ring_writer *writer = NULL;
	struct error err = { 0 };

	disk.allocate_error = error;
	assert_int_equal(ring_writer__create(&writer, file->fd, file->path, FILE_SIZE, &err), code);
	assert_non_null(strstr(err.text, text));
	assert_int_equal(lseek(file->fd, 0, SEEK_END), 0);
}

/* A full disk is an error at the beginning, and nothing is left of the file. */
static void test_full_disk(void **state)
{
	expect_full(*state, -ENOSPC, ENOSPC, "no room for 4 MiB");
	expect_full(*state, -EDQUOT, EDQUOT, "no room for 4 MiB");
	expect_full(*state, -EFBIG, EFBIG, "no room for 4 MiB");
	expect_full(*state, -EIO, EIO, "cannot be given its size");
	disk.write_error = ENOSPC; /* there is no fallocate, and the zeros do not fit */
	expect_full(*state, -ENOSPC, EOPNOTSUPP, "no room for 4 MiB");
}

/* Where a file system cannot allocate, zeros are written. */
static void test_no_fallocate(void **state)
{
	struct ring_writer *writer;
	struct error err = { 0 };

	disk.allocate_error = EOPNOTSUPP;
	writer = sample_file__write(*state, FILE_SIZE);
	assert_true(disk.writes >= FILE_SIZE >> 20);
	put_events(writer, 100);
	assert_int_equal(ring_writer__close(writer, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_held_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dropped_last, setup, teardown),
		cmocka_unit_test_setup_teardown(test_held_sync, setup, teardown),
		cmocka_unit_test_setup_teardown(test_broken_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_broken_sync, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short_writes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_fallocate, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* A ring-buffered file that was cut, or has bits flipped: all that is intact comes out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ring_sample.h"
#include "ring/ring_file.h"

#define COPIES	   10000
#define FILE_SIZE  (RING_FILE_MIN + 4 * RING_UNIT)
#define BLOCKS_MAX (FILE_SIZE / RING_UNIT)

/* A block of the file as it was written. */
struct known {
	struct ring_place place;
	size_t at;  /* in the file */
	size_t end; /* of its entries, in the file */
	bool intact;
};

struct world {
	struct sample_file file;
	unsigned char bytes[FILE_SIZE];
	struct known known[BLOCKS_MAX]; /* by sequence */
	size_t n;
	__u64 events;
};

static int by_sequence(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->place.sequence > y->place.sequence) - (x->place.sequence < y->place.sequence);
}

/* Writes so many tenths of the file, with blocks of one and two units. */
static void write_tenths(struct world *world, int tenths)
{
	struct ring_writer *writer = sample_file__write(&world->file, FILE_SIZE);
	__u64 seed = 88172645463325252ULL;
	struct error err = { 0 };
	size_t written = 0;

	for (__u64 i = 0; written < (size_t)tenths * FILE_SIZE / 10; i++) {
		size_t size = 24 + sample_random(&seed) % 600;
		size_t n = 1 + sample_random(&seed) % 12;

		if (sample_state(writer, i % 16, i + 1, 24 + i % 16 * 8, &err) < 0)
			fail_msg("%s", err.text);
		if (i % 5 == 4)
			sample_forget(writer, i * 7 % 16);
		for (size_t j = 0; j < n; j++, world->events += 7)
			sample_events(writer, world->events, 7, size);
		if (ring_writer__flush(writer, &err) < 0)
			fail_msg("%s", err.text);
		written += ring_block__size(n * size);
	}
	assert_int_equal(ring_writer__dropped(writer), 0);
	assert_int_equal(ring_writer__close(writer, &err), 0);
}

static void find_blocks(struct world *world)
{
	struct ring_layout layout = { 0 };
	struct ring_file_header header;
	struct ring_place place;

	memcpy(&header, world->bytes, sizeof(header));
	memcpy(layout.id, header.id, sizeof(layout.id));
	layout.ring_size = header.ring_size;
	layout.block_max = header.block_max;
	for (size_t at = RING_HEADER_SIZE; at < FILE_SIZE; at += RING_UNIT) {
		if (!ring_block__is_plausible(world->bytes + at, &layout, at - RING_HEADER_SIZE,
					      &place) ||
		    !ring_block__is_intact(world->bytes + at, &place))
			continue;
		world->known[world->n++] = (struct known){
			.place = place,
			.at = at,
			.end = at + sizeof(struct ring_block_header) + place.length,
		};
	}
	qsort(world->known, world->n, sizeof(*world->known), by_sequence);
}

static struct world *make_world(int tenths)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	sample_file__make(&world->file);
	write_tenths(world, tenths);
	assert_int_equal(pread(world->file.fd, world->bytes, FILE_SIZE, 0), FILE_SIZE);
	find_blocks(world);
	assert_true(world->n > 5);
	return world;
}

static void free_world(struct world *world)
{
	close(world->file.fd);
	free(world);
}

/* Everything of a block comes out of the reader, as it was written. */
static __u64 compare_block(const struct world *world, const struct known *known,
			   struct ring_reader *reader)
{
	struct ring_entry entry, wanted;
	size_t at = 0;

	while (ring_block__next(world->bytes + known->at, known->place.length, &at, &wanted)) {
		assert_int_equal(ring_reader__next(reader, &entry), 1);
		assert_int_equal(entry.sequence, known->place.sequence);
		assert_int_equal(entry.key, wanted.key);
		assert_int_equal(entry.size, wanted.size);
		assert_memory_equal(entry.data, wanted.data, wanted.size);
	}
	return known->place.n_events;
}

/* Of the blocks, exactly those that are intact come out; no event is lost without being told. */
static void compare(const struct world *world)
{
	struct ring_reader *reader = sample_file__read(&world->file);
	const struct known *newest = NULL;
	struct ring_losses losses;
	struct ring_entry entry;
	__u64 events = 0, end = 0;

	for (size_t i = 0; i < world->n; i++)
		if (world->known[i].intact)
			newest = &world->known[i];
	if (newest)
		end = newest->place.offset + ring_block__size(newest->place.length);
	for (size_t i = 0; i < world->n; i++) {
		const struct known *known = &world->known[i];

		if (known->intact && known->place.offset + FILE_SIZE - RING_HEADER_SIZE >= end)
			events += compare_block(world, known, reader);
	}
	assert_int_equal(ring_reader__next(reader, &entry), 0);
	ring_reader__losses(reader, &losses);
	assert_int_equal(events + losses.overwritten + losses.damaged,
			 newest ? newest->place.events_before + newest->place.n_events : 0);
	ring_reader__close(reader);
}

/* Shorter and shorter, byte by byte over two blocks that are side by side in the file. */
static void cut_over(struct world *world, const struct known *first, const struct known *second)
{
	size_t from = first->at < second->at ? first->at : second->at;
	size_t to = first->at < second->at ? second->end : first->end;

	for (size_t length = to + 8; length + 8 > from; length--) {
		assert_int_equal(ftruncate(world->file.fd, (off_t)length), 0);
		for (size_t i = 0; i < world->n; i++)
			world->known[i].intact = world->known[i].end <= length;
		compare(world);
	}
	assert_int_equal(pwrite(world->file.fd, world->bytes, FILE_SIZE, 0), FILE_SIZE);
}

static void cut(int tenths)
{
	struct world *world = make_world(tenths);
	const struct known *last[2] = { &world->known[0], &world->known[0] };
	const struct known *newest = &world->known[world->n - 1];

	for (size_t i = 0; i < world->n; i++)
		world->known[i].intact = true;
	compare(world);
	for (size_t i = 1; i < world->n; i++) {
		if (world->known[i].at > last[0]->at) {
			last[1] = last[0];
			last[0] = &world->known[i];
		} else if (world->known[i].at > last[1]->at) {
			last[1] = &world->known[i];
		}
	}
	cut_over(world, last[1], last[0]);
	if (last[0] != newest && newest[-1].at < newest->at)
		cut_over(world, &newest[-1], newest);
	free_world(world);
}

/* At every byte of the last two blocks of a file that is half full. */
static void test_cut(void **unused)
{
	(void)unused;
	cut(5);
}

/* The same where it has wrapped: the last two of the file, and the newest two. */
static void test_cut_wrapped(void **unused)
{
	(void)unused;
	cut(103);
}

/* Flips a bit of the file and notes what that damages. */
static void flip(struct world *world, unsigned char *bytes, __u64 bit, bool headers[2])
{
	size_t at = bit / 8;

	bytes[at] ^= (unsigned char)(1U << bit % 8);
	for (int i = 0; i < 2; i++)
		if (at >= i * RING_SECOND_HEADER &&
		    at < i * RING_SECOND_HEADER + sizeof(struct ring_file_header))
			headers[i] = true;
	for (size_t i = 0; i < world->n; i++)
		if (at >= world->known[i].at && at < world->known[i].end)
			world->known[i].intact = false;
}

static void expect_no_header(const struct world *world)
{
	struct ring_reader *reader = NULL;
	struct error err = { 0 };

	assert_int_not_equal(ring_reader__open(&reader, world->file.path, &err), 0);
	assert_true(err.code == -EBADMSG || err.code == -EINVAL);
	assert_true(err.text[0]);
}

/* 1 to 32 bits anywhere, in so many copies. */
static void test_flips(void **unused)
{
	struct world *world = make_world(103);
	unsigned char *bytes = malloc(FILE_SIZE);
	__u64 seed = 123456789;

	(void)unused;
	assert_non_null(bytes);
	for (int copy = 0; copy < COPIES; copy++) {
		bool headers[2] = { false, false };

		memcpy(bytes, world->bytes, FILE_SIZE);
		for (size_t i = 0; i < world->n; i++)
			world->known[i].intact = true;
		for (__u64 n = 1 + sample_random(&seed) % 32; n; n--) {
			__u64 bit = sample_random(&seed) % (FILE_SIZE * 8ULL);

			/* Not the same one back. */
			if (!((bytes[bit / 8] ^ world->bytes[bit / 8]) >> bit % 8 & 1))
				flip(world, bytes, bit, headers);
		}
		assert_int_equal(pwrite(world->file.fd, bytes, FILE_SIZE, 0), FILE_SIZE);
		if (headers[0] && headers[1])
			expect_no_header(world);
		else
			compare(world);
	}
	free(bytes);
	free_world(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_wrapped),
		cmocka_unit_test(test_flips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

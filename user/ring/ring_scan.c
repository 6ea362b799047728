// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "ring/ring_scan.h"

#define TRIES 4

int ring_scan__init(struct ring_scan *scan)
{
	scan->buffer = malloc(scan->layout.block_max);
	return scan->buffer ? 0 : -ENOMEM;
}

void ring_scan__free(struct ring_scan *scan)
{
	free(scan->buffer);
	free(scan->places);
}

static __u64 end_of(const struct ring_place *place)
{
	return place->offset + ring_block__size(place->length);
}

__u64 ring_scan__end(const struct ring_scan *scan)
{
	return scan->n ? end_of(&scan->places[scan->n - 1]) : 0;
}

bool ring_scan__is_unfinished(const struct ring_scan *scan)
{
	return scan->parts > ring_scan__end(scan);
}

/* Reads into the buffer from a position in the ring; false where there are not so many bytes. */
static bool read_at(const struct ring_scan *scan, __u64 position, size_t from, size_t to)
{
	while (from < to) {
		ssize_t n = pread(scan->fd, scan->buffer + from, to - from,
				  (off_t)(RING_HEADER_SIZE + position + from));

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0)
			from += (size_t)n;
	}
	return true;
}

enum found { FOUND_NOTHING, FOUND_PARTS, FOUND_BLOCK };

/* What begins at a position: a block, intact or not, or something else. */
static enum found look_at(const struct ring_scan *scan, __u64 position, struct ring_place *place)
{
	size_t header = sizeof(struct ring_block_header);

	if (!read_at(scan, position, 0, header) ||
	    !ring_block__is_plausible(scan->buffer, &scan->layout, position, place))
		return FOUND_NOTHING;
	if (!read_at(scan, position, header, header + place->length) ||
	    !ring_block__is_intact(scan->buffer, place))
		return FOUND_PARTS;
	return FOUND_BLOCK;
}

bool ring_scan__load(struct ring_scan *scan, const struct ring_place *place)
{
	struct ring_place there;

	return look_at(scan, place->offset % scan->layout.ring_size, &there) == FOUND_BLOCK &&
	       there.offset == place->offset && there.sequence == place->sequence;
}

/* The places that a search finds. */
struct finds {
	struct ring_place *places;
	size_t n, room;
	__u64 parts; /* as in struct ring_scan */
};

static int add_place(struct finds *finds, const struct ring_place *place)
{
	if (array__grow((void **)&finds->places, &finds->room, finds->n, sizeof(*place)) < 0)
		return -ENOMEM;
	finds->places[finds->n++] = *place;
	return 0;
}

/* From where on there may be something again: what was never written is a hole. */
static __u64 skip_hole(const struct ring_scan *scan, __u64 position)
{
	static const unsigned char nothing[sizeof(struct ring_block_header)];
	__u64 next = position + RING_UNIT;
	off_t data;

	if (memcmp(scan->buffer, nothing, sizeof(nothing)) != 0)
		return next;
	data = lseek(scan->fd, (off_t)(RING_HEADER_SIZE + next), SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? scan->layout.ring_size : next;
	data = (data - RING_HEADER_SIZE) / RING_UNIT * RING_UNIT;
	return (__u64)data > next ? (__u64)data : next;
}

/* Adds the blocks that lie in a part of the ring and whose offsets are from `least` to `most`. */
static int search(const struct ring_scan *scan, __u64 position, __u64 until, __u64 least,
		  __u64 most, struct finds *finds)
{
	struct ring_place place;
	int ret;

	while (position < until) {
		memset(scan->buffer, 0, sizeof(struct ring_block_header));
		switch (look_at(scan, position, &place)) {
		case FOUND_BLOCK:
			position += ring_block__size(place.length);
			if (place.offset < least || place.offset > most)
				break;
			ret = add_place(finds, &place);
			if (ret < 0)
				return ret;
			break;
		case FOUND_PARTS:
			if (finds->parts <= place.offset)
				finds->parts = place.offset + 1;
			position += RING_UNIT;
			break;
		default:
			position = skip_hole(scan, position);
		}
	}
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct ring_place *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* In order, each once, and without what the newest one has overwritten. */
static void put_in_order(const struct ring_scan *scan, struct finds *finds)
{
	size_t n = 0;
	__u64 end;

	if (!finds->n)
		return;
	qsort(finds->places, finds->n, sizeof(*finds->places), by_offset);
	end = end_of(&finds->places[finds->n - 1]);
	for (size_t i = 0; i < finds->n; i++) {
		const struct ring_place *place = &finds->places[i];

		if (place->offset + scan->layout.ring_size >= end &&
		    (!n || place->offset > finds->places[n - 1].offset))
			finds->places[n++] = *place;
	}
	finds->n = n;
}

/* The same for offsets that may go on at the ring's begin. */
static int search_between(const struct ring_scan *scan, __u64 from, __u64 to, struct finds *finds)
{
	__u64 size = scan->layout.ring_size, begin = from % size;
	__u64 first = to - from < size - begin ? to - from : size - begin;
	int ret = search(scan, begin, begin + first, from, to, finds);

	if (ret == 0 && first < to - from)
		ret = search(scan, 0, to - from - first, from, to, finds);
	return ret;
}

/*
 * Where a writer has overtaken the search, blocks are missing that are there: what comes before a
 * block was written before it.
 */
static int fill_gaps(const struct ring_scan *scan, struct finds *finds)
{
	__u64 size = scan->layout.ring_size, from = 0, sequence = 0;
	size_t n = finds->n;
	int ret = 0;

	if (n && end_of(&finds->places[n - 1]) > size)
		from = end_of(&finds->places[n - 1]) - size;
	for (size_t i = 0; i < n && ret == 0; i++) {
		const struct ring_place place = finds->places[i];

		if (from < place.offset && sequence + 1 != place.sequence)
			ret = search_between(scan, from, place.offset, finds);
		from = end_of(&place);
		sequence = place.sequence;
	}
	if (ret == 0 && finds->n > n)
		put_in_order(scan, finds);
	return ret;
}

static int search_all(struct ring_scan *scan)
{
	struct finds finds = { 0 };
	int ret = search(scan, 0, scan->layout.ring_size, 0, ~0ULL, &finds);

	if (ret == 0) {
		put_in_order(scan, &finds);
		ret = fill_gaps(scan, &finds);
	}
	if (ret < 0) {
		free(finds.places);
		return ret;
	}
	free(scan->places);
	scan->places = finds.places;
	scan->n = finds.n;
	scan->room = finds.room;
	scan->parts = finds.parts;
	return 0;
}

/* The block behind the newest one, which is there or at the ring's begin. */
static bool find_next(const struct ring_scan *scan, struct ring_place *place)
{
	__u64 size = scan->layout.ring_size, end = ring_scan__end(scan);
	__u64 sequence = scan->places[scan->n - 1].sequence + 1;

	if (look_at(scan, end % size, place) == FOUND_BLOCK && place->offset == end &&
	    place->sequence == sequence)
		return true;
	return end % size && look_at(scan, 0, place) == FOUND_BLOCK &&
	       place->offset == end + size - end % size && place->sequence == sequence;
}

/* Adds what follows the newest block. */
static int follow(struct ring_scan *scan)
{
	struct ring_place place;
	int ret = 0;

	while (ret == 0 && find_next(scan, &place)) {
		struct finds finds = { scan->places, scan->n, scan->room };

		ret = add_place(&finds, &place);
		scan->places = finds.places;
		scan->n = finds.n;
		scan->room = finds.room;
	}
	return ret;
}

int ring_scan__update(struct ring_scan *scan)
{
	int ret;

	scan->overrun = false;
	for (int tries = 0; tries < TRIES; tries++) {
		ret = scan->n ? follow(scan) : 0;
		if (ret < 0 || (scan->n && ring_scan__load(scan, &scan->places[scan->n - 1])))
			return ret;
		ret = search_all(scan);
		if (ret < 0 || !scan->n)
			return ret;
	}
	scan->overrun = true;
	return 0;
}

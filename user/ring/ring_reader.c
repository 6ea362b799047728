// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/less.h"
#include "ring/ring_file.h"
#include "ring/ring_reader.h"
#include "ring/ring_scan.h"

struct ring_reader {
	char *path;
	struct ring_info info;
	struct ring_scan scan;

	size_t next;	      /* place of the next block to load */
	__u64 from;	      /* its offset is not below */
	unsigned char *bytes; /* of the block that is being read */
	struct ring_place block;
	size_t at;	/* byte of its entries; none are left at its length */
	bool overtaken; /* a block behind this one is overwritten since it was found */

	__u64 sequence; /* the last block's */
	__u64 events;	/* up to its end */
	struct ring_losses losses;
};

int ring_reader__open(struct ring_reader **out, const char *path, struct error *err)
{
	struct ring_reader *reader = calloc(1, sizeof(*reader));
	struct ring_file_header header;
	__u64 size;
	int ret = -ENOMEM;

	if (!reader)
		return error__set(err, ret, "%s: out of memory", path);
	/* A FIFO must not block, a terminal not become ours. */
	reader->scan.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (reader->scan.fd < 0) {
		ret = error__set(err, -errno, "%s: cannot be opened, %s", path, strerror(errno));
		goto out;
	}
	ret = ring_file__read_header(reader->scan.fd, path, &header, &size, err);
	if (ret < 0)
		goto out;
	reader->scan.layout.ring_size = le64toh(header.ring_size);
	reader->scan.layout.block_max = le32toh(header.block_max);
	memcpy(reader->scan.layout.id, header.id, sizeof(reader->scan.layout.id));
	reader->info.version = le32toh(header.version);
	reader->info.size = RING_HEADER_SIZE + le64toh(header.ring_size);
	reader->info.created_ns = le64toh(header.created_ns);
	reader->info.cut = size < reader->info.size;
	memcpy(reader->info.id, header.id, sizeof(reader->info.id));
	reader->path = strdup(path);
	reader->bytes = malloc(reader->scan.layout.block_max);
	ret = reader->path && reader->bytes ? ring_scan__init(&reader->scan) : -ENOMEM;
	if (ret < 0)
		error__set(err, ret, "%s: out of memory", path);
out:
	if (ret < 0)
		ring_reader__close(reader);
	else
		*out = reader;
	return ret;
}

void ring_reader__close(struct ring_reader *reader)
{
	if (!reader)
		return;
	if (reader->scan.fd >= 0)
		close(reader->scan.fd);
	ring_scan__free(&reader->scan);
	free(reader->bytes);
	free(reader->path);
	free(reader);
}

int ring_reader__scan(struct ring_reader *reader, struct error *err)
{
	const struct ring_scan *scan = &reader->scan;
	int ret = ring_scan__update(&reader->scan);

	if (ret < 0)
		return error__set(err, ret, "%s: out of memory", reader->path);
	reader->info.n_blocks = scan->n;
	reader->info.first_ns = scan->n ? scan->places[0].time_ns : 0;
	reader->info.last_ns = scan->n ? scan->places[scan->n - 1].time_ns : 0;
	for (reader->next = 0; reader->next < scan->n; reader->next++)
		if (scan->places[reader->next].offset >= reader->from)
			break;
	return 0;
}

/*
 * What is missing between the last block and this one. It was overwritten where the newest block
 * is a ring's length on, also by one that is being written; else it is damaged.
 */
static void account(struct ring_reader *reader, const struct ring_place *place)
{
	__u64 size = reader->scan.layout.ring_size;
	__u64 end = ring_scan__end(&reader->scan) + reader->scan.layout.block_max;
	__u64 events = less(place->events_before, reader->events);
	__u64 blocks = less(place->sequence, reader->sequence + 1);
	bool first = !reader->sequence;

	if (!blocks)
		events = 0;
	if (reader->overtaken || reader->scan.overrun || place->offset + size <= end ||
	    (first && end > size)) {
		reader->losses.overwritten += events;
	} else {
		reader->losses.damaged += events;
		reader->losses.damaged_blocks += blocks;
	}
	reader->losses.dropped = place->events_dropped;
	reader->sequence = place->sequence;
	reader->events = place->events_before + place->n_events;
	reader->overtaken = false;
}

/* Takes the block that was just loaded. */
static void take_block(struct ring_reader *reader, const struct ring_place *place)
{
	unsigned char *loaded = reader->scan.buffer;

	reader->scan.buffer = reader->bytes;
	reader->bytes = loaded;
	reader->block = *place;
	reader->at = 0;
}

/* Goes to the next block that is still there. */
static bool next_block(struct ring_reader *reader)
{
	while (reader->next < reader->scan.n) {
		const struct ring_place *place = &reader->scan.places[reader->next++];

		reader->from = place->offset + 1;
		if (ring_scan__load(&reader->scan, place)) {
			account(reader, place);
			take_block(reader, place);
			return true;
		}
		reader->overtaken = true;
	}
	return false;
}

int ring_reader__next(struct ring_reader *reader, struct ring_entry *out)
{
	while (!ring_block__next(reader->bytes, reader->block.length, &reader->at, out))
		if (!next_block(reader))
			return 0;
	out->sequence = reader->block.sequence;
	out->time_ns = reader->block.time_ns;
	return 1;
}

void ring_reader__rewind(struct ring_reader *reader)
{
	reader->next = 0;
	reader->from = 0;
	reader->block = (struct ring_place){ 0 };
	reader->at = 0;
	reader->overtaken = false;
	reader->sequence = 0;
	reader->events = 0;
	reader->losses = (struct ring_losses){ 0 };
}

void ring_reader__losses(const struct ring_reader *reader, struct ring_losses *out)
{
	*out = reader->losses;
	out->unfinished = ring_scan__is_unfinished(&reader->scan);
}

void ring_reader__info(const struct ring_reader *reader, struct ring_info *out)
{
	*out = reader->info;
}

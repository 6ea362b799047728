// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as a ring-buffered file. Of an input that begins with 0 the rest is
 * the file; with 1, what a writer is told, whose states must come out; of others it describes
 * blocks, which get the right checksums, so that what is behind them is reached.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memfd_create
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/ring_block.h"
#include "ring/ring_file.h"
#include "ring/ring_reader.h"
#include "ring/ring_writer.h"

#define UNITS	  32
#define RING_SIZE (UNITS * RING_UNIT)

/* A block in the input; then as many bytes of entries as there are. */
struct described {
	__u8 unit; /* where it is */
	__u8 lap;  /* how often the ring went around */
	__u8 sequence;
	__u16 length; /* bytes of entries */
	__u16 n_events;
	__u8 mends; /* bits: the checksum, the number of events, the offset are mended */
};

/* How many events an intact block of these entries would have. */
static __u32 count_events(const unsigned char *block, size_t length)
{
	struct ring_entry entry;
	__u32 n = 0;
	size_t at = 0;

	while (ring_block__next(block, length, &at, &entry))
		n += entry.n_events;
	return n;
}

static void put_block(unsigned char *ring, const struct ring_file_header *header,
		      const struct described *described, const unsigned char *entries, size_t n)
{
	size_t at = described->unit % UNITS * RING_UNIT;
	struct ring_block_header block = {
		.magic = RING_BLOCK_MAGIC,
		.sequence = described->sequence,
		.offset = at + (__u64)described->lap * RING_SIZE,
		.events_before = described->n_events,
		.length = described->length,
		.n_events = described->n_events,
	};

	memcpy(block.id, header->id, sizeof(block.id));
	if (described->mends & 4)
		block.length = (__u32)n;
	if (n > RING_SIZE - at - sizeof(block))
		n = RING_SIZE - at - sizeof(block);
	if (block.length > RING_SIZE - at - sizeof(block))
		block.length = (__u32)n;
	memcpy(ring + at, &block, sizeof(block));
	memcpy(ring + at + sizeof(block), entries, n);
	if (described->mends & 2) {
		block.n_events = count_events(ring + at, block.length);
		memcpy(ring + at, &block, sizeof(block));
	}
	if (described->mends & 1)
		ring_block__seal(ring + at);
}

/* The blocks of an input, into a file that was laid out. */
static void put_blocks(int fd, const unsigned char *data, size_t size)
{
	static unsigned char ring[RING_SIZE];
	struct ring_file_header header;
	struct described described;
	struct error err;

	if (ring_file__lay_out(fd, "input", RING_HEADER_SIZE + RING_SIZE, &header, &err) < 0)
		abort();
	memset(ring, 0, sizeof(ring));
	while (size >= sizeof(described)) {
		size_t n;

		memcpy(&described, data, sizeof(described));
		data += sizeof(described);
		size -= sizeof(described);
		n = described.length < size ? described.length : size;
		put_block(ring, &header, &described, data, n);
		data += n;
		size -= n;
	}
	if (pwrite(fd, ring, sizeof(ring), RING_HEADER_SIZE) != (ssize_t)sizeof(ring))
		abort();
}

/* Reads every byte; there are no more entries than fit, and their blocks are in order. */
static void read_all(struct ring_reader *reader)
{
	size_t bytes = 0, sum = 0;
	struct ring_entry entry;

	while (ring_reader__next(reader, &entry)) {
		bytes += ring_block__entry_size(entry.size);
		for (size_t i = 0; i < entry.size; i++)
			sum += ((const unsigned char *)entry.data)[i];
		if (bytes > RING_SIZE || (size_t)entry.data % 8 ||
		    (entry.forgotten && !entry.state))
			abort();
	}
	if (sum == (size_t)-1)
		abort();
}

/* States by key: the number that is in each, 0 where there is none. */
#define KEYS 32

/* What a writer is told: two bytes, and then the file's states are these. */
static void tell(struct ring_writer *writer, unsigned char what, unsigned char how,
		 __u32 states[KEYS])
{
	static const unsigned char zeros[4096];
	static __u32 number;
	__u32 value[64] = { ++number };
	__u64 key = what % KEYS;
	struct error err;
	int rc = 0;

	switch (what / KEYS % 4) {
	case 0:
		rc = ring_writer__state(writer, 1, key, value, 4 + how % 252, &err);
		states[key] = number;
		break;
	case 1:
		rc = ring_writer__forget(writer, 1, key, &err);
		states[key] = 0;
		break;
	case 2:
		rc = ring_writer__events(writer, 2, zeros, how * 15, how, &err);
		break;
	default:
		rc = ring_writer__commit(writer, &err);
	}
	if (rc < 0)
		abort();
}

/* What is read is what was written last. */
static void compare(struct ring_reader *reader, const __u32 wanted[KEYS])
{
	struct ring_entry entry;
	__u32 states[KEYS] = { 0 };

	while (ring_reader__next(reader, &entry)) {
		if (!entry.state)
			continue;
		if (entry.key >= KEYS || (!entry.forgotten && entry.size < sizeof(__u32)))
			abort();
		if (entry.forgotten)
			states[entry.key] = 0;
		else
			memcpy(&states[entry.key], entry.data, sizeof(__u32));
	}
	if (memcmp(states, wanted, sizeof(states)) != 0)
		abort();
}

static void write_and_compare(int fd, const char *path, const unsigned char *data, size_t size)
{
	__u32 states[KEYS] = { 0 };
	struct ring_reader *reader;
	struct ring_writer *writer;
	struct error err;

	if (ring_writer__create(&writer, dup(fd), path, RING_FILE_MIN, &err) < 0)
		abort();
	for (; size >= 2; data += 2, size -= 2)
		tell(writer, data[0], data[1], states);
	if (ring_writer__close(writer, &err) < 0 || ring_reader__open(&reader, path, &err) < 0 ||
	    ring_reader__scan(reader, &err) < 0)
		abort();
	compare(reader, states);
	ring_reader__close(reader);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct ring_reader *reader;
	struct ring_losses losses;
	struct error err = { 0 };
	char path[64];

	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (size && data[0] == 1)
		write_and_compare(fd, path, data + 1, size - 1);
	else if (size && data[0])
		put_blocks(fd, data + 1, size - 1);
	else if (size && write(fd, data + 1, size - 1) != (ssize_t)size - 1)
		abort();
	if (ring_reader__open(&reader, path, &err) == 0) {
		if (ring_reader__scan(reader, &err) < 0)
			abort();
		read_all(reader);
		if (ring_reader__scan(reader, &err) < 0)
			abort();
		read_all(reader);
		ring_reader__rewind(reader);
		read_all(reader);
		ring_reader__losses(reader, &losses);
		ring_reader__close(reader);
	} else if (err.code >= 0 || !err.text[0]) {
		abort();
	}
	close(fd);
	return 0;
}

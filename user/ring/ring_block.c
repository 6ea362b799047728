// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "ring/ring_block.h"

#define HEADER		sizeof(struct ring_block_header)
#define ENTRY		sizeof(struct ring_entry_header)
#define FORGOTTEN_STATE (RING_ENTRY_STATE | RING_ENTRY_FORGOTTEN)
#define CRC_END		(offsetof(struct ring_block_header, crc) + sizeof(__le32))

/* Offsets stay below: adding sizes to one does not overflow. It is 4 EiB that were written. */
#define OFFSET_MAX (1ULL << 62)

static size_t round_up(size_t value, size_t unit)
{
	return (value + unit - 1) / unit * unit;
}

size_t ring_block__size(size_t length)
{
	return round_up(HEADER + length, RING_UNIT);
}

size_t ring_block__entry_size(size_t size)
{
	return ENTRY + round_up(size, 8);
}

void ring_block__begin(struct ring_block *block, unsigned char *bytes, size_t room)
{
	block->bytes = bytes;
	block->room = room;
	block->used = HEADER;
	block->n_events = 0;
}

bool ring_block__is_empty(const struct ring_block *block)
{
	return block->used == HEADER;
}

bool ring_block__put(struct ring_block *block, __u16 type, __u16 flags, __u64 key, const void *data,
		     size_t size)
{
	struct ring_entry_header entry = {
		.type = htole16(type),
		.flags = htole16(flags),
		.length = htole32((__u32)size),
		.key = htole64(key),
	};
	size_t taken = ring_block__entry_size(size);
	__u32 n_events = flags & RING_ENTRY_STATE ? 0 : (__u32)key;
	unsigned char *at = block->bytes + block->used;

	if (size > block->room || taken > block->room - block->used ||
	    n_events > UINT32_MAX - block->n_events)
		return false;
	memcpy(at, &entry, ENTRY);
	if (size)
		memcpy(at + ENTRY, data, size);
	memset(at + ENTRY + size, 0, taken - ENTRY - size);
	block->used += taken;
	block->n_events += n_events;
	return true;
}

size_t ring_block__finish(struct ring_block *block, const struct ring_layout *layout,
			  const struct ring_place *place)
{
	struct ring_block_header header = {
		.magic = htole32(RING_BLOCK_MAGIC),
		.sequence = htole64(place->sequence),
		.offset = htole64(place->offset),
		.events_before = htole64(place->events_before),
		.events_dropped = htole64(place->events_dropped),
		.time_ns = htole64(place->time_ns),
		.length = htole32((__u32)(block->used - HEADER)),
		.n_events = htole32(block->n_events),
	};
	size_t size = round_up(block->used, RING_UNIT);

	memcpy(header.id, layout->id, sizeof(header.id));
	memcpy(block->bytes, &header, HEADER);
	memset(block->bytes + block->used, 0, size - block->used);
	return size;
}

/* The checksum of a block whose entries take so many bytes. */
static __u32 checksum(const unsigned char *bytes, __u32 length)
{
	return (__u32)crc32(0, bytes + CRC_END, (uInt)(HEADER - CRC_END + length));
}

void ring_block__seal(unsigned char *bytes)
{
	struct ring_block_header *header = (struct ring_block_header *)bytes;

	header->crc = htole32(checksum(bytes, le32toh(header->length)));
}

bool ring_block__is_plausible(const unsigned char *bytes, const struct ring_layout *layout,
			      __u64 position, struct ring_place *place)
{
	struct ring_block_header header;

	memcpy(&header, bytes, HEADER);
	*place = (struct ring_place){
		.offset = le64toh(header.offset),
		.sequence = le64toh(header.sequence),
		.events_before = le64toh(header.events_before),
		.events_dropped = le64toh(header.events_dropped),
		.time_ns = le64toh(header.time_ns),
		.n_events = le32toh(header.n_events),
		.length = le32toh(header.length),
	};
	return le32toh(header.magic) == RING_BLOCK_MAGIC &&
	       memcmp(header.id, layout->id, sizeof(header.id)) == 0 &&
	       place->offset < OFFSET_MAX && place->offset % layout->ring_size == position &&
	       place->length <= layout->block_max - HEADER &&
	       ring_block__size(place->length) <= layout->ring_size - position;
}

bool ring_block__is_intact(const unsigned char *bytes, const struct ring_place *place)
{
	struct ring_block_header header;
	struct ring_entry entry;
	__u64 n_events = 0;
	size_t at = 0;

	memcpy(&header, bytes, HEADER);
	if (le32toh(header.crc) != checksum(bytes, place->length))
		return false;
	while (ring_block__next(bytes, place->length, &at, &entry))
		n_events += entry.n_events;
	return at == place->length && n_events == place->n_events;
}

bool ring_block__next(const unsigned char *bytes, size_t length, size_t *at, struct ring_entry *out)
{
	struct ring_entry_header header;
	size_t left = length - *at;
	__u64 key;

	if (left < ENTRY)
		return false;
	memcpy(&header, bytes + HEADER + *at, ENTRY);
	key = le64toh(header.key);
	*out = (struct ring_entry){
		.type = le16toh(header.type),
		.state = le16toh(header.flags) & RING_ENTRY_STATE,
		.copy = le16toh(header.flags) & RING_ENTRY_COPY,
		.forgotten = (le16toh(header.flags) & FORGOTTEN_STATE) == FORGOTTEN_STATE,
		.data = bytes + HEADER + *at + ENTRY,
		.size = le32toh(header.length),
	};
	if (out->state)
		out->key = key;
	else if (key <= UINT32_MAX)
		out->n_events = (__u32)key;
	else
		return false;
	if (out->size > left || ring_block__entry_size(out->size) > left)
		return false;
	*at += ring_block__entry_size(out->size);
	return true;
}

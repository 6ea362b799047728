/* SPDX-License-Identifier: GPL-2.0-only */
/* A block in memory: put together, sealed, checked and walked through. */
#ifndef USER_RING_RING_BLOCK_H
#define USER_RING_RING_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "ring/format.h"
#include "ring/ring_entry.h"

/* What is the same for all blocks of a file. */
struct ring_layout {
	__u64 ring_size;
	__u32 block_max;
	__u8 id[8];
};

/* A block's header, in this machine's numbers. */
struct ring_place {
	__u64 offset;
	__u64 sequence;
	__u64 events_before;
	__u64 events_dropped;
	__u64 time_ns;
	__u32 n_events;
	__u32 length; /* bytes of entries */
};

struct ring_block {
	unsigned char *bytes; /* aligned to 8, with room for block_max; the owner's */
	size_t room;	      /* bytes that it may take */
	size_t used;	      /* of them, header included */
	__u32 n_events;
};

/* Bytes on the disk of a block with so many bytes of entries. */
size_t ring_block__size(size_t length);
/* Bytes that an entry takes in a block. */
size_t ring_block__entry_size(size_t size);

void ring_block__begin(struct ring_block *block, unsigned char *bytes, size_t room);
bool ring_block__is_empty(const struct ring_block *block);

/* Appends an entry; false, and nothing done, where it does not fit. key: as on the disk. */
bool ring_block__put(struct ring_block *block, __u16 type, __u16 flags, __u64 key, const void *data,
		     size_t size);

/*
 * Writes the header, without the checksum, and the zeros at the end. place: offset, sequence,
 * events_before, events_dropped, time_ns. Returns the block's size.
 */
size_t ring_block__finish(struct ring_block *block, const struct ring_layout *layout,
			  const struct ring_place *place);
/* Adds the checksum to a finished block. */
void ring_block__seal(unsigned char *bytes);

/*
 * Could a block of this file begin with these bytes (a whole header of them), which are at this
 * position in the ring? Then *place is what it says; the block is inside the ring.
 */
bool ring_block__is_plausible(const unsigned char *bytes, const struct ring_layout *layout,
			      __u64 position, struct ring_place *place);

/* Is a plausible block intact: the checksum right, and all entries inside? */
bool ring_block__is_intact(const unsigned char *bytes, const struct ring_place *place);

/*
 * The entry at byte *at of the entries, without what the header says (sequence, time_ns); *at is
 * moved behind it. False at the end, or where the entry does not fit into length.
 */
bool ring_block__next(const unsigned char *bytes, size_t length, size_t *at,
		      struct ring_entry *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of a ring that is being written: the last bytes of each (type, key), and the offset
 * of the block that they are in, the oldest first. They are kept in memory, so that repeating one
 * reads nothing from the disk.
 */
#ifndef USER_RING_RING_STATES_H
#define USER_RING_RING_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct ring_states;

struct ring_state {
	struct ring_state *older, *newer;
	__u64 key;
	__u64 offset; /* of the block that has it */
	size_t size;
	size_t room; /* of data */
	unsigned char *data;
	__u16 type;
	bool listed; /* it was set */
};

struct ring_states *ring_states__new(void);	    /* NULL: out of memory */
void ring_states__free(struct ring_states *states); /* NULL is fine */

/* The state of (type, key), a new one where there is none; NULL: out of memory. */
struct ring_state *ring_states__get(struct ring_states *states, __u16 type, __u64 key);
/* Makes room for size bytes, so that the next ring_states__set() succeeds. 0 or -ENOMEM. */
int ring_states__reserve(struct ring_state *state, size_t size);
/* It has these bytes, in the block at this offset, which is the newest. */
void ring_states__set(struct ring_states *states, struct ring_state *state, const void *data,
		      size_t size, __u64 offset);
/* It is now in the block at this offset, which is the newest. */
void ring_states__move(struct ring_states *states, struct ring_state *state, __u64 offset);

/* The one whose block is the oldest; NULL: none was set. */
struct ring_state *ring_states__oldest(const struct ring_states *states);
/* Bytes that all of them take in blocks. */
__u64 ring_states__bytes(const struct ring_states *states);

#endif

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
	bool forgotten;
	__u64 forgotten_at; /* offset of the block that said so first */
};

struct ring_states *ring_states__new(void);	    /* NULL: out of memory */
void ring_states__free(struct ring_states *states); /* NULL is fine */

/* The state of (type, key), a new one where there is none; NULL: out of memory. */
struct ring_state *ring_states__get(struct ring_states *states, __u16 type, __u64 key);
/* The same; NULL: there is none. */
struct ring_state *ring_states__find(struct ring_states *states, __u16 type, __u64 key);
/* Makes room for size bytes, so that the next ring_states__set() succeeds. 0 or -ENOMEM. */
int ring_states__reserve(struct ring_state *state, size_t size);
/* It has these bytes, in the block at this offset, which is the newest. */
void ring_states__set(struct ring_states *states, struct ring_state *state, const void *data,
		      size_t size, __u64 offset);
/* It is now in the block at this offset, which is the newest. */
void ring_states__move(struct ring_states *states, struct ring_state *state, __u64 offset);

/*
 * One that was set is forgotten, by an entry without data in the block at this offset, which is the
 * newest. That entry is kept like a state's bytes, until it is dropped.
 */
void ring_states__forget(struct ring_states *states, struct ring_state *state, __u64 offset);
/* A forgotten one is not listed any more; it is freed, unless room has been made for new bytes. */
void ring_states__drop(struct ring_states *states, struct ring_state *state);

/* One that was set is freed: nobody repeats it. */
void ring_states__remove(struct ring_states *states, struct ring_state *state);

/* The one whose block is the oldest; NULL: none was set. */
struct ring_state *ring_states__oldest(const struct ring_states *states);
/* Bytes that all of them take in blocks. */
__u64 ring_states__bytes(const struct ring_states *states);

#endif

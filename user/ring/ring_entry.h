/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_RING_RING_ENTRY_H
#define USER_RING_RING_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* An entry as it is read. */
struct ring_entry {
	__u16 type;
	bool state;	  /* else events */
	bool copy;	  /* a state of before, repeated */
	bool forgotten;	  /* a state that is no more; it has no data */
	__u64 key;	  /* of a state */
	__u32 n_events;	  /* of events */
	const void *data; /* aligned to 8; until the next call */
	size_t size;
	__u64 sequence; /* of its block: 1 is the first that was written */
	__u64 time_ns;	/* CLOCK_REALTIME at which its block was finished */
};

#endif

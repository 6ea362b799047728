/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a ring-buffered file, also while it is written, and whatever has happened to it: every
 * block that is intact, and how much is not there. Several may read at once.
 *
 *	ring_reader__open(&reader, path, &err)
 *	ring_reader__scan(reader, &err)
 *	while (ring_reader__next(reader, &entry)) ...
 *	ring_reader__scan() again and the loop: what has been written since
 */
#ifndef USER_RING_RING_READER_H
#define USER_RING_RING_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"
#include "ring/ring_entry.h"

struct ring_reader;

struct ring_info {
	__u32 version;
	__u64 size; /* bytes of the whole file, as it was made */
	__u64 created_ns;
	__u8 id[16];
	bool cut;	/* the file is now shorter than that */
	__u64 n_blocks; /* intact at the last scan */
	__u64 first_ns; /* when the oldest and the newest of them were finished; 0: none */
	__u64 last_ns;
};

/* Of the blocks up to the one that ring_reader__next() is at; all of them at the end. */
struct ring_losses {
	__u64 overwritten; /* events that went because the file is full, or wrote faster than read
			    */
	__u64 dropped;	   /* events that the writer dropped, its queue being full */
	__u64 damaged;	   /* events in blocks that should be there and are not intact */
	__u64 damaged_blocks; /* how many blocks that are */
	bool unfinished;      /* a newer block than the newest intact one is there in parts */
};

/*
 * Errors: why it cannot be opened; -EINVAL for what is no recording; -EBADMSG where both copies of
 * the header are damaged; -ENOTSUP for one of a newer version. A file that was cut is none.
 */
int ring_reader__open(struct ring_reader **out, const char *path, struct error *err);
void ring_reader__close(struct ring_reader *reader); /* NULL is fine */

/*
 * Finds the intact blocks. Again: also those that were written since, which costs little where no
 * more than that has changed; ring_reader__next() goes on where it was. -ENOMEM.
 */
int ring_reader__scan(struct ring_reader *reader, struct error *err);

/*
 * The next entry, in the order in which they were written. 1, or 0 at the end of what the last
 * scan has found. A block that was overwritten since then is passed over and counted.
 *
 * A state that comes only as a copy had this value all the time before, too: its first place is
 * overwritten. Who wants to know all states at the beginning takes, for each (type, key), the first
 * one that is there, if that is a copy.
 */
int ring_reader__next(struct ring_reader *reader, struct ring_entry *out);

/* From the oldest block on again. */
void ring_reader__rewind(struct ring_reader *reader);

void ring_reader__losses(const struct ring_reader *reader, struct ring_losses *out);
void ring_reader__info(const struct ring_reader *reader, struct ring_info *out);

#endif

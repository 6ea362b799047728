/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a ring-buffered file: fixed size, the oldest goes. Knows nothing of what is in it.
 *
 * There are two kinds of entries, each with a type that is the caller's own:
 *  - a state has a key, and the last one with a (type, key) is what counts. It stays in the file
 *    however often that wraps: the writer repeats it before its place is overwritten.
 *  - events are what happened, one or many in an entry, and the oldest go. How many went is known.
 *
 * Entries are put into a block in memory. A block that is full, or committed, is handed over to a
 * thread that writes it; another thread syncs. No call waits for the disk but those that say so.
 *
 * An error of writing (-EIO, ...) is returned by the next call, and by all after it. One thread
 * at a time may use a writer.
 */
#ifndef USER_RING_RING_WRITER_H
#define USER_RING_RING_WRITER_H

#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"

struct ring_writer;

/*
 * Makes a ring of size bytes (rounded down to a multiple of 4096) in an empty regular file open
 * for reading and writing, as from ring_file__make(). After success the fd belongs to the writer.
 * path is for messages. Errors: -EINVAL for too small a size, -ENOSPC for a full disk, -ENOMEM.
 */
int ring_writer__create(struct ring_writer **out, int fd, const char *path, __u64 size,
			struct error *err);

/* Bytes of the largest entry; some 256 KiB, less for files under 4 MiB. */
size_t ring_writer__entry_max(const struct ring_writer *writer);
/* The same of a file of that size, which need not be there. */
size_t ring_writer__entry_max_of(__u64 size);

/*
 * The state of (type, key) is now these bytes, which are copied. Waits where the queue is full.
 * Errors: -ENOSPC where all states together would take more than a quarter of the ring; the text
 * says which size would do, and the state before stays. -E2BIG for more than entry_max.
 */
int ring_writer__state(struct ring_writer *writer, __u16 type, __u64 key, const void *data,
		       size_t size, struct error *err);

/*
 * There is no state of (type, key) any more: readers that begin later do not find it, and what it
 * took of that quarter is free, but for 16 bytes until the ring has gone around some two times
 * more. It may be set again. Where there is none, nothing happens. Waits where the queue is full.
 */
int ring_writer__forget(struct ring_writer *writer, __u16 type, __u64 key, struct error *err);

/*
 * Of the state of (type, key) only what has been put so far has need: it is put once more, is found
 * for as long as any of that, and takes neither memory nor anything of that quarter any more. It
 * may be set again. Where there is none, nothing happens. Waits where the queue is full.
 */
int ring_writer__let_go(struct ring_writer *writer, __u16 type, __u64 key, struct error *err);

/*
 * n_events events in one entry (0: something that is not to be counted, as a mark in time). Never
 * waits: where the queue is full they are dropped and counted, which is no error. -E2BIG as above.
 */
int ring_writer__events(struct ring_writer *writer, __u16 type, const void *data, size_t size,
			__u32 n_events, struct error *err);

/*
 * What was put so far becomes a block and is handed over, without waiting. It is in the file some
 * microseconds later, unless the disk holds up all writers.
 */
int ring_writer__commit(struct ring_writer *writer, struct error *err);

/* The same, and waits until it is in the file: readers see it, and it survives a SIGKILL. */
int ring_writer__flush(struct ring_writer *writer, struct error *err);

/* Events that were dropped because the queue was full. The file says it too. */
__u64 ring_writer__dropped(const struct ring_writer *writer);

/*
 * Flushes, waits until all is on the disk, and frees the writer, also where that fails (then with
 * the reason). A closed file is no different from that of a killed writer.
 */
int ring_writer__close(struct ring_writer *writer, struct error *err); /* NULL is fine */

#endif

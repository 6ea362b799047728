/* SPDX-License-Identifier: GPL-2.0-only */
/* The file that a ring is in: making one without harm to what is there, and its header. */
#ifndef USER_RING_RING_FILE_H
#define USER_RING_RING_FILE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/error.h"
#include "base/place.h"
#include "ring/format.h"

/* Does an open file begin like one, of whatever version, intact or not? */
bool ring__is_recording(int fd);

/*
 * Makes an empty file for ring_writer__create() and returns its descriptor (O_RDWR, O_CLOEXEC),
 * locked against other writers for as long as it is open. It is called .NAME.part until
 * ring_file__replace() gives it its name, or ring_file__drop() removes it: what is there stays for
 * as long as something may fail. path is for messages. Errors: -EEXIST where a file is there that
 * is no recording (an empty one is taken), or where PATH.old is none; -EBUSY where another process
 * is writing it; why the file cannot be made.
 */
int ring_file__prepare(const struct place *place, const char *path, struct error *err);

/* A recording that is there is kept as PATH.old, as perf does. Errors as above. */
int ring_file__replace(const struct place *place, const char *path, struct error *err);
void ring_file__drop(const struct place *place);

/* Both at once. */
int ring_file__make(const char *path, struct error *err);

/*
 * Gives an empty file its size on the disk and its header. Errors: -EINVAL for a size below
 * RING_FILE_MIN, -ENOSPC where the disk has not that much (the file is then cut to nothing).
 */
int ring_file__lay_out(int fd, const char *path, __u64 size, struct ring_file_header *header,
		       struct error *err);

/* The largest block of a file of that size, from RING_FILE_MIN on. */
__u32 ring_file__block_max(__u64 size);

/*
 * Reads and checks the header. *size: what the file has, which is less than the header says where
 * it was cut. Errors: -EINVAL for what is no recording, -EBADMSG for a damaged header, -ENOTSUP
 * for a newer version.
 */
int ring_file__read_header(int fd, const char *path, struct ring_file_header *header, __u64 *size,
			   struct error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of files that have been looked at, each with a number for what was found. Each file is
 * opened once, however often it is mapped.
 */
#ifndef USER_HOST_FILE_SET_H
#define USER_HOST_FILE_SET_H

#include <stdbool.h>
#include <linux/types.h>

struct file_set;

/* As mappings name them; the generation (0: not known) tells who gets a number that was free again.
 */
struct file_key {
	unsigned int major, minor;
	__u64 ino, generation;
};

/* A number is used again, but not often under the same name. */
struct process_mapping;
struct file_key file_key__of(const struct process_mapping *mapping);

struct file_set *file_set__new(void);	   /* NULL: no memory */
void file_set__free(struct file_set *set); /* NULL is fine */

/* Adds a file, with 0; false: it was there. It forgets all when it has grown long. */
bool file_set__add(struct file_set *set, const struct file_key *key);

/* A file's number, until the next change of the set; NULL: the file is not in it. */
__u64 *file_set__number(struct file_set *set, const struct file_key *key);

/* Those with that inode number are not there any more, on whatever device. */
void file_set__forget(struct file_set *set, __u64 ino);
void file_set__clear(struct file_set *set);

#endif

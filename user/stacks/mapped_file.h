/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that processes have mapped, each once however many map it, with the names of its functions.
 * They are counted: what nobody holds any more is forgotten.
 */
#ifndef USER_STACKS_MAPPED_FILE_H
#define USER_STACKS_MAPPED_FILE_H

#include "host/process.h"

struct mapped_file;
struct mapped_files;

struct mapped_files *mapped_files__new(void); /* NULL: out of memory */
void mapped_files__free(
	struct mapped_files *files); /* nobody may hold one any more; NULL is fine */

/* The file of a mapping, to be given back with mapped_file__put(). NULL without memory. */
struct mapped_file *mapped_files__get(struct mapped_files *files,
				      const struct process_mapping *mapping);
struct mapped_file *mapped_file__hold(struct mapped_file *file); /* once more; returns file */
void mapped_file__put(struct mapped_file *file);		 /* NULL is fine */

/* As the process sees it. */
const char *mapped_file__path(const struct mapped_file *file);

/*
 * The function at an offset, or NULL. What functions there are is read when this is asked for the
 * first time, through the process that has the mapping from start to end, or, where that is gone
 * already, by the file's path, if it is still the same one. Lives as long as the file is held.
 */
const char *mapped_file__function(struct mapped_file *file, pid_t pid, __u64 start, __u64 end,
				  __u64 offset);

/*
 * The same for where, in bytes above the stack pointer, the return address is when the instruction
 * at that offset is next; negative: not known, or it is found by the frame pointer.
 */
__s64 mapped_file__back_at(struct mapped_file *file, pid_t pid, __u64 start, __u64 end,
			   __u64 offset);

#endif

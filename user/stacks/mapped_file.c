// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf/callers.h"
#include "elf/symbols.h"
#include "host/files.h"
#include "host/reach.h"
#include "stacks/mapped_file.h"

#define BUCKETS 1024

/* Answers that are remembered; those with the same hash push each other out. */
#define BACKS 16

struct mapped_file {
	struct mapped_file *next, **back; /* in its bucket */
	size_t holders;
	unsigned int major, minor;
	__u64 ino;
	bool deleted;
	/* NULL: not read, or not readable, which was tried then. */
	struct symbols *symbols;
	struct callers *callers;
	bool symbols_tried, callers_tried;
	__u64 back_of[BACKS]; /* offsets + 1 that were asked for, and the answers */
	__s64 back_at[BACKS];
	char path[];
};

struct mapped_files {
	struct mapped_file *buckets[BUCKETS];
};

struct mapped_files *mapped_files__new(void)
{
	return calloc(1, sizeof(struct mapped_files));
}

void mapped_files__free(struct mapped_files *files)
{
	free(files);
}

/* The same inode number can be two files in two btrfs subvolumes: the path counts as well. */
static bool is_of_mapping(const struct mapped_file *file, const struct process_mapping *mapping)
{
	return file->ino == mapping->ino && file->major == mapping->major &&
	       file->minor == mapping->minor && file->deleted == mapping->deleted &&
	       strcmp(file->path, mapping->path) == 0;
}

struct mapped_file *mapped_files__get(struct mapped_files *files,
				      const struct process_mapping *mapping)
{
	struct mapped_file **bucket = &files->buckets[mapping->ino % BUCKETS], *file;
	size_t length = strlen(mapping->path) + 1;

	for (file = *bucket; file; file = file->next)
		if (is_of_mapping(file, mapping))
			return mapped_file__hold(file);
	file = calloc(1, sizeof(*file) + length);
	if (!file)
		return NULL;
	file->holders = 1;
	file->major = mapping->major;
	file->minor = mapping->minor;
	file->ino = mapping->ino;
	file->deleted = mapping->deleted;
	memcpy(file->path, mapping->path, length);
	file->next = *bucket;
	file->back = bucket;
	if (file->next)
		file->next->back = &file->next;
	*bucket = file;
	return file;
}

struct mapped_file *mapped_file__hold(struct mapped_file *file)
{
	file->holders++;
	return file;
}

void mapped_file__put(struct mapped_file *file)
{
	if (!file || --file->holders)
		return;
	*file->back = file->next;
	if (file->next)
		file->next->back = file->back;
	symbols__close(file->symbols);
	callers__close(file->callers);
	free(file);
}

const char *mapped_file__path(const struct mapped_file *file)
{
	return file->path;
}

/* Of a process that is gone; the numbers of devices differ from stat()'s on btrfs and overlayfs. */
static bool is_still_there(const struct mapped_file *file)
{
	struct stat st;

	return !file->deleted && stat(file->path, &st) == 0 && st.st_ino == file->ino;
}

/* A path by which the file can be opened; false: there is none any more. */
static bool find_path(const struct mapped_file *file, pid_t pid, __u64 start, __u64 end,
		      char path[PATH_MAX])
{
	const struct process_mapping mapping = {
		.start = start,
		.end = end,
		.major = file->major,
		.minor = file->minor,
		.ino = file->ino,
		.deleted = file->deleted,
		.path = file->path,
	};
	struct error err;

	int ret = reach__open_path(pid, &mapping, path, PATH_MAX, &err);

	if (ret == 0 || ret == -EAGAIN) /* its file system does not answer */
		return ret == 0;
	return is_still_there(file) && files__path(path, PATH_MAX, "%s", file->path) == 0;
}

const char *mapped_file__function(struct mapped_file *file, pid_t pid, __u64 start, __u64 end,
				  __u64 offset)
{
	char path[PATH_MAX];
	struct error err;

	if (!file->symbols_tried && find_path(file, pid, start, end, path))
		symbols__open(&file->symbols, path, &err);
	file->symbols_tried = true;
	return file->symbols ? symbols__find(file->symbols, offset) : NULL;
}

__s64 mapped_file__back_at(struct mapped_file *file, pid_t pid, __u64 start, __u64 end,
			   __u64 offset)
{
	size_t place = offset % BACKS;
	char path[PATH_MAX];
	struct error err;

	if (!file->callers_tried && find_path(file, pid, start, end, path))
		callers__open(&file->callers, path, &err);
	file->callers_tried = true;
	if (!file->callers)
		return -1;
	if (file->back_of[place] != offset + 1) {
		file->back_at[place] = callers__back_at(file->callers, offset);
		file->back_of[place] = offset + 1;
	}
	return file->back_at[place];
}

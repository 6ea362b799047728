/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks at files of file systems that may not answer (FUSE, NFS, autofs), in processes that can be
 * abandoned (scout.h): whoever touches such a file may wait for ever, and not even be killed. What
 * they hand over is used in place of the file, which this process never opens.
 *
 * Files of block devices, and of what is mounted as / and /usr, are not asked about: without these
 * nothing works. There is one of it in a process; until reach__start(), all can be reached.
 */
#ifndef USER_HOST_REACH_H
#define USER_HOST_REACH_H

#include <stdbool.h>
#include <limits.h>
#include <sys/types.h>

#include "host/process.h"
#include "host/scout.h"

/* tools: copied. */
void reach__start(const struct scout_tools *tools);
/* Leaves those alone that wait. */
void reach__end(void);

/* May a file system, by its device, fail to answer? */
bool reach__is_far(unsigned int major, unsigned int minor);

/*
 * Can a file that a process maps be reached, or for process 0 one at a path? 0: it is near. 1: it
 * is far, and a path to a copy of it is in out, until the next call. -EAGAIN: its file system has
 * not answered in time, or did not before: then it is asked on in the background, and reach__next()
 * tells when a file that a process maps is to be looked at again. Or another negative errno, with
 * the text: why it cannot be opened. All that is asked in a second waits for REACH_MS at most, and
 * each reach__mark() for half of that.
 */
#define REACH_MS 100
int reach__ask(pid_t pid, const struct process_mapping *mapping, char *out, size_t room,
	       struct error *err);

/*
 * A path by which this process opens the very file that is mapped, without waiting for its file
 * system: as process__find_path(), or where the file is far the path of a copy, until the next
 * call. -EAGAIN: its file system does not answer.
 */
int reach__open_path(pid_t pid, const struct process_mapping *mapping, char *out, size_t room,
		     struct error *err);

/* What is known of the file whose copy is at that path; NULL: it is none of those. Stays the
 * module's, and good until the next is asked for. */
const struct scout_answer *reach__file(const char *path);
/*
 * Marks that last file in the tools' inotify: the mark, or a negative errno; -EAGAIN: its file
 * system does not answer any more, or the file has changed since it was copied.
 */
int reach__mark(void);
/* The last file's file system does not answer any more: it is asked again later. */
void reach__lose(void);

/* A mapping of which -EAGAIN was said. */
struct reach_mapping {
	pid_t pid;
	struct process_mapping mapping; /* its path is name */
	__u64 since_ns;			/* CLOCK_MONOTONIC */
	char name[PATH_MAX];
};

/* Goes on in the background; to be called every second. False: there is none that can be reached.
 */
bool reach__next(struct reach_mapping *out);

#endif

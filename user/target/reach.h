/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks at files of file systems that may not answer (FUSE, NFS, autofs), in processes that can be
 * abandoned: whoever touches such a file may wait for ever, and not even be killed. A file that was
 * reached has been read once, so that what this process reads of it is in the page cache.
 *
 * Files of block devices, and of what is mounted as / and /usr, are not asked about: without these
 * nothing works. There is one of it in a process; until reach__start(), all can be reached.
 */
#ifndef USER_TARGET_REACH_H
#define USER_TARGET_REACH_H

#include <stdbool.h>
#include <limits.h>
#include <sys/types.h>

#include "target/process.h"

void reach__start(void);
/* Leaves those alone that wait. */
void reach__end(void);

/* May a file system, by its device, fail to answer? */
bool reach__is_far(unsigned int major, unsigned int minor);

/*
 * Can a file that a process maps be reached? 0, also where it could not be opened; -EAGAIN: its
 * file system has not answered in time, or did not before: then it is asked on in the background,
 * and reach__next() tells when the file is to be looked at again. All that is asked in a second
 * waits for REACH_MS at most.
 */
#define REACH_MS 100
int reach__ask(pid_t pid, const struct process_mapping *mapping);

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

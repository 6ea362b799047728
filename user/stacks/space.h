/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a process has mapped to be executed, and had: calls are looked at a moment after they were
 * made, when the process may run another program already, or none. All times are CLOCK_MONOTONIC.
 */
#ifndef USER_STACKS_SPACE_H
#define USER_STACKS_SPACE_H

#include "stacks/mapped_file.h"

struct space_mapping {
	__u64 start, end;      /* addresses */
	__u64 offset;	       /* in the file, of start */
	__u64 from_ns, end_ns; /* when it was there; end_ns ~0: it still is */
	struct mapped_file *file;
};

struct space {
	pid_t pid, parent; /* parent 0: not known */
	__u64 born_ns;	   /* 0: before anybody looked */
	__u64 exec_ns;	   /* the last time that a program was begun; 0: none was seen */
	__u64 ended_ns;	   /* 0: it lives */
	__u64 changed_ns;  /* the last time that anything was mapped */
	unsigned int changes;
	bool is_whole; /* everything in it is known */
	struct space_mapping *mappings;
	size_t n, room;
};

/* Takes over the file. 0, or -ENOMEM: then it is given back. */
int space__map(struct space *space, const struct space_mapping *mapping);
/* Another program is begun. */
void space__exec(struct space *space, __u64 time_ns);
/* A child gets what its parent had. 0 or -ENOMEM. */
int space__fork(struct space *child, const struct space *parent, __u64 time_ns);
/* What was at an address then; NULL: no file's code, as far as is known. */
const struct space_mapping *space__find(const struct space *space, __u64 address, __u64 time_ns);
/* Forgets everything; the space itself stays the caller's. */
void space__clear(struct space *space);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files left_alone*.c share. Only for them. */
#ifndef USER_DISCOVERY_LEFT_ALONE_STATE_H
#define USER_DISCOVERY_LEFT_ALONE_STATE_H

#include "discovery/culprits.h"
#include "discovery/left_alone.h"

/* Processes that were seen to copy code; more than these run, and map libraries, at a time. */
#define LEFT_ALONE_PIDS 64

struct left_alone {
	struct attach *attach;
	const struct options *options;
	struct note_list *notes;
	struct culprits *culprits;
	struct mappers *mappers;
	pid_t pids[LEFT_ALONE_PIDS];
	size_t next_pid;
};

/*
 * Does a culprit at path copy the code of a file of that name? same: it is its own. What the user
 * has named for its own sake, because it is traced, copies no other.
 */
bool left_alone__covers(const struct left_alone *left, const struct culprit *culprit,
			const char *path, const char *name, bool same);

/* Who has what that copies code, for messages. */
struct finding {
	char who[64], what[512];
	bool known; /* by elf/copiers.h; else the user says so */
};

/* Fills in what is found, which is at path. */
void left_alone__find(struct finding *finding, const struct culprit *culprit, const char *path);

/* Leaves a file alone, with a note. */
void left_alone__leave(struct left_alone *left, const char *path, const char *shown,
		       const struct finding *finding);
/* The same of all files that a copier copies (NULL: one of the user's), whoever maps them. */
void left_alone__leave_all(struct left_alone *left, const struct copier *copier,
			   const struct finding *finding);

/* A file of a process in /proc, to be freed, n bytes; NULL: it cannot be read. */
char *left_alone__read(pid_t pid, const char *file, size_t *n);
/* The value of a variable in a block of VAR=VALUE; NULL: it is not there. */
const char *left_alone__variable(const char *block, size_t n, const char *name);

/*
 * A process has started that copies code: the libraries of the programs that its arguments name are
 * left alone, before it maps them.
 */
void left_alone__started(struct left_alone *left, pid_t pid, const struct finding *finding);
/* The same of the programs that the user has named, before they start. */
void left_alone__look_ahead(struct left_alone *left);

#endif

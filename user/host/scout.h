/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that looks at files for this one, and can be abandoned where a file system does not
 * answer. It hands over all that is needed of a file: a copy of its content, and a descriptor of
 * O_PATH, by which it can be probed. With neither of these the file system is asked for anything,
 * not even when they are closed.
 */
#ifndef USER_HOST_SCOUT_H
#define USER_HOST_SCOUT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "host/process.h"
#include "tmtrace/file.h"

/* What it does beside reading, by the means of others. */
struct scout_tools {
	/* Which file it is for probes, open as fd; with this descriptor, and the context. 0 or a
	 * negative errno. NULL: not asked. */
	int (*identify)(void *context, int fd, struct tm_file *out);
	void *context;
	int program; /* -1: none */
	int marks;   /* inotify, where files are marked; -1: none */
};

enum scout_errand {
	SCOUT_LOOK,   /* at a file */
	SCOUT_MARK,   /* that file: whoever writes to it is told (IN_MODIFY) */
	SCOUT_FORGET, /* that file, which is not held any more; there is no answer */
};

struct scout_question {
	enum scout_errand errand;
	pid_t pid;			/* who maps it; 0: it is but a path */
	struct process_mapping mapping; /* its path is name */
	char name[PATH_MAX];
};

struct scout_answer {
	int code; /* 0, or a negative errno with the text */
	char text[1024];
	struct stat st;
	struct tm_file id; /* inode 0: not known */
	int mark;
	/* Descriptors, of whoever receives them: */
	int node;    /* of O_PATH */
	int content; /* a copy in memory, which nobody can change: without what is only for
			debuggers, if it is large */
};

/* Begins one: its number, and the socket by which it is asked. 0 or a negative errno. */
int scout__start(const struct scout_tools *tools, pid_t *pid, int *socket);

/* Sends it a question, without waiting. False: it has ended, or takes none. */
bool scout__ask(int socket, const struct scout_question *question);
/* The answer, which is there; of descriptors that did not come, -1. False: it has ended. */
bool scout__receive(int socket, struct scout_answer *answer);

/* Closes its descriptors. */
void scout__let_go(struct scout_answer *answer);

#endif

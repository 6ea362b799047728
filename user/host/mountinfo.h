/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of /proc/PID/mountinfo. */
#ifndef USER_HOST_MOUNTINFO_H
#define USER_HOST_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

#define MOUNTINFO_MAX (64UL << 20) /* bytes to read of such a file */

/* The strings are parts of the line, with its escapes undone. */
struct mountinfo {
	int id;
	unsigned int major;
	unsigned int minor;
	const char *root;    /* of the mount, in its file system */
	const char *point;   /* where it is mounted */
	const char *type;    /* of file system, as "ext4" or "fuse.sshfs" */
	const char *source;  /* as "/dev/vda1"; it can say anything */
	const char *options; /* of the file system, not of the mount */
};

/* Takes a line apart, in place; false when it is not such a line. */
bool mountinfo__parse(char *line, struct mountinfo *out);

/* Is that one of the comma-separated options? n: the length of its name. */
bool mountinfo__has_option(const char *options, const char *option, size_t n);

#endif

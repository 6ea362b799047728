/* SPDX-License-Identifier: GPL-2.0-only */
/* What attach.c and changes.c share. Internal to both. */
#ifndef USER_ATTACH_ATTACH_STATE_H
#define USER_ATTACH_ATTACH_STATE_H

#include "attach/attach.h"
#include "attach/link_set.h"

struct attach {
	struct attach_options options;
	struct link_set *links; /* NULL: nothing is attached, only listed */
	struct seen_files *files;
	int changes; /* inotify, of probed files; -1: none */
	const char **patterns;
	size_t n_patterns, patterns_room;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels as the formats of text.h have them: NAME="VALUE", with commas. */
#ifndef USER_METRICS_LABELS_H
#define USER_METRICS_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* All zero at first: no labels. */
struct metrics_labels {
	char *text; /* NULL: none */
	size_t n, room;
	bool failed; /* there was no memory */
};

/* The most bytes of a value: whoever thinks names up does not make the text long with them. */
#define METRICS_LABEL_MAX 200

/*
 * Any bytes: control characters and what is not UTF-8 are replaced, what would end the value is
 * escaped. Of one that is too long, the end is kept, behind "...".
 */
void metrics_labels__add(struct metrics_labels *labels, const char *name, const char *value);
/* A time of CLOCK_REALTIME, "2026-11-23T01:39:06.123Z"; 0: no label. */
void metrics_labels__add_time(struct metrics_labels *labels, const char *name, __u64 time_ns);
/* Labels as they are. */
void metrics_labels__append(struct metrics_labels *labels, const char *text);
void metrics_labels__free(struct metrics_labels *labels);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes records as JSON text: the same bytes that json-c would write, in less time. */
#ifndef USER_SINK_RECORD_TEXT_H
#define USER_SINK_RECORD_TEXT_H

#include <stddef.h>

#include "sink/record.h"

struct record_text {
	struct record record;
	char *bytes; /* to be freed with free() */
	size_t n, room;
	size_t start;	  /* where the record begins; what failed is taken back to there */
	bool has_members; /* of what is open */
	bool is_spaced;	  /* there are spaces between: { "a": 1, "b": 2 } */
};

/* done: as of struct record, or NULL. */
struct record_text record_text__new(void (*done)(struct record *record));

/* As done: ends a record's line. */
void record_text__end_line(struct record *record);

/*
 * Adds n bytes as they are, where no member is begun. 0; -ENOMEM: then nothing is added.
 */
int record_text__add_bytes(struct record_text *text, const char *bytes, size_t n);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as trees of json-c, for readers that select from them or change them. */
#ifndef USER_SINK_RECORD_TREE_H
#define USER_SINK_RECORD_TREE_H

#include <json-c/json.h>

#include "sink/record.h"

/* Objects and arrays in each other; what is deeper fails. */
#define RECORD_TREE_DEPTH 12

struct record_tree {
	struct record record;
	struct json_object *open[RECORD_TREE_DEPTH]; /* the outermost first */
};

/* done: as of struct record, or NULL. */
struct record_tree record_tree__new(void (*done)(struct record *record));

/*
 * The record that has ended, to be given back with json_object_put(); NULL: it could not be made.
 * To be called once for each record.
 */
struct json_object *record_tree__take(struct record_tree *tree);

/* More members are added to the record that has ended, until record__close(). */
void record_tree__reopen(struct record_tree *tree);

/* Adds a value of json-c, which stays the caller's, to any record. NULL: null. */
void record_tree__walk(struct json_object *value, struct record *record, const char *name);

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "sink/record_tree.h"

static struct json_object *value_of(const struct record_value *value)
{
	switch (value->kind) {
	case RECORD_BOOL:
		return json_object_new_boolean(value->yes);
	case RECORD_U64:
		return json_object_new_uint64(value->u64);
	case RECORD_I64:
		return json_object_new_int64(value->i64);
	case RECORD_DOUBLE:
		return json_object_new_double_s(strtod(value->text, NULL), value->text);
	case RECORD_STRING:
		return json_object_new_string(value->text);
	case RECORD_OBJECT:
		return json_object_new_object();
	case RECORD_ARRAY:
		return json_object_new_array();
	default:
		return NULL;
	}
}

/* Takes the value. */
static int add(struct record_tree *tree, const char *name, struct json_object *value)
{
	struct json_object *in = tree->record.depth ? tree->open[tree->record.depth - 1] : NULL;
	int ret = 0;

	if (!in)
		return 0;
	ret = name ? json_object_object_add(in, name, value) : json_object_array_add(in, value);
	if (ret)
		json_object_put(value);
	return ret ? -ENOMEM : 0;
}

static void put(struct record *record, const char *name, const struct record_value *value)
{
	struct record_tree *tree = (struct record_tree *)record;
	bool opens = value->kind == RECORD_OBJECT || value->kind == RECORD_ARRAY;
	struct json_object *made;

	if (record->failure || value->kind == RECORD_OBJECT_END || value->kind == RECORD_ARRAY_END)
		return;
	if (opens && record->depth == RECORD_TREE_DEPTH) {
		record->failure = -E2BIG;
		return;
	}
	made = value_of(value);
	if (!made && value->kind != RECORD_NULL)
		record->failure = -ENOMEM;
	else
		record->failure = add(tree, name, made);
	if (opens)
		tree->open[record->depth] = record->failure ? NULL : made;
}

struct record_tree record_tree__new(void (*done)(struct record *record))
{
	return (struct record_tree){ .record = { .put = put, .done = done } };
}

struct json_object *record_tree__take(struct record_tree *tree)
{
	struct json_object *record = tree->open[0];

	tree->open[0] = NULL;
	if (!tree->record.failure)
		return record;
	json_object_put(record);
	return NULL;
}

void record_tree__reopen(struct record_tree *tree)
{
	tree->record.depth = 1;
}

static void walk_members(struct json_object *object, struct record *record, const char *name)
{
	record__open(record, name);
	json_object_object_foreach(object, key, member)
	{
		record_tree__walk(member, record, key);
	}
	record__close(record);
}

static void walk_elements(struct json_object *array, struct record *record, const char *name)
{
	record__open_array(record, name);
	for (size_t i = 0; i < json_object_array_length(array); i++)
		record_tree__walk(json_object_array_get_idx(array, i), record, NULL);
	record__close_array(record);
}

static void walk_integer(struct json_object *value, struct record *record, const char *name)
{
	__s64 number = json_object_get_int64(value);

	/* What is above the largest of the one is of the other. */
	if (number < 0)
		record__i64(record, name, number);
	else
		record__u64(record, name, json_object_get_uint64(value));
}

static void walk_double(struct json_object *value, struct record *record, const char *name)
{
	struct record_value number = { RECORD_DOUBLE, .text = json_object_to_json_string(value) };

	if (number.text)
		record->put(record, name, &number);
	else
		record->failure = -ENOMEM;
}

void record_tree__walk(struct json_object *value, struct record *record, const char *name)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		record__null(record, name);
		break;
	case json_type_boolean:
		record__bool(record, name, json_object_get_boolean(value));
		break;
	case json_type_int:
		walk_integer(value, record, name);
		break;
	case json_type_double:
		walk_double(value, record, name);
		break;
	case json_type_string:
		record__string(record, name, json_object_get_string(value));
		break;
	case json_type_object:
		walk_members(value, record, name);
		break;
	case json_type_array:
		walk_elements(value, record, name);
		break;
	}
}

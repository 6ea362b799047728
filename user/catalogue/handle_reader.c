// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "catalogue/operand.h"
#include "catalogue/operand_reader.h"
#include "catalogue/readers.h"

_Static_assert(sizeof(struct tm_handle_spec) == 88, "the BPF side reads it by layout");

/* The longest that tells apart a key that was cut. */
#define KEY_MAX (TM_HANDLE_KEY - 2)

/* An operand under a key that must be there. */
static int read_operand(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			const char *key, enum operand_rule rule, struct tm_operand *out,
			struct error *err)
{
	const yaml_node_t *value = yaml_doc__get(doc, node, key);

	if (!value)
		return yaml_doc__fail(doc, node, err, "%s has no %s", what, key);
	return operand_reader__read(doc, value, key, rule, NULL, out, err);
}

static int read_names(struct yaml_doc *doc, const yaml_node_t *node, struct tm_handle_spec *spec,
		      struct error *err)
{
	static const char *const known[] = { "handle", "name", NULL };
	int ret = yaml_doc__check_keys(doc, node, "names", known, err);

	if (!ret)
		ret = read_operand(doc, node, "names", "handle", ONLY_MEMORY, &spec->handle, err);
	if (!ret)
		ret = read_operand(doc, node, "names", "name", NO_CONSTANT, &spec->name, err);
	return ret;
}

/* "[[arg4]].s64": the memory at the address in memory. */
static int read_indirect(struct yaml_doc *doc, const yaml_node_t *node, const char *text,
			 struct tm_handle_spec *spec, struct error *err)
{
	const char *end = strstr(text, "]]"), *reason;
	char direct[64];

	if (!end ||
	    snprintf(direct, sizeof(direct), "%.*s]%s", (int)(end - text - 1), text + 1, end + 2) >=
		    (int)sizeof(direct) ||
	    operand__parse(direct, NULL, &spec->size, &reason) < 0)
		return yaml_doc__fail(doc, node, err,
				      "bad operand %s in size; the number at an address that is in "
				      "memory is written as \"[[arg4]].s64\"",
				      yaml_doc__quote(text).text);
	spec->does |= TM_HANDLE_INDIRECT;
	return 0;
}

static int read_size(struct yaml_doc *doc, const yaml_node_t *node, struct tm_handle_spec *spec,
		     struct error *err)
{
	const yaml_node_t *size = yaml_doc__get(doc, node, "size");
	const char *text = "";
	int ret = 0;

	if (size)
		ret = yaml_doc__read_text(doc, size, "size", &text, err);
	if (!ret && strncmp(text, "[[", 2) == 0)
		return read_indirect(doc, size, text, spec, err);
	return ret ? ret : read_operand(doc, node, "sizes", "size", ONLY_MEMORY, &spec->size, err);
}

/* The key whose value is the size: { string: arg2, is: ".size" }. */
static int read_when(struct yaml_doc *doc, const yaml_node_t *node, struct tm_handle_spec *spec,
		     struct error *err)
{
	static const char *const known[] = { "string", "is", NULL };
	const yaml_node_t *is;
	const char *text;
	int ret = yaml_doc__check_keys(doc, node, "when", known, err);

	if (!ret)
		ret = read_operand(doc, node, "when", "string", NO_CONSTANT, &spec->key, err);
	if (ret)
		return ret;
	is = yaml_doc__get(doc, node, "is");
	if (!is)
		return yaml_doc__fail(doc, node, err, "when has no is");
	ret = yaml_doc__read_text(doc, is, "is", &text, err);
	if (!ret && strlen(text) > KEY_MAX)
		ret = yaml_doc__fail(doc, is, err, "is has %zu characters, at most %d are compared",
				     strlen(text), KEY_MAX);
	if (!ret)
		memcpy(spec->is, text, strlen(text));
	return ret;
}

static int read_sizes(struct yaml_doc *doc, const yaml_node_t *node, struct tm_handle_spec *spec,
		      struct error *err)
{
	static const char *const known[] = { "handle", "size", "when", NULL };
	const yaml_node_t *when;
	int ret = yaml_doc__check_keys(doc, node, "sizes", known, err);

	if (!ret)
		ret = read_operand(doc, node, "sizes", "handle", NO_CONSTANT, &spec->handle, err);
	if (!ret)
		ret = read_size(doc, node, spec, err);
	when = ret ? NULL : yaml_doc__get(doc, node, "when");
	return when ? read_when(doc, when, spec, err) : ret;
}

static int read_drops(struct yaml_doc *doc, const yaml_node_t *node, struct tm_handle_spec *spec,
		      struct error *err)
{
	return operand_reader__read(doc, node, "drops", NO_CONSTANT, NULL, &spec->handle, err);
}

/* Under which names a process joins; each may be missing. */
static int read_joins(struct yaml_doc *doc, const yaml_node_t *node, struct tm_handle_spec *spec,
		      struct error *err)
{
	static const char *const known[] = { "workflow", "component", NULL };
	int ret = yaml_doc__check_keys(doc, node, "joins", known, err);

	if (!ret && yaml_doc__get(doc, node, "workflow"))
		ret = read_operand(doc, node, "joins", "workflow", NO_CONSTANT, &spec->name, err);
	if (!ret && yaml_doc__get(doc, node, "component"))
		ret = read_operand(doc, node, "joins", "component", NO_CONSTANT, &spec->key, err);
	return ret;
}

static int read_leaves(struct yaml_doc *doc, const yaml_node_t *node, struct tm_handle_spec *spec,
		       struct error *err)
{
	bool leaves = false;
	int ret = yaml_doc__read_bool(doc, node, "leaves", &leaves, err);

	if (!leaves)
		spec->does = 0;
	return ret;
}

static const struct {
	const char *key;
	__u8 does;
	int (*read)(struct yaml_doc *doc, const yaml_node_t *node, struct tm_handle_spec *spec,
		    struct error *err);
} keys[] = {
	{ "names", TM_HANDLE_NAMES, read_names },    { "sizes", TM_HANDLE_SIZES, read_sizes },
	{ "drops", TM_HANDLE_DROPS, read_drops },    { "joins", TM_HANDLE_JOINS, read_joins },
	{ "leaves", TM_HANDLE_LEAVES, read_leaves },
};

/* By the size of the object of one of the keys above, else of that which the call is about. */
static int read_by_size(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
			struct error *err)
{
	bool by_size = false;
	int ret = yaml_doc__read_bool(doc, node, "by_size", &by_size, err);

	if (ret || !by_size)
		return ret;
	if (!spec->handle.does) {
		if (spec->object.kind != TM_OBJECT_HANDLE)
			return yaml_doc__fail(
				doc, node, err,
				"by_size: the calls are about no object that is known "
				"by its handle, set object: {handle: arg1}");
		spec->handle.handle = spec->object.a;
	}
	spec->handle.does |= TM_HANDLE_BY_SIZE;
	return 0;
}

int handle_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
			struct error *err)
{
	const yaml_node_t *by_size = yaml_doc__get(doc, node, "by_size");

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const yaml_node_t *value = yaml_doc__get(doc, node, keys[i].key);
		int ret;

		if (!value)
			continue;
		if (spec->handle.does)
			return yaml_doc__fail(
				doc, value, err,
				"a function tells one thing: one of names, sizes, drops, joins, "
				"leaves");
		spec->handle.does = keys[i].does;
		ret = keys[i].read(doc, value, &spec->handle, err);
		if (ret < 0)
			return ret;
	}
	return by_size ? read_by_size(doc, by_size, spec, err) : 0;
}

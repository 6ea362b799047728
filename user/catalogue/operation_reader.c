// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "catalogue/operand.h"
#include "catalogue/readers.h"

/* What paths are counted from. */
#define THE_OPERATION "op"

#define MAX_PATH 64 /* characters */

const char *const catalogue_field_names[TM_FIELDS] = {
	[TM_FIELD_SEQNO] = "seqno", [TM_FIELD_SESSION] = "session", [TM_FIELD_SM_ID] = "sm_id",
	[TM_FIELD_CODE] = "code",   [TM_FIELD_OBJECT] = "object",
};

/*
 * "[[op+16]+24].u32" or "[op+344]+8": the inner bracket holds a pointer, and what is around it is
 * read as if the pointer were the operation.
 */
static int parse_through(const char *text, const char *inner, const char *end, struct tm_path *path,
			 const char **reason)
{
	char pointer[MAX_PATH], rest[MAX_PATH];

	snprintf(pointer, sizeof(pointer), "%.*s", (int)(end - inner), inner);
	snprintf(rest, sizeof(rest), "%.*s" THE_OPERATION "%s", (int)(inner - text), text, end);
	if (operand__parse(pointer, THE_OPERATION, &path->pointer, reason) < 0)
		return -EINVAL;
	return operand__parse(rest, THE_OPERATION, &path->at, reason);
}

static int parse_path(const char *text, struct tm_path *path, const char **reason)
{
	const char *inner = strrchr(text, '['), *end = strchr(text, ']');

	*path = (struct tm_path){ 0 };
	*reason = "it is too long";
	if (strlen(text) + sizeof(THE_OPERATION) > MAX_PATH)
		return -EINVAL;
	if (inner && end && end > inner && (inner > text || end[1] == '+' || end[1] == '-'))
		return parse_through(text, inner, end + 1, path, reason);
	return operand__parse(text, THE_OPERATION, &path->at, reason);
}

static bool begins_in_operation(const struct tm_path *path)
{
	if (path->pointer.arg && (path->pointer.arg != TM_ARG_BASE || !path->pointer.memory))
		return false;
	return path->at.arg == TM_ARG_BASE;
}

/* needs_memory: the path leads to a number; else, to where something is. */
static int read_path(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
		     bool needs_memory, struct tm_path *path, struct error *err)
{
	const char *text, *reason;
	int ret = yaml_doc__read_text(doc, node, what, &text, err);

	if (ret < 0)
		return ret;
	if (parse_path(text, path, &reason) < 0)
		return yaml_doc__fail(
			doc, node, err,
			"bad path %s in %s, %s; valid are \"[op+8].u32\", and through "
			"a pointer \"[[op+16]+24]\" and \"[op+16]+24\"",
			yaml_doc__quote(text).text, what, reason);
	if (!begins_in_operation(path))
		return yaml_doc__fail(doc, node, err,
				      "%s is %s, and does not begin in the operation; write it as "
				      "\"[op+8].u32\"",
				      what, yaml_doc__quote(text).text);
	if (needs_memory && !path->at.memory)
		return yaml_doc__fail(doc, node, err,
				      "%s is the address %s, a number is needed; write it as "
				      "\"[op+8].u32\"",
				      what, yaml_doc__quote(text).text);
	return 0;
}

static int read_object(struct yaml_doc *doc, const yaml_node_t *node, struct tm_fields *fields,
		       struct error *err)
{
	static const char *const known[] = { "value", "u128", "u128be", NULL };
	const yaml_node_t *path = NULL;
	size_t k = 0;
	int ret = yaml_doc__check_keys(doc, node, "object of operations", known, err);

	if (ret < 0)
		return ret;
	while (known[k] && !path)
		path = yaml_doc__get(doc, node, known[k++]);
	if (!path || yaml_doc__n_pairs(node) != 1)
		return yaml_doc__fail(doc, node, err,
				      "object of operations needs exactly one of value, u128 and "
				      "u128be");
	fields->object_kind = k == 1 ? TM_OBJECT_VALUE : TM_OBJECT_U128;
	fields->big_endian = k == 3;
	return read_path(doc, path, "object", k == 1, &fields->paths[TM_FIELD_OBJECT], err);
}

static struct catalogue_code *find_code(struct catalogue_operation *operation, long number)
{
	for (size_t i = 0; i < operation->n_codes; i++)
		if (operation->codes[i].number == (__u32)number)
			return &operation->codes[i];
	return NULL;
}

/* One of {1: CREATE, 2: DELETE}. */
static int read_code(struct yaml_doc *doc, const yaml_node_t *key, const yaml_node_t *value,
		     struct catalogue_operation *out, struct strings *strings, struct error *err)
{
	const char *name = "";
	long number = 0;
	int ret = yaml_doc__read_number(doc, key, "a number of codes", 0, INT_MAX, &number, err);

	if (ret == 0)
		ret = yaml_doc__read_text(doc, value, "a name of codes", &name, err);
	if (ret < 0)
		return ret;
	if (find_code(out, number))
		return yaml_doc__fail(doc, key, err, "codes has %ld twice, remove one", number);
	if (strlen(name) > CATALOGUE_CODE_NAME)
		return yaml_doc__fail(doc, value, err,
				      "the name %s of codes is longer than %d "
				      "characters",
				      yaml_doc__quote(name).text, CATALOGUE_CODE_NAME);
	name = strings__keep(strings, name);
	if (!name)
		return error__set(err, -ENOMEM, "%s: out of memory", doc->file);
	out->codes[out->n_codes++] = (struct catalogue_code){ (__u32)number, name, false };
	return 0;
}

static int read_codes(struct yaml_doc *doc, const yaml_node_t *node,
		      struct catalogue_operation *out, struct strings *strings, struct error *err)
{
	size_t n = yaml_doc__n_pairs(node);
	int ret = 0;

	if (node->type != YAML_MAPPING_NODE || n < 1 || n > CATALOGUE_CODES)
		return yaml_doc__fail(doc, node, err,
				      "codes needs 1 to %d names of kinds by their numbers, as in "
				      "{1: CREATE, 2: DELETE}",
				      CATALOGUE_CODES);
	for (size_t i = 0; ret == 0 && i < n; i++)
		ret = read_code(doc, yaml_doc__key(doc, node, i), yaml_doc__value(doc, node, i),
				out, strings, err);
	return ret;
}

/* Those of the codes whose operations have a session. */
static int read_session_codes(struct yaml_doc *doc, const yaml_node_t *node,
			      struct catalogue_operation *out, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < yaml_doc__n_items(node); i++) {
		const yaml_node_t *item = yaml_doc__item(doc, node, i);
		struct catalogue_code *code;
		long number = 0;

		ret = yaml_doc__read_number(doc, item, "codes of session", 0, INT_MAX, &number,
					    err);
		code = ret == 0 ? find_code(out, number) : NULL;
		if (code)
			code->has_session = true;
		else if (ret == 0)
			ret = yaml_doc__fail(doc, item, err,
					     "codes of session has %ld, which is not among the "
					     "operation's codes",
					     number);
	}
	return ret;
}

/* Comes after the codes. */
static int read_session(struct yaml_doc *doc, const yaml_node_t *node,
			struct catalogue_operation *out, struct error *err)
{
	static const char *const known[] = { "value", "codes", NULL };
	const yaml_node_t *value = node, *codes = NULL;
	int ret = 0;

	if (node->type == YAML_MAPPING_NODE) {
		ret = yaml_doc__check_keys(doc, node, "session", known, err);
		value = yaml_doc__get(doc, node, "value");
		codes = yaml_doc__get(doc, node, "codes");
	}
	if (ret == 0 && !value)
		ret = yaml_doc__fail(doc, node, err, "session has no value");
	if (ret == 0)
		ret = read_path(doc, value, "session", true, &out->fields.paths[TM_FIELD_SESSION],
				err);
	for (size_t i = 0; ret == 0 && !codes && i < out->n_codes; i++)
		out->codes[i].has_session = true;
	return ret < 0 || !codes ? ret : read_session_codes(doc, codes, out, err);
}

int operation_reader__read(struct yaml_doc *doc, const yaml_node_t *node,
			   struct catalogue_operation *out, struct strings *strings,
			   struct error *err)
{
	static const char *const known[] = { "only", "seqno", "session", "sm_id",
					     "code", "codes", "object",	 NULL };
	static const enum tm_field numbers[] = { TM_FIELD_SEQNO, TM_FIELD_SM_ID, TM_FIELD_CODE };
	const yaml_node_t *codes, *session, *object;
	int ret = yaml_doc__check_keys(doc, node, "an operation", known, err);

	codes = yaml_doc__get(doc, node, "codes");
	session = yaml_doc__get(doc, node, "session");
	object = yaml_doc__get(doc, node, "object");
	for (size_t i = 0; ret == 0 && i < sizeof(numbers) / sizeof(*numbers); i++) {
		const char *name = catalogue_field_names[numbers[i]];
		const yaml_node_t *path = yaml_doc__get(doc, node, name);

		if (path)
			ret = read_path(doc, path, name, true, &out->fields.paths[numbers[i]], err);
	}
	if (ret == 0 && !codes != !yaml_doc__get(doc, node, "code"))
		ret = yaml_doc__fail(doc, node, err,
				     "an operation needs both code, where the number of its kind "
				     "is, and codes, the names by number, or neither");
	if (ret == 0 && codes)
		ret = read_codes(doc, codes, out, strings, err);
	if (ret == 0 && session)
		ret = read_session(doc, session, out, err);
	return ret < 0 || !object ? ret : read_object(doc, object, &out->fields, err);
}

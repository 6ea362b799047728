// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "object/object_name.h"
#include "tmtrace/spec.h"

/* A component of a path takes a byte at least, and its NUL. */
#define PARTS_MAX (TM_OBJECT_NAME / 2)

struct part {
	const char *at;
	size_t n;
};

/* The components, as they stand: the file first. */
static size_t split(const struct tm_object_name *name, struct part parts[PARTS_MAX])
{
	size_t n = 0, at = 0;

	while (at < TM_OBJECT_NAME && name->text[at] && n < PARTS_MAX) {
		parts[n].at = &name->text[at];
		parts[n].n = strnlen(&name->text[at], TM_OBJECT_NAME - at);
		at += parts[n++].n + 1;
	}
	return n;
}

static bool is_root(const struct part *part)
{
	return part->n == 1 && part->at[0] == '/';
}

bool object_name__path(const struct tm_object_name *name, bool is_cut, char out[OBJECT_NAME_ROOM])
{
	struct part parts[PARTS_MAX];
	size_t n = split(name, parts);

	if (!n)
		return false;
	*out = '\0';
	if (is_cut)
		out = stpcpy(out, OBJECT_NAME_CUT);
	if (n == 1 && is_root(parts)) {
		memcpy(out, "/", sizeof("/"));
		return true;
	}
	while (n--) {
		*out++ = '/';
		memcpy(out, parts[n].at, parts[n].n);
		out += parts[n].n;
	}
	*out = '\0';
	return true;
}

bool object_name__text(const struct tm_object *object, const struct tm_object_name *name,
		       char out[OBJECT_NAME_ROOM])
{
	if (object->key.what == TM_OBJECT_FILE)
		return object_name__path(name, object->is_cut, out);
	if (object->key.what != TM_OBJECT_STRING)
		return false;
	memcpy(out, name->text, strnlen(name->text, TM_OBJECT_NAME - 1));
	out[strnlen(name->text, TM_OBJECT_NAME - 1)] = '\0';
	return true;
}

bool object_name__id(const struct tm_object_key *key, char out[OBJECT_ID_ROOM])
{
	switch (key->what) {
	case TM_OBJECT_FILE:
		if (!key->id[0])
			return false;
		snprintf(out, OBJECT_ID_ROOM, "%llx:%llx:%llx", key->id[1] >> 32, key->id[0],
			 key->id[1] & 0xffffffff);
		return true;
	case TM_OBJECT_VALUE:
		snprintf(out, OBJECT_ID_ROOM, "0x%llx", key->id[0]);
		return true;
	case TM_OBJECT_U128:
		snprintf(out, OBJECT_ID_ROOM, "0x%llx:0x%llx", key->id[0], key->id[1]);
		return true;
	default:
		return false;
	}
}

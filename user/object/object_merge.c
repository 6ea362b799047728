// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/object_merge.h"
#include "tmtrace/spec.h"

/* What an object is known by. */
struct identity {
	struct tm_object_key key;
	const char *name; /* "": by the key alone */
	__u32 source;	  /* 0: any */
};

/* One of them, with what is added up. */
struct merged {
	struct identity identity;
	size_t n; /* records that were added */
	struct snapshot_object object;
};

/* That a process has used it. */
struct member {
	const struct merged *of;
	__u32 source, tgid;
};

struct object_merge {
	void *known;   /* struct merged *, tsearch(3) */
	void *members; /* struct member *, the same */
	struct snapshot_object **objects;
	size_t n, room;
};

static int compare_numbers(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_identities(const void *left, const void *right)
{
	const struct identity *a = left, *b = right;
	int order = object_key__order(&a->key, &b->key);

	if (!order)
		order = compare_numbers(a->source, b->source);
	return order ? order : strcmp(a->name, b->name);
}

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	int order = compare_numbers((uintptr_t)a->of, (uintptr_t)b->of);

	if (!order)
		order = compare_numbers(a->source, b->source);
	return order ? order : compare_numbers(a->tgid, b->tgid);
}

static struct identity identity_of(const struct object_merge_from *from)
{
	const struct tm_object_key *key = &from->object->total.key;
	struct identity identity = { .key = *key, .name = "" };

	identity.key.job = from->job;
	identity.key.layer = from->layer;
	if (from->object->name) {
		identity.name = from->object->name;
		identity.key.id[0] = identity.key.id[1] = 0;
	} else if (key->what == TM_OBJECT_FILE || key->what == TM_OBJECT_VALUE) {
		identity.source = from->source + 1;
	}
	if (from->object->name || key->what != TM_OBJECT_VALUE)
		identity.key.tgid = 0;
	return identity;
}

struct object_merge *object_merge__new(void)
{
	return calloc(1, sizeof(struct object_merge));
}

static void leave(void *node)
{
	(void)node;
}

void object_merge__free(struct object_merge *merge)
{
	if (!merge)
		return;
	tdestroy(merge->members, free);
	tdestroy(merge->known, leave);
	for (size_t i = 0; i < merge->n; i++)
		free((char *)merge->objects[i] - offsetof(struct merged, object));
	free((void *)merge->objects);
	free(merge);
}

static struct merged *make_merged(struct object_merge *merge, const struct identity *identity)
{
	struct merged *merged = NULL;

	if (array__grow((void **)&merge->objects, &merge->room, merge->n, sizeof(*merge->objects)) <
	    0)
		return NULL;
	merged = aligned_alloc(__alignof__(*merged), sizeof(*merged));
	if (!merged)
		return NULL;
	memset(merged, 0, sizeof(*merged));
	merged->identity = *identity;
	if (!tsearch(merged, &merge->known, compare_identities)) {
		free(merged);
		return NULL;
	}
	merge->objects[merge->n++] = &merged->object;
	return merged;
}

static void shift(__u64 *ns, __u64 by_ns)
{
	if (*ns)
		*ns += by_ns;
}

static void shift_times(struct tm_object *object, __u64 by_ns)
{
	for (int i = 0; i < TM_DIRECTIONS; i++) {
		struct tm_access *access = &object->access[i];

		shift(&access->first_ns, by_ns);
		shift(&access->last_ns, by_ns);
		shift(&access->slowest_start_ns, by_ns);
	}
	shift(&object->opens.first_ns, by_ns);
	shift(&object->opens.last_ns, by_ns);
	shift(&object->closes.first_ns, by_ns);
	shift(&object->closes.last_ns, by_ns);
}

/* The figures of one more; the first one's are copied. */
static void add_figures(struct merged *merged, const struct object_merge_from *from)
{
	struct snapshot_object *to = &merged->object;
	struct tm_object total = from->object->total;

	shift_times(&total, from->shift_ns);
	if (merged->n++) {
		object__add(&to->total, &total);
		return;
	}
	to->total = total;
	to->total.key = merged->identity.key;
	to->name = from->object->name;
	to->place = from->object->place;
}

/* Counts its process, unless it was counted before. */
static int add_member(struct object_merge *merge, struct merged *merged,
		      const struct object_merge_from *from)
{
	struct snapshot_object *to = &merged->object;
	const struct member wanted = { merged, from->source, from->object->total.key.tgid };
	struct member *member;

	if (from->object->processes || !wanted.tgid) {
		to->processes += from->object->processes;
		return 0;
	}
	if (tfind(&wanted, &merge->members, compare_members))
		return 0;
	member = malloc(sizeof(*member));
	if (!member)
		return -ENOMEM;
	*member = wanted;
	if (!tsearch(member, &merge->members, compare_members)) {
		free(member);
		return -ENOMEM;
	}
	to->processes++;
	return 0;
}

int object_merge__add(struct object_merge *merge, const struct object_merge_from *from)
{
	const struct identity identity = identity_of(from);
	struct merged **found = tfind(&identity, &merge->known, compare_identities);
	struct merged *merged = found ? *found : make_merged(merge, &identity);

	if (!merged)
		return -ENOMEM;
	add_figures(merged, from);
	return add_member(merge, merged, from);
}

const struct snapshot_object *const *object_merge__sorted(const struct object_merge *merge)
{
	snapshot_object__sort(merge->objects, merge->n);
	return (const struct snapshot_object *const *)merge->objects;
}

size_t object_merge__count(const struct object_merge *merge)
{
	return merge->n;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>

#include "recording/name_writer.h"

/* Names of which there may be single records yet; beyond them the first that came goes. */
#define PASSING 256

/* A name that is in the file, by entry type and key: what is written is compared by a hash. */
struct named {
	__u16 type; /* first: the tree compares these two */
	__u64 key;
	__u64 hash;
	bool is_kept;
	bool is_passing; /* it is in that ring */
};

struct name_writer {
	void *tree; /* of struct named, tsearch(3) */
	struct named *passing[PASSING];
	size_t n_passing; /* so far; they are in a ring */
};

struct name_writer *name_writer__new(void)
{
	return calloc(1, sizeof(struct name_writer));
}

void name_writer__free(struct name_writer *writer)
{
	if (!writer)
		return;
	tdestroy(writer->tree, free);
	free(writer);
}

static int compare_names(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static int let_go(struct name_writer *writer, struct ring_writer *ring, struct named *named,
		  struct error *err)
{
	const struct named gone = *named;

	tdelete(named, &writer->tree, compare_names);
	free(named);
	return ring_writer__let_go(ring, gone.type, gone.key, err);
}

/* Takes the place of one that passed long ago. */
static int pass(struct name_writer *writer, struct ring_writer *ring, struct named *named,
		struct error *err)
{
	struct named **place = &writer->passing[writer->n_passing % PASSING], *old = *place;

	if (named->is_passing)
		return 0;
	*place = named;
	writer->n_passing++;
	named->is_passing = true;
	if (!old)
		return 0;
	old->is_passing = false;
	return old->is_kept ? 0 : let_go(writer, ring, old, err);
}

/* A name with that hash; *is_new: it has to be written. NULL: no memory. */
static struct named *find_or_add(struct name_writer *writer, enum recording_entry type, __u64 key,
				 __u64 hash, bool *is_new)
{
	const struct named wanted = { .type = type, .key = key, .hash = hash };
	struct named **node = tfind(&wanted, &writer->tree, compare_names), *named;

	*is_new = !node || (*node)->hash != hash;
	if (node) {
		(*node)->hash = hash;
		return *node;
	}
	named = malloc(sizeof(*named));
	if (!named)
		return NULL;
	*named = wanted;
	if (tsearch(named, &writer->tree, compare_names))
		return named;
	free(named);
	return NULL;
}

/* *out: the name, which is in the file. */
static int put_name(struct name_writer *writer, struct ring_writer *ring, const struct pack *pack,
		    enum recording_entry type, __u64 key, struct named **out, struct error *err)
{
	bool is_new;

	if (pack->failed)
		return -ENOMEM;
	*out = find_or_add(writer, type, key, pack__hash(pack), &is_new);
	if (!*out)
		return -ENOMEM;
	return is_new ? ring_writer__state(ring, type, key, pack->bytes, pack->n, err) : 0;
}

int name_writer__put(struct name_writer *writer, struct ring_writer *ring, const struct pack *pack,
		     enum recording_entry type, __u64 key, struct error *err)
{
	struct named *named;
	int ret = put_name(writer, ring, pack, type, key, &named, err);

	if (ret >= 0)
		named->is_kept = true;
	return ret;
}

int name_writer__put_passing(struct name_writer *writer, struct ring_writer *ring,
			     const struct pack *pack, enum recording_entry type, __u64 key,
			     struct error *err)
{
	struct named *named;
	int ret = put_name(writer, ring, pack, type, key, &named, err);

	return ret < 0 || named->is_kept ? ret : pass(writer, ring, named, err);
}

int name_writer__pass(struct name_writer *writer, struct ring_writer *ring,
		      enum recording_entry type, __u64 key, struct error *err)
{
	const struct named wanted = { .type = type, .key = key };
	struct named **node = tfind(&wanted, &writer->tree, compare_names);

	if (!node)
		return 0;
	(*node)->is_kept = false;
	return pass(writer, ring, *node, err);
}

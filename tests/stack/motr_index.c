// SPDX-License-Identifier: GPL-2.0-only
/* Key-value indices in memory: one sorted array of (index, key). */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "motr.h"
#include "motr_store.h"

struct record {
	uint64_t id[2];
	uint64_t key_length, value_length;
	char *key, *value;
};

struct index {
	pthread_mutex_t lock;
	struct record *records;
	size_t nr, room;
};

struct index *index_new(void)
{
	struct index *x = calloc(1, sizeof(*x));

	if (x)
		pthread_mutex_init(&x->lock, NULL);
	return x;
}

void index_free(struct index *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->nr; i++) {
		free(x->records[i].key);
		free(x->records[i].value);
	}
	free(x->records);
	pthread_mutex_destroy(&x->lock);
	free(x);
}

static int compare(const struct record *r, const struct wire_request *req, const char *key,
		   uint64_t length)
{
	uint64_t common = r->key_length < length ? r->key_length : length;
	int order = memcmp(r->id, req->id, sizeof(r->id));

	if (!order && common)
		order = memcmp(r->key, key, common);
	return order ? order : (r->key_length > length) - (r->key_length < length);
}

/* The first record that is not less; *found when it is equal. */
static size_t search(const struct index *x, const struct wire_request *req, const char *key,
		     uint64_t length, bool *found)
{
	size_t low = 0, high = x->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (compare(&x->records[mid], req, key, length) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*found = low < x->nr && !compare(&x->records[low], req, key, length);
	return low;
}

static char *copy(const char *p, uint64_t length)
{
	char *q = malloc(length + 1);

	if (q && length)
		memcpy(q, p, length);
	return q;
}

static int replace(struct record *r, const char *value, uint64_t length)
{
	char *v = copy(value, length);

	if (!v)
		return -ENOMEM;
	free(r->value);
	r->value = v;
	r->value_length = length;
	return 0;
}

static int insert(struct index *x, size_t at, const struct wire_request *req, const char *key,
		  uint64_t length)
{
	struct record *r;

	if (x->nr == x->room) {
		size_t room = x->room ? x->room * 2 : 64;

		r = realloc(x->records, room * sizeof(*r));
		if (!r)
			return -ENOMEM;
		x->records = r;
		x->room = room;
	}
	r = &x->records[at];
	memmove(r + 1, r, (x->nr - at) * sizeof(*r));
	memset(r, 0, sizeof(*r));
	memcpy(r->id, req->id, sizeof(r->id));
	r->key = copy(key, length);
	r->key_length = length;
	x->nr++;
	return r->key ? 0 : -ENOMEM;
}

static void erase(struct index *x, size_t at)
{
	free(x->records[at].key);
	free(x->records[at].value);
	x->nr--;
	memmove(&x->records[at], &x->records[at + 1], (x->nr - at) * sizeof(*x->records));
}

static int change(struct index *x, const struct wire_request *req, const struct wire_item *item,
		  const char *key, const char *value)
{
	bool found;
	size_t at = search(x, req, key, item->a, &found);
	int rc;

	if (req->code == M0_IC_DEL) {
		if (!found)
			return -ENOENT;
		erase(x, at);
		return 0;
	}
	if (found && !(req->flags & M0_OIF_OVERWRITE))
		return -EEXIST;
	if (!found) {
		rc = insert(x, at, req, key, item->a);
		if (rc)
			return rc;
	}
	return replace(&x->records[at], value, item->b);
}

static void change_all(struct index *x, const struct wire_request *req, const void *body,
		       struct wire_reply *reply, struct wire_item *status)
{
	const struct wire_item *items = body;
	const char *key = (const char *)(items + req->nr), *value = key;

	for (uint32_t i = 0; i < req->nr; i++)
		value += items[i].a;
	for (uint32_t i = 0; i < req->nr; i++) {
		status[i].b = (uint64_t)(int64_t)change(x, req, &items[i], key, value);
		key += items[i].a;
		value += items[i].b;
	}
	reply->nr = req->nr;
}

/* A reply that grows: (length, status) items first, then the bytes of each. */
static int append(void **out, struct wire_reply *reply, const char *bytes, uint64_t length)
{
	size_t used = store_reply_size(reply);
	char *p = realloc(*out, used + length + 1);

	if (!p)
		return -ENOMEM;
	*out = p;
	if (length)
		memcpy(p + used, bytes, length);
	reply->data_length += length;
	return 0;
}

static int answer(void **out, struct wire_reply *reply, uint32_t i, const char *bytes,
		  uint64_t length, int status)
{
	int rc = append(out, reply, bytes, length);

	if (!rc)
		((struct wire_item *)*out)[i] =
			(struct wire_item){ length, (uint64_t)(int64_t)status };
	return rc;
}

static int get(struct index *x, const struct wire_request *req, const void *body,
	       struct wire_reply *reply, void **out)
{
	const struct wire_item *items = body;
	const char *key = (const char *)(items + req->nr);
	int rc = 0;

	reply->nr = req->nr;
	for (uint32_t i = 0; i < req->nr && !rc; i++) {
		bool found;
		size_t at = search(x, req, key, items[i].a, &found);
		struct record *r = found ? &x->records[at] : NULL;

		rc = answer(out, reply, i, r ? r->value : NULL, r ? r->value_length : 0,
			    r ? 0 : -ENOENT);
		key += items[i].a;
	}
	return rc;
}

/* Two items for each record: the key, then the value. */
static int next(struct index *x, const struct wire_request *req, const void *body,
		struct wire_reply *reply, void **out)
{
	const struct wire_item *items = body;
	const char *key = (const char *)(items + req->nr);
	bool found;
	size_t at = search(x, req, key, req->nr ? items[0].a : 0, &found);
	int rc = 0;

	if (found && (req->flags & M0_OIF_EXCLUDE_START_KEY))
		at++;
	reply->nr = req->nr * 2;
	for (uint32_t i = 0; i < req->nr && !rc; i++, at++) {
		struct record *r = at < x->nr ? &x->records[at] : NULL;
		bool ours = r && !memcmp(r->id, req->id, sizeof(r->id));
		int status = ours ? 0 : -ENOENT;

		rc = answer(out, reply, i * 2, ours ? r->key : NULL, ours ? r->key_length : 0,
			    status);
		if (!rc)
			rc = answer(out, reply, i * 2 + 1, ours ? r->value : NULL,
				    ours ? r->value_length : 0, status);
	}
	return rc;
}

/* Deleting an index deletes its records; indices need no creation. */
static void delete_all(struct index *x, const struct wire_request *req)
{
	for (size_t i = x->nr; i > 0; i--)
		if (!memcmp(x->records[i - 1].id, req->id, sizeof(req->id)))
			erase(x, i - 1);
}

void index_execute(struct index *x, const struct wire_request *req, const void *body,
		   struct wire_reply *reply, void **out)
{
	uint32_t answers = req->code == M0_IC_NEXT ? req->nr * 2 : req->nr;

	if (answers)
		*out = calloc(answers, sizeof(struct wire_item));
	if (answers && !*out) {
		reply->rc = -ENOMEM;
		return;
	}
	pthread_mutex_lock(&x->lock);
	if (req->code == M0_IC_PUT || req->code == M0_IC_DEL)
		change_all(x, req, body, reply, *out);
	else if (req->code == M0_IC_GET)
		reply->rc = get(x, req, body, reply, out);
	else if (req->code == M0_IC_NEXT)
		reply->rc = next(x, req, body, reply, out);
	else if (req->code == M0_EO_DELETE)
		delete_all(x, req);
	pthread_mutex_unlock(&x->lock);
}

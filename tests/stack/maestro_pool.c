// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of this process: who offers and who wants which CDO. An offered CDO is an object of MIO,
 * so that offer, demand and withdraw wait for the store.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maestro_pool.h"

struct entry {
	struct entry *next;
	char name[NAME_SIZE];
	struct mio_obj_id object;
	int64_t size;
	bool offered;
	int wanted; /* required and neither demanded nor retracted */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct entry *entries;
	uint64_t last_object;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* With the lock held; a new entry when there is none. */
static struct entry *entry(const char *name)
{
	struct entry *e = pool.entries;

	while (e && strcmp(e->name, name) != 0)
		e = e->next;
	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	strcpy(e->name, name);
	e->next = pool.entries;
	pool.entries = e;
	return e;
}

/* Forgets an entry that nobody holds any more. */
static void release(struct entry *e)
{
	struct entry **at = &pool.entries;

	if (e->offered || e->wanted)
		return;
	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	free(e);
}

/* Polls a launched operation to its end, and ends it. */
static int finish(struct mio_op *op, int launched)
{
	struct mio_pollop poll = { .mp_op = op };
	int rc = launched;

	if (!rc)
		rc = mio_op_poll(&poll, 1, MIO_TIME_NEVER);
	if (rc >= 0)
		rc = op->mop_rc;
	mio_op_fini(op);
	return rc;
}

static int put_object(const struct mio_obj_id *id, void *data, size_t size)
{
	struct mio_iovec iov = { .miov_base = data, .miov_len = size };
	struct mio_obj obj;
	struct mio_op op;
	int rc;

	mio_op_init(&op);
	rc = finish(&op, mio_obj_create(id, NULL, NULL, &obj, &op));
	if (!rc && size) {
		mio_op_init(&op);
		rc = finish(&op, mio_obj_writev(&obj, &iov, 1, &op));
	}
	mio_obj_close(&obj);
	return rc;
}

static int get_object(const struct mio_obj_id *id, void *data, size_t size)
{
	struct mio_iovec iov = { .miov_base = data, .miov_len = size };
	struct mio_obj obj;
	struct mio_op op;
	int rc;

	mio_op_init(&op);
	rc = finish(&op, mio_obj_open(id, &obj, &op));
	if (!rc && size) {
		mio_op_init(&op);
		rc = finish(&op, mio_obj_readv(&obj, &iov, 1, &op));
	}
	mio_obj_close(&obj);
	return rc;
}

static int delete_object(const struct mio_obj_id *id)
{
	struct mio_op op;

	mio_op_init(&op);
	return finish(&op, mio_obj_delete(id, &op));
}

/* Unique on the server too: our process's id is in the upper half. */
static struct mio_obj_id new_object(void)
{
	struct mio_obj_id id = { { 0x43, 0x44, 0x4f } };
	uint32_t pid = (uint32_t)getpid();

	memcpy(&id.moi_bytes[4], &pid, sizeof(pid));
	pthread_mutex_lock(&pool.lock);
	pool.last_object++;
	memcpy(&id.moi_bytes[8], &pool.last_object, sizeof(pool.last_object));
	pthread_mutex_unlock(&pool.lock);
	return id;
}

/* The bytes go first, so that nobody can demand what is not there yet. */
mstro_status pool_offer(mstro_cdo cdo)
{
	struct mio_obj_id id = new_object();
	mstro_status status = MSTRO_OK;
	struct entry *e;

	if (put_object(&id, cdo->data, (size_t)cdo->size) < 0)
		return MSTRO_FAIL;
	pthread_mutex_lock(&pool.lock);
	e = entry(cdo->name);
	if (!e) {
		status = MSTRO_NOMEM;
	} else if (e->offered) {
		status = MSTRO_INVARG;
	} else {
		e->offered = true;
		e->object = id;
		e->size = cdo->size;
		pthread_cond_broadcast(&pool.changed);
	}
	pthread_mutex_unlock(&pool.lock);
	if (status != MSTRO_OK)
		delete_object(&id);
	return status;
}

/* Waits until nobody wants the CDO any more. */
mstro_status pool_withdraw(mstro_cdo cdo)
{
	struct mio_obj_id id;
	struct entry *e;

	pthread_mutex_lock(&pool.lock);
	e = entry(cdo->name);
	while (e && e->wanted)
		pthread_cond_wait(&pool.changed, &pool.lock);
	if (!e || !e->offered) {
		pthread_mutex_unlock(&pool.lock);
		return MSTRO_NOMATCH;
	}
	id = e->object;
	e->offered = false;
	release(e);
	pthread_mutex_unlock(&pool.lock);
	return delete_object(&id) < 0 ? MSTRO_FAIL : MSTRO_OK;
}

static mstro_status want(const char *name, int change)
{
	struct entry *e;

	pthread_mutex_lock(&pool.lock);
	e = entry(name);
	if (e) {
		e->wanted += change;
		release(e);
		pthread_cond_broadcast(&pool.changed);
	}
	pthread_mutex_unlock(&pool.lock);
	return e ? MSTRO_OK : MSTRO_NOMEM;
}

mstro_status pool_require(const char *name)
{
	return want(name, 1);
}

mstro_status pool_retract(const char *name)
{
	return want(name, -1);
}

/* Waits for the offer, then fetches the bytes. */
mstro_status pool_demand(mstro_cdo cdo)
{
	struct mio_obj_id id;
	struct entry *e;
	void *data;
	int rc;

	pthread_mutex_lock(&pool.lock);
	e = entry(cdo->name);
	while (e && !e->offered)
		pthread_cond_wait(&pool.changed, &pool.lock);
	if (e) {
		id = e->object;
		cdo->size = e->size;
	}
	pthread_mutex_unlock(&pool.lock);
	if (!e)
		return MSTRO_NOMEM;
	data = malloc((size_t)cdo->size + 1);
	if (!data)
		return MSTRO_NOMEM;
	rc = get_object(&id, data, (size_t)cdo->size);
	if (rc < 0) {
		free(data);
		return MSTRO_FAIL;
	}
	cdo->data = data;
	cdo->data_is_ours = true;
	return want(cdo->name, -1);
}

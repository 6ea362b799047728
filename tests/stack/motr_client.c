// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and end of a client. Environment: STACK_LOCAL=1 (no server), STACK_DIR (the folder of the
 * objects), STACK_DIRECT=1 (O_DIRECT), STACK_SOCKET (a server that runs already), STACK_WORKERS.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "motr_client.h"
#include "truth.h"

#define TRUTH_LAYER "m0"

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

static int connect_store(struct m0_client *c)
{
	const char *dir = getenv("STACK_DIR");
	const char *socket_name = getenv("STACK_SOCKET");

	if (!dir)
		dir = ".";
	if (is_set("STACK_LOCAL")) {
		c->store = store_open(dir, is_set("STACK_DIRECT"));
		return c->store ? 0 : -errno;
	}
	if (socket_name && *socket_name)
		return wire_address(socket_name, &c->address, &c->address_length);
	return motr_server_start(c, dir);
}

static void stop(struct m0_client *c)
{
	pthread_mutex_lock(&c->lock);
	c->stopping = true;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	for (int i = 0; i < c->nr_workers; i++)
		pthread_join(c->workers[i], NULL);
	motr_server_stop(c);
	store_close(c->store);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->work);
	free(c);
}

static int start(struct m0_client *c)
{
	const char *workers = getenv("STACK_WORKERS");
	int nr = workers ? atoi(workers) : 3;
	struct timespec now;
	int rc;

	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	c->last = &c->first;
	c->lifeline = -1;
	clock_gettime(CLOCK_REALTIME, &now);
	/* Unlike any other one, as those are that a Motr server gives out. */
	c->session = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	rc = connect_store(c);
	nr = nr < 1 ? 1 : nr > MAX_WORKERS ? MAX_WORKERS : nr;
	for (; !rc && c->nr_workers < nr; c->nr_workers++) {
		rc = -pthread_create(&c->workers[c->nr_workers], NULL, motr_worker, c);
		if (rc)
			break;
	}
	return rc;
}

int m0_client_init(struct m0_client **m0c, struct m0_config *conf, bool init_m0)
{
	TRUTH();
	struct m0_client *c;
	int rc;

	(void)conf;
	(void)init_m0;
	if (!m0c)
		return TRUTH_ERRNO(-EINVAL);
	c = calloc(1, sizeof(*c));
	if (!c)
		return TRUTH_ERRNO(-ENOMEM);
	rc = start(c);
	if (rc)
		stop(c);
	else
		*m0c = c;
	return TRUTH_ERRNO(rc);
}

void m0_client_fini(struct m0_client *m0c, bool fini_m0)
{
	TRUTH();
	(void)fini_m0;
	stop(m0c);
}

void m0_container_init(struct m0_container *con, struct m0_realm *parent,
		       const struct m0_uint128 *id, struct m0_client *instance)
{
	TRUTH();
	(void)parent;
	(void)id;
	con->co_realm.re_instance = instance;
}

static void entity_init(struct m0_entity *e, struct m0_realm *realm, const struct m0_uint128 *id,
			uint32_t type)
{
	memset(e, 0, sizeof(*e));
	e->en_type = type;
	e->en_id = *id;
	e->en_realm = realm;
}

void m0_obj_init(struct m0_obj *obj, struct m0_realm *parent, const struct m0_uint128 *id,
		 uint64_t layout_id)
{
	TRUTH();
	(void)layout_id;
	entity_init(&obj->ob_entity, parent, id, M0_ET_OBJ);
}

void m0_obj_fini(struct m0_obj *obj)
{
	TRUTH();
	obj->ob_entity.en_realm = NULL;
}

void m0_idx_init(struct m0_idx *idx, struct m0_realm *parent, const struct m0_uint128 *id)
{
	TRUTH();
	entity_init(&idx->in_entity, parent, id, M0_ET_IDX);
}

void m0_idx_fini(struct m0_idx *idx)
{
	TRUTH();
	idx->in_entity.en_realm = NULL;
}

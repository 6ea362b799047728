// SPDX-License-Identifier: GPL-2.0-only
/* Motr's part of "all": a client of its own, used directly. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "motr.h"

static int finish(struct m0_op *op)
{
	int rc;

	m0_op_setup(op, NULL, 0);
	m0_op_launch(&op, 1);
	/* A deadline that is long past: the first wait may time out. */
	m0_op_wait(op, M0_BITS(M0_OS_STABLE, M0_OS_FAILED), 1);
	CHECK(m0_op_wait(op, M0_BITS(M0_OS_STABLE, M0_OS_FAILED), M0_TIME_NEVER) == 0);
	rc = m0_rc(op);
	m0_op_fini(op);
	m0_op_free(op);
	return rc;
}

static int transfer(struct m0_obj *obj, enum m0_obj_opcode code, void *buf, uint64_t length)
{
	uint64_t at = 0;
	struct m0_bufvec data = { { 1, &length }, &buf };
	struct m0_indexvec ext = { { 1, &length }, &at };
	struct m0_op *op = NULL;

	CHECK(m0_obj_op(obj, code, &ext, &data, NULL, 0, M0_OOF_SYNC, &op) == 0);
	return finish(op);
}

static int entity(struct m0_entity *e, int (*make)(struct m0_entity *, struct m0_op **))
{
	struct m0_op *op = NULL;
	int rc = make(e, &op);

	return rc ? rc : finish(op);
}

static int create(struct m0_entity *e, struct m0_op **op)
{
	return m0_entity_create(NULL, e, op);
}

static void refused(struct m0_obj *obj)
{
	struct m0_obj closed = { 0 };
	struct m0_op *op = NULL;

	CHECK(entity(&closed.ob_entity, m0_entity_open) == -EINVAL);
	CHECK(entity(&closed.ob_entity, create) == -EINVAL);
	CHECK(entity(&closed.ob_entity, m0_entity_delete) == -EINVAL);
	CHECK(m0_obj_op(obj, (enum m0_obj_opcode)99, NULL, NULL, NULL, 0, 0, &op) == -EINVAL);
	CHECK(m0_idx_op((struct m0_idx *)obj, (enum m0_idx_opcode)99, NULL, NULL, NULL, 0, &op) ==
	      -EINVAL);
	CHECK(m0_client_init(NULL, NULL, true) == -EINVAL);
}

void load_round_m0(const struct load *l)
{
	struct m0_uint128 id = { (uint64_t)getpid() << 32, 0x4d30 };
	struct m0_container container;
	struct m0_client *client = NULL;
	struct m0_obj obj;
	char *written = malloc(l->size), *read = malloc(l->size);

	CHECK(written && read);
	memset(written, 0x4d, l->size);
	CHECK(m0_client_init(&client, NULL, true) == 0);
	m0_container_init(&container, NULL, &id, client);
	m0_obj_init(&obj, &container.co_realm, &id, 0);
	CHECK(entity(&obj.ob_entity, m0_entity_open) == -ENOENT);
	CHECK(transfer(&obj, M0_OC_WRITE, written, l->size) == -ENOENT);
	CHECK(entity(&obj.ob_entity, create) == 0);
	CHECK(transfer(&obj, M0_OC_WRITE, written, l->size) == 0);
	CHECK(transfer(&obj, M0_OC_READ, read, l->size) == 0);
	CHECK(!memcmp(written, read, l->size));
	CHECK(entity(&obj.ob_entity, m0_entity_delete) == 0);
	refused(&obj);
	m0_obj_fini(&obj);
	m0_client_fini(client, true);
	free(written);
	free(read);
}

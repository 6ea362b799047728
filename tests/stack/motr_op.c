// SPDX-License-Identifier: GPL-2.0-only
/* Operations: made, launched, waited for, freed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "motr_client.h"
#include "truth.h"

#define TRUTH_LAYER "m0"

static const struct m0_sm_conf op_conf = { .scf_name = "op-conf" };

uint64_t motr_next_id(void)
{
	static _Atomic uint64_t last;

	return ++last;
}

int m0_op_alloc(struct m0_op **op, size_t size)
{
	TRUTH();
	struct operation *o = calloc(1, size < sizeof(*o) ? sizeof(*o) : size);

	if (!o)
		return TRUTH_ERRNO(-ENOMEM);
	o->references = 1;
	*op = &o->op;
	return 0;
}

int m0_op_get(struct m0_op **op, size_t size)
{
	TRUTH();
	return TRUTH_ERRNO(*op ? 0 : m0_op_alloc(op, size));
}

static void group_init(struct m0_sm_group *g)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&g->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_cond_init(&g->changed, NULL);
}

int m0_op_init(struct m0_op *op, const struct m0_sm_conf *conf, struct m0_entity *entity)
{
	TRUTH();
	struct operation *o = operation(op);

	group_init(&o->group);
	op->op_entity = entity;
	op->op_sm.sm_id = motr_next_id();
	op->op_sm.sm_conf = conf;
	op->op_sm.sm_grp = &o->group;
	op->op_sm.sm_state = M0_OS_INITIALISED;
	M0_ADDB2_ADD(M0_AVI_CLIENT_SM_OP, op->op_sm.sm_id, 0xffffffff, M0_OS_INITIALISED);
	return 0;
}

/* What every kind of operation begins with. */
static int prepare(struct m0_op **op, struct m0_entity *entity, uint32_t code)
{
	int rc;

	if (!op || (entity && !entity->en_realm))
		return -EINVAL;
	rc = m0_op_get(op, sizeof(struct operation));
	if (rc)
		return rc;
	(*op)->op_code = code;
	return m0_op_init(*op, &op_conf, entity);
}

int m0_entity_create(struct m0_fid *pool, struct m0_entity *entity, struct m0_op **op)
{
	TRUTH();
	(void)pool;
	return TRUTH_ERRNO(prepare(op, entity, M0_EO_CREATE));
}

int m0_entity_delete(struct m0_entity *entity, struct m0_op **op)
{
	TRUTH();
	return TRUTH_ERRNO(prepare(op, entity, M0_EO_DELETE));
}

int m0_entity_open(struct m0_entity *entity, struct m0_op **op)
{
	TRUTH();
	return TRUTH_ERRNO(prepare(op, entity, M0_EO_OPEN));
}

int m0_sync_op_init(struct m0_op **op)
{
	TRUTH();
	return TRUTH_ERRNO(prepare(op, NULL, M0_EO_SYNC));
}

int m0_sync_entity_add(struct m0_op *op, struct m0_entity *entity)
{
	TRUTH();
	if (!entity->en_realm)
		return TRUTH_ERRNO(-EINVAL);
	op->op_entity = entity;
	return 0;
}

static uint64_t length(const struct m0_bufvec *vec)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < vec->ov_vec.v_nr; i++)
		total += vec->ov_vec.v_count[i];
	return total;
}

int m0_obj_op(struct m0_obj *obj, enum m0_obj_opcode opcode, struct m0_indexvec *ext,
	      struct m0_bufvec *data, struct m0_bufvec *attr, uint64_t mask, uint32_t flags,
	      struct m0_op **op)
{
	TRUTH();
	int rc;

	(void)attr;
	(void)mask;
	if (data && data->ov_vec.v_count)
		TRUTH_SIZE(length(data));
	if (opcode < M0_OC_READ || opcode > M0_OC_FREE)
		return TRUTH_ERRNO(-EINVAL);
	rc = prepare(op, &obj->ob_entity, opcode);
	if (!rc) {
		operation(*op)->ext = ext;
		operation(*op)->data = data;
		operation(*op)->flags = flags;
	}
	return TRUTH_ERRNO(rc);
}

int m0_idx_op(struct m0_idx *idx, enum m0_idx_opcode opcode, struct m0_bufvec *keys,
	      struct m0_bufvec *vals, int32_t *rcs, uint32_t flags, struct m0_op **op)
{
	TRUTH();
	int rc;

	if (vals && vals->ov_vec.v_count)
		TRUTH_SIZE(length(vals));
	if (opcode < M0_IC_GET || opcode > M0_IC_LIST)
		return TRUTH_ERRNO(-EINVAL);
	rc = prepare(op, &idx->in_entity, opcode);
	if (!rc) {
		operation(*op)->data = keys;
		operation(*op)->values = vals;
		operation(*op)->rcs = rcs;
		operation(*op)->flags = flags;
	}
	return TRUTH_ERRNO(rc);
}

void m0_op_setup(struct m0_op *op, const struct m0_op_ops *cbs, m0_time_t linger)
{
	TRUTH();
	(void)linger;
	op->op_cbs = cbs;
}

void m0_op_launch_one(struct m0_op *op)
{
	TRUTH();
	struct operation *o = operation(op);
	uint64_t id = op->op_sm.sm_id;

	o->client = op->op_entity->en_realm->re_instance;
	o->delay = stack_delay_take(STACK_NOWHERE);
	M0_ADDB2_ADD(M0_AVI_ATTR, id, M0_AVI_OP_ATTR_ENTITY_ID, op->op_entity->en_type);
	M0_ADDB2_ADD(M0_AVI_ATTR, id, M0_AVI_OP_ATTR_CODE, op->op_code);
	pthread_mutex_lock(&o->group.lock);
	m0_sm_move(&op->op_sm, 0, M0_OS_LAUNCHED);
	pthread_mutex_unlock(&o->group.lock);
	motr_submit(o);
}

void m0_op_launch(struct m0_op **op, uint32_t nr)
{
	TRUTH();
	for (uint32_t i = 0; i < nr; i++)
		m0_op_launch_one(op[i]);
}

int32_t m0_op_wait(struct m0_op *op, uint64_t bits, m0_time_t to)
{
	TRUTH();
	struct m0_sm_group *g = op->op_sm.sm_grp;
	struct timespec until = { (time_t)(to / 1000000000), (long)(to % 1000000000) };
	int rc = 0;

	pthread_mutex_lock(&g->lock);
	while (!rc && !(bits & 1ULL << op->op_sm.sm_state)) {
		if (to == M0_TIME_NEVER)
			rc = pthread_cond_wait(&g->changed, &g->lock);
		else
			rc = pthread_cond_timedwait(&g->changed, &g->lock, &until);
	}
	pthread_mutex_unlock(&g->lock);
	return TRUTH_ERRNO(-rc);
}

int32_t m0_rc(const struct m0_op *op)
{
	TRUTH();
	return TRUTH_ERRNO(op->op_rc);
}

void motr_put(struct operation *o)
{
	if (--o->references)
		return;
	pthread_mutex_destroy(&o->group.lock);
	pthread_cond_destroy(&o->group.changed);
	free(o);
}

void m0_op_fini(struct m0_op *op)
{
	TRUTH();
	struct m0_sm_group *g = op->op_sm.sm_grp;

	pthread_mutex_lock(&g->lock);
	op->op_sm.sm_state = M0_OS_UNINITIALISED;
	pthread_mutex_unlock(&g->lock);
}

void m0_op_free(struct m0_op *op)
{
	TRUTH();
	motr_put(operation(op));
}

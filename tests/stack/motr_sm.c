// SPDX-License-Identifier: GPL-2.0-only
/* The operations' state machine and what happens on its transitions. */
#include <stddef.h>
#include <time.h>

#include "motr_client.h"
#include "truth.h"

#define TRUTH_LAYER "m0"

static uint64_t transition(uint32_t from, int to)
{
	switch (from) {
	case M0_OS_INITIALISED:
		return to == M0_OS_LAUNCHED ? 0 : 1;
	case M0_OS_LAUNCHED:
		return to == M0_OS_EXECUTED ? 2 : 3;
	default:
		return to == M0_OS_STABLE ? 4 : 5;
	}
}

/* Called with the group's lock held. */
void m0_sm_state_set(struct m0_sm *sm, int state)
{
	TRUTH();
	uint64_t by = transition(sm->sm_state, state);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	sm->sm_state_epoch = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	sm->sm_state = (uint32_t)state;
	M0_ADDB2_ADD(M0_AVI_CLIENT_SM_OP, sm->sm_id, by, (uint64_t)state);
	pthread_cond_broadcast(&sm->sm_grp->changed);
}

void m0_sm_fail(struct m0_sm *sm, int state, int32_t rc)
{
	TRUTH();
	sm->sm_rc = rc;
	m0_sm_state_set(sm, state);
}

void m0_sm_move(struct m0_sm *sm, int32_t rc, int state)
{
	TRUTH();
	if (rc)
		m0_sm_fail(sm, state, rc);
	else
		m0_sm_state_set(sm, state);
}

static void call_back(struct m0_op *op, size_t member)
{
	void (*cb)(struct m0_op *);

	if (!op->op_cbs)
		return;
	cb = *(void (*const *)(struct m0_op *))((const char *)op->op_cbs + member);
	if (cb)
		cb(op);
}

int m0_op_executed(struct m0_op *op)
{
	TRUTH();
	call_back(op, offsetof(struct m0_op_ops, oop_executed));
	return 0;
}

int m0_op_stable(struct m0_op *op)
{
	TRUTH();
	call_back(op, offsetof(struct m0_op_ops, oop_stable));
	return 0;
}

int m0_op_failed(struct m0_op *op)
{
	TRUTH();
	call_back(op, offsetof(struct m0_op_ops, oop_failed));
	return 0;
}

/*
 * A failed read, write or index operation ends as executed and stable with op_rc set; only an
 * entity's operation ends as failed. The lock is held throughout, so that nobody who waits sees
 * the new state before its function has been called.
 */
void motr_complete(struct operation *o, int32_t rc)
{
	struct m0_op *op = &o->op;

	pthread_mutex_lock(&o->group.lock);
	op->op_rc = rc;
	if (rc && op->op_code < M0_OC_READ) {
		m0_sm_move(&op->op_sm, rc, M0_OS_FAILED);
		m0_op_failed(op);
	} else {
		m0_sm_move(&op->op_sm, 0, M0_OS_EXECUTED);
		m0_op_executed(op);
		m0_sm_move(&op->op_sm, 0, M0_OS_STABLE);
		m0_op_stable(op);
	}
	pthread_mutex_unlock(&o->group.lock);
}

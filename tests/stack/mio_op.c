// SPDX-License-Identifier: GPL-2.0-only
/* MIO's operations: chains of Motr operations, driven by polling or by callbacks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mio_driver.h"
#include "truth.h"

#define TRUTH_LAYER "mio"

int mio_op_init(struct mio_op *op)
{
	TRUTH();
	if (!op)
		return TRUTH_ERRNO(-EINVAL);
	memset(op, 0, sizeof(*op));
	return 0;
}

static void free_chain(struct mio_op *op)
{
	struct mio_driver_op *dop;

	while ((dop = op->mop_drv_op_head) != NULL) {
		op->mop_drv_op_head = dop->mdo_next;
		m0_op_fini(dop->mdo_op);
		m0_op_free(dop->mdo_op);
		if (dop->mdo_op_fini)
			dop->mdo_op_fini(dop);
		free(dop);
	}
}

void mio_op_fini(struct mio_op *op)
{
	TRUTH();
	mio_telemetry_advertise_noprefix("mio-op-fini", MIO_TM_TYPE_UINT64, &op->mop_seqno);
	free_chain(op);
}

struct mio_op *mio_op_alloc_init(void)
{
	TRUTH();
	struct mio_op *op = malloc(sizeof(*op));

	if (op)
		mio_op_init(op);
	return TRUTH_NULL(op);
}

void mio_op_fini_free(struct mio_op *op)
{
	TRUTH();
	mio_op_fini(op);
	free(op);
}

void mio_op_callbacks_set(struct mio_op *op, mio_callback complete, mio_callback failed, void *data)
{
	TRUTH();
	if (!complete || !failed)
		return;
	op->mop_cb_complete = complete;
	op->mop_cb_failed = failed;
	op->mop_cb_data = data;
}

void driver_op_init(struct mio_op *op, void *who, enum mio_op_opcode opcode)
{
	static _Atomic uint64_t next;

	op->mop_opcode = opcode;
	op->mop_who = who;
	op->mop_seqno = next++;
}

int mio_obj_op_init(struct mio_op *op, struct mio_obj *obj, enum mio_op_opcode opcode)
{
	TRUTH();
	driver_op_init(op, obj, opcode);
	obj->mo_op = op;
	mio_telemetry_array_advertise_noprefix("mio-obj-op-init", MIO_TM_TYPE_ARRAY_UINT64, 3,
					       obj->mo_sess_seqno, op->mop_seqno, (uint64_t)opcode);
	return 0;
}

int mio_driver_op_add(struct mio_op *op, int (*post_proc)(struct mio_op *), void *pp_data,
		      void (*op_fini)(struct mio_driver_op *), struct m0_op *drv_op, void *drv_args)
{
	TRUTH();
	struct mio_driver_op *dop = malloc(sizeof(*dop));

	if (!dop)
		return TRUTH_ERRNO(-ENOMEM);
	*dop = (struct mio_driver_op){ post_proc, pp_data, drv_op,
				       drv_args,  op_fini, op->mop_drv_op_head };
	op->mop_drv_op_head = dop;
	return 0;
}

/* The last step of a chain, in callback mode; runs on a Motr thread. */
void mio_driver_op_invoke_real_cb(struct mio_op *op, int rc)
{
	TRUTH();
	op->mop_rc = rc;
	if (rc < 0)
		op->mop_cb_failed(op);
	else
		op->mop_cb_complete(op);
}

/* What follows the step that has just ended: STEP_NEXT, STEP_FINAL or a negative errno. */
static int advance(struct mio_op *op)
{
	struct mio_driver_op *dop = op->mop_drv_op_head;
	int (*post_proc)(struct mio_op *) = dop->mdo_post_proc;
	int rc = m0_rc(dop->mdo_op);

	dop->mdo_post_proc = NULL; /* once, also when a finished operation is polled again */
	if (rc < 0)
		return rc;
	return post_proc ? post_proc(op) : STEP_FINAL;
}

static void step_done(struct m0_op *m0op)
{
	struct mio_op *op = m0op->op_datum;
	int rc = advance(op);

	if (rc != STEP_NEXT)
		mio_driver_op_invoke_real_cb(op, rc < 0 ? rc : 0);
}

int driver_launch(struct mio_op *op, struct m0_op *m0op, int (*post_proc)(struct mio_op *),
		  void *pp_data, void (*op_fini)(struct mio_driver_op *), void *args)
{
	static const struct m0_op_ops callbacks = { .oop_failed = step_done,
						    .oop_stable = step_done };
	int rc = mio_driver_op_add(op, post_proc, pp_data, op_fini, m0op, args);

	if (rc) {
		m0_op_fini(m0op);
		m0_op_free(m0op);
		return rc;
	}
	m0op->op_datum = op;
	if (op->mop_cb_complete)
		m0_op_setup(m0op, &callbacks, 0);
	m0_op_launch(&m0op, 1);
	return 0;
}

int driver_run(struct m0_op *m0op)
{
	int rc;

	m0_op_launch(&m0op, 1);
	rc = m0_op_wait(m0op, M0_BITS(M0_OS_STABLE, M0_OS_FAILED), M0_TIME_NEVER);
	if (!rc)
		rc = m0_rc(m0op);
	m0_op_fini(m0op);
	m0_op_free(m0op);
	return rc;
}

/* Drives one chain until it ends or the time is up; true when it has ended. */
static bool poll_one(struct mio_pollop *p, uint64_t deadline)
{
	struct mio_op *op = p->mp_op;
	int rc;

	do {
		rc = m0_op_wait(op->mop_drv_op_head->mdo_op, M0_BITS(M0_OS_STABLE, M0_OS_FAILED),
				deadline);
		if (rc == -ETIMEDOUT) {
			op->mop_rc = rc;
			p->mp_retstate = MIO_OP_ONFLY;
			return false;
		}
		rc = advance(op);
	} while (rc == STEP_NEXT);
	op->mop_rc = rc < 0 ? rc : 0;
	p->mp_retstate = rc < 0 ? MIO_OP_FAILED : MIO_OP_COMPLETED;
	return true;
}

/* The timeout is in ns; the number of finished operations is returned. */
int mio_op_poll(struct mio_pollop *ops, int nr, uint64_t timeout)
{
	TRUTH();
	uint64_t deadline = timeout == MIO_TIME_NEVER ? M0_TIME_NEVER : driver_now_ns() + timeout;
	int done = 0;

	if (!ops || nr < 1)
		return TRUTH_ERRNO(-EINVAL);
	for (int i = 0; i < nr; i++)
		if (!ops[i].mp_op || !ops[i].mp_op->mop_drv_op_head)
			return TRUTH_ERRNO(-EINVAL);
	for (int i = 0; i < nr; i++)
		done += poll_one(&ops[i], deadline);
	return TRUTH_ERRNO(done);
}

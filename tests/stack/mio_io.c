// SPDX-License-Identifier: GPL-2.0-only
/* Reads and writes of objects: sorted by offset, split by the largest I/O, one step after another.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mio_driver.h"
#include "motr_inject.h"
#include "truth.h"

#define TRUTH_LAYER "mio"

/* A whole readv or writev; freed with its first step. */
struct transfer {
	struct mio_obj *obj;
	enum m0_obj_opcode code;
	bool grew;
	int nr;
	int at;	       /* the piece that goes on next */
	uint64_t done; /* bytes of that piece */
	struct mio_iovec pieces[];
};

/* The vectors of one Motr operation. */
struct io_step {
	struct transfer *owned; /* set in the first step */
	struct m0_bufvec data;
	struct m0_indexvec ext;
};

static int by_offset(const void *a, const void *b)
{
	const struct mio_iovec *x = a, *y = b;

	return (x->miov_off > y->miov_off) - (x->miov_off < y->miov_off);
}

static int check(const struct transfer *t)
{
	uint64_t total = 0;

	for (int i = 0; i < t->nr; i++) {
		const struct mio_iovec *p = &t->pieces[i];

		if (i && p[-1].miov_off + p[-1].miov_len > p->miov_off)
			return -EINVAL;
		total += p->miov_len;
	}
	return total > MAX_TRANSFER ? -E2BIG : 0;
}

static int transfer_new(struct mio_obj *obj, const struct mio_iovec *iov, int nr,
			enum m0_obj_opcode code, struct transfer **out)
{
	struct transfer *t;
	int rc;

	t = calloc(1, sizeof(*t) + (size_t)nr * sizeof(*iov));
	if (!t)
		return -ENOMEM;
	t->obj = obj;
	t->code = code;
	t->nr = nr;
	memcpy(t->pieces, iov, (size_t)nr * sizeof(*iov));
	qsort(t->pieces, (size_t)nr, sizeof(*iov), by_offset);
	rc = check(t);
	if (rc)
		free(t);
	else
		*out = t;
	return rc;
}

static void io_step_free(struct io_step *s)
{
	if (!s)
		return;
	free(s->data.ov_vec.v_count);
	free(s->data.ov_buf);
	free(s->ext.iv_index);
	free(s->owned);
	free(s);
}

static void io_step_fini(struct mio_driver_op *dop)
{
	io_step_free(dop->mdo_op_args);
}

static struct io_step *io_step_new(const struct transfer *t)
{
	struct io_step *s = calloc(1, sizeof(*s));
	size_t room = (size_t)(t->nr - t->at) + 1;

	if (!s)
		return NULL;
	s->data.ov_vec.v_count = calloc(room, sizeof(uint64_t));
	s->data.ov_buf = calloc(room, sizeof(void *));
	s->ext.iv_index = calloc(room, sizeof(uint64_t));
	/* Motr wants the same counts in both vectors. */
	s->ext.iv_vec.v_count = s->data.ov_vec.v_count;
	if (s->data.ov_vec.v_count && s->data.ov_buf && s->ext.iv_index)
		return s;
	io_step_free(s);
	return NULL;
}

/* Takes pieces, the last one perhaps in part, up to the largest I/O. */
static void fill(struct io_step *s, struct transfer *t)
{
	uint64_t room = MAX_IO_SIZE;
	uint32_t n = 0;

	for (; t->at < t->nr && room; n++) {
		const struct mio_iovec *p = &t->pieces[t->at];
		uint64_t left = p->miov_len - t->done;
		uint64_t take = left < room ? left : room;

		s->data.ov_buf[n] = p->miov_base + t->done;
		s->data.ov_vec.v_count[n] = take;
		s->ext.iv_index[n] = p->miov_off + t->done;
		room -= take;
		t->done += take;
		if (take == left) {
			t->at++;
			t->done = 0;
		}
	}
	s->data.ov_vec.v_nr = n;
	s->ext.iv_vec.v_nr = n;
}

static int step_ended(struct mio_op *op);

static int next_step(struct mio_op *op, struct transfer *t, bool first)
{
	struct io_step *s = io_step_new(t);
	struct m0_op *m0op = NULL;
	int rc;

	if (!s)
		return -ENOMEM;
	fill(s, t);
	rc = m0_obj_op(t->obj->mo_drv_obj, t->code, &s->ext, &s->data, NULL, 0, 0, &m0op);
	if (rc) {
		io_step_free(s);
		return rc;
	}
	s->owned = first ? t : NULL;
	mio_telemetry_array_advertise_noprefix("mio-op-to-motr-io", MIO_TM_TYPE_ARRAY_UINT64, 3,
					       t->obj->mo_sess_seqno, op->mop_seqno,
					       m0op->op_sm.sm_id);
	return driver_launch(op, m0op, step_ended, t, io_step_fini, s);
}

static int step_ended(struct mio_op *op)
{
	struct transfer *t = op->mop_drv_op_head->mdo_pp_data;
	int rc;

	if (t->at < t->nr)
		rc = next_step(op, t, false);
	else if (t->grew)
		rc = attrs_launch(op, &t->obj->mo_id, t->obj, M0_IC_PUT, NULL, NULL);
	else
		return STEP_FINAL;
	return rc ? rc : STEP_NEXT;
}

/* MIO counts every piece before it launches anything. */
static void count(struct transfer *t)
{
	struct mio_obj_attrs *a = &t->obj->mo_attrs;
	bool writing = t->code == M0_OC_WRITE;

	for (int i = 0; i < t->nr; i++) {
		uint64_t end = t->pieces[i].miov_off + t->pieces[i].miov_len;

		*(writing ? &a->mos_wbytes : &a->mos_rbytes) += t->pieces[i].miov_len;
		if (writing && end > a->moa_size) {
			a->moa_size = end;
			t->grew = true;
		}
	}
	*(writing ? &a->mos_wcount : &a->mos_rcount) += (uint64_t)t->nr;
	*(writing ? &a->mos_wtime : &a->mos_rtime) = driver_now_ns();
	t->obj->mo_attrs_updated = true;
}

static int transfer_start(struct mio_obj *obj, const struct mio_iovec *iov, int cnt,
			  struct mio_op *op, enum m0_obj_opcode code)
{
	struct stack_delay delay;
	struct transfer *t = NULL;
	int rc;

	if (!obj || !obj->mo_drv_obj || !iov || cnt < 1 || !op)
		return -EINVAL;
	rc = transfer_new(obj, iov, cnt, code, &t);
	if (rc)
		return rc;
	count(t);
	delay = stack_delay_take(STACK_MIDDLEWARE);
	stack_delay_here(&delay, STACK_MIDDLEWARE);
	mio_obj_op_init(op, obj, code == M0_OC_WRITE ? MIO_OBJ_WRITE : MIO_OBJ_READ);
	return next_step(op, t, true);
}

static uint64_t total(const struct mio_iovec *iov, int cnt)
{
	uint64_t sum = 0;

	for (int i = 0; iov && i < cnt; i++)
		sum += iov[i].miov_len;
	return sum;
}

int mio_obj_writev(struct mio_obj *obj, const struct mio_iovec *iov, int cnt, struct mio_op *op)
{
	TRUTH();
	if (iov && cnt >= 0)
		TRUTH_SIZE(total(iov, cnt));
	return TRUTH_ERRNO(transfer_start(obj, iov, cnt, op, M0_OC_WRITE));
}

int mio_obj_readv(struct mio_obj *obj, const struct mio_iovec *iov, int cnt, struct mio_op *op)
{
	TRUTH();
	if (iov && cnt >= 0)
		TRUTH_SIZE(total(iov, cnt));
	return TRUTH_ERRNO(transfer_start(obj, iov, cnt, op, M0_OC_READ));
}

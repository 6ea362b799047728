// SPDX-License-Identifier: GPL-2.0-only
/* Index operations as steps, and the objects' attributes, which live in an index. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mio_driver.h"

static const struct mio_kvs_id md_kvs = { { 0x78, [15] = 0x01 } };

/* The hints hold pointers and are not stored. */
enum { STORED_SIZE = offsetof(struct mio_obj_attrs, moa_phints) };

struct index_step *index_step_new(const void *id, struct mio_kv_pair *pairs, int nr, int32_t *rcs)
{
	struct index_step *s = calloc(1, sizeof(*s));
	size_t n = nr > 0 ? (size_t)nr : 1;
	struct m0_uint128 motr = motr_id(id);

	if (!s)
		return NULL;
	s->keys.ov_vec = (struct m0_vec){ (uint32_t)nr, calloc(n, sizeof(uint64_t)) };
	s->values.ov_vec = (struct m0_vec){ (uint32_t)nr, calloc(n, sizeof(uint64_t)) };
	s->keys.ov_buf = calloc(n, sizeof(void *));
	s->values.ov_buf = calloc(n, sizeof(void *));
	s->own_rcs = rcs ? NULL : calloc(n, sizeof(*rcs));
	s->rcs = rcs ? rcs : s->own_rcs;
	s->pairs = pairs;
	s->nr = nr;
	if (!s->keys.ov_vec.v_count || !s->values.ov_vec.v_count || !s->keys.ov_buf ||
	    !s->values.ov_buf || !s->rcs) {
		index_step_free(s);
		return NULL;
	}
	m0_idx_init(&s->idx, driver_realm(), &motr);
	for (int i = 0; i < nr; i++) {
		s->keys.ov_buf[i] = pairs[i].mkp_key;
		s->keys.ov_vec.v_count[i] = pairs[i].mkp_klen;
	}
	return s;
}

void index_step_free(struct index_step *s)
{
	if (!s)
		return;
	if (s->idx.in_entity.en_realm)
		m0_idx_fini(&s->idx);
	free(s->keys.ov_vec.v_count);
	free(s->values.ov_vec.v_count);
	free(s->keys.ov_buf);
	free(s->values.ov_buf);
	free(s->own_rcs);
	free(s);
}

void index_step_fini(struct mio_driver_op *dop)
{
	index_step_free(dop->mdo_op_args);
}

int index_step_op(struct index_step *s, enum m0_idx_opcode code, uint32_t flags,
		  struct m0_op **m0op)
{
	for (int i = 0; code == M0_IC_PUT && i < s->nr; i++) {
		s->values.ov_buf[i] = s->pairs[i].mkp_val;
		s->values.ov_vec.v_count[i] = s->pairs[i].mkp_vlen;
	}
	return m0_idx_op(&s->idx, code, &s->keys, code == M0_IC_DEL ? NULL : &s->values, s->rcs,
			 flags, m0op);
}

/* A step with its one pair behind it, which holds copies of the key and the value. */
struct attrs_pair {
	struct mio_kv_pair pair;
	struct mio_obj_id id;
	uint8_t value[STORED_SIZE];
};

static struct index_step *attrs_step_new(const struct mio_obj_id *id,
					 const struct mio_obj_attrs *attrs)
{
	struct attrs_pair *p = calloc(1, sizeof(*p));
	struct index_step *s;

	if (!p)
		return NULL;
	p->id = *id;
	if (attrs)
		memcpy(p->value, attrs, STORED_SIZE);
	p->pair = (struct mio_kv_pair){ &p->id, sizeof(p->id), p->value, STORED_SIZE };
	s = index_step_new(&md_kvs, &p->pair, 1, NULL);
	if (!s)
		free(p);
	return s;
}

/* An object that was never written has no attributes: they are zero. */
void attrs_load(struct mio_obj_attrs *attrs, const struct index_step *s)
{
	memset(attrs, 0, STORED_SIZE);
	if (!s->rcs[0] && s->values.ov_vec.v_count[0] == STORED_SIZE)
		memcpy(attrs, s->values.ov_buf[0], STORED_SIZE);
	free(s->values.ov_buf[0]);
	s->values.ov_buf[0] = NULL;
}

static void attrs_step_free(struct index_step *s)
{
	free(s->pairs);
	index_step_free(s);
}

static void attrs_step_fini(struct mio_driver_op *dop)
{
	attrs_step_free(dop->mdo_op_args);
}

int attrs_launch(struct mio_op *op, const struct mio_obj_id *id, struct mio_obj *obj,
		 enum m0_idx_opcode code, int (*post_proc)(struct mio_op *), void *pp_data)
{
	struct index_step *s = attrs_step_new(id, obj && code == M0_IC_PUT ? &obj->mo_attrs : NULL);
	struct m0_op *m0op = NULL;
	int rc;

	if (!s)
		return -ENOMEM;
	rc = index_step_op(s, code, code == M0_IC_PUT ? M0_OIF_OVERWRITE : 0, &m0op);
	if (rc) {
		attrs_step_free(s);
		return rc;
	}
	if (obj)
		mio_telemetry_array_advertise_noprefix(
			"mio-op-to-motr-kv", MIO_TM_TYPE_ARRAY_UINT64, 3, obj->mo_sess_seqno,
			op->mop_seqno, m0op->op_sm.sm_id);
	return driver_launch(op, m0op, post_proc, pp_data, attrs_step_fini, s);
}

int attrs_store(struct mio_obj *obj)
{
	struct index_step *s = attrs_step_new(&obj->mo_id, &obj->mo_attrs);
	struct m0_op *m0op = NULL;
	int rc;

	if (!s)
		return -ENOMEM;
	rc = index_step_op(s, M0_IC_PUT, M0_OIF_OVERWRITE, &m0op);
	if (!rc)
		rc = driver_run(m0op);
	if (!rc)
		obj->mo_attrs_updated = false;
	attrs_step_free(s);
	return rc;
}

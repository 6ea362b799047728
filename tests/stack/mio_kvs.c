// SPDX-License-Identifier: GPL-2.0-only
/* MIO's key-value sets. */
#include <errno.h>
#include <stdlib.h>

#include "mio_driver.h"
#include "truth.h"

#define TRUTH_LAYER "mio"

/* Hands Motr's buffers over to the caller, who frees them. */
static int pairs_arrived(struct mio_op *op)
{
	struct index_step *s = op->mop_drv_op_head->mdo_op_args;
	bool with_keys = op->mop_drv_op_head->mdo_pp_data != NULL;

	for (int i = 0; i < s->nr; i++) {
		s->pairs[i].mkp_val = s->values.ov_buf[i];
		s->pairs[i].mkp_vlen = s->values.ov_vec.v_count[i];
		if (with_keys) {
			s->pairs[i].mkp_key = s->keys.ov_buf[i];
			s->pairs[i].mkp_klen = s->keys.ov_vec.v_count[i];
		}
	}
	return STEP_FINAL;
}

/* Motr replaces the keys by what it finds, so it must own the one to start from. */
static int own_start_key(struct index_step *s)
{
	struct mio_kv_pair key = s->pairs[0];
	char *copy = malloc(key.mkp_klen + 1);

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < key.mkp_klen; i++)
		copy[i] = ((char *)key.mkp_key)[i];
	for (int i = 1; i < s->nr; i++) {
		s->keys.ov_buf[i] = NULL;
		s->keys.ov_vec.v_count[i] = 0;
	}
	s->keys.ov_buf[0] = copy;
	return 0;
}

static int pairs_start(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, int32_t *rcs,
		       struct mio_op *op, enum m0_idx_opcode code, uint32_t flags)
{
	static const enum mio_op_opcode opcodes[] = { MIO_KVS_GET, MIO_KVS_PUT, MIO_KVS_DEL,
						      MIO_KVS_GET };
	bool reads = code == M0_IC_GET || code == M0_IC_NEXT;
	struct m0_op *m0op = NULL;
	struct index_step *s;
	int rc = 0;

	if (!kvs || nr < 1 || !pairs || !rcs || !op)
		return -EINVAL;
	s = index_step_new(kvs, pairs, nr, rcs);
	if (!s)
		return -ENOMEM;
	driver_op_init(op, kvs, opcodes[code - M0_IC_GET]);
	if (code == M0_IC_NEXT)
		rc = own_start_key(s);
	if (!rc)
		rc = index_step_op(s, code, flags, &m0op);
	if (rc) {
		index_step_free(s);
		return rc;
	}
	return driver_launch(op, m0op, reads ? pairs_arrived : NULL, code == M0_IC_NEXT ? s : NULL,
			     index_step_fini, s);
}

int mio_kvs_pair_get(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, int32_t *rcs,
		     struct mio_op *op)
{
	TRUTH();
	return TRUTH_ERRNO(pairs_start(kvs, nr, pairs, rcs, op, M0_IC_GET, 0));
}

int mio_kvs_pair_next(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, bool exclude_start,
		      int32_t *rcs, struct mio_op *op)
{
	TRUTH();
	return TRUTH_ERRNO(pairs_start(kvs, nr, pairs, rcs, op, M0_IC_NEXT,
				       exclude_start ? M0_OIF_EXCLUDE_START_KEY : 0));
}

int mio_kvs_pair_put(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, int32_t *rcs,
		     struct mio_op *op)
{
	TRUTH();
	uint64_t total = 0;

	for (int i = 0; pairs && i < nr; i++)
		total += pairs[i].mkp_klen + pairs[i].mkp_vlen;
	if (pairs && nr >= 0)
		TRUTH_SIZE(total);
	return TRUTH_ERRNO(pairs_start(kvs, nr, pairs, rcs, op, M0_IC_PUT, M0_OIF_OVERWRITE));
}

int mio_kvs_pair_del(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, int32_t *rcs,
		     struct mio_op *op)
{
	TRUTH();
	return TRUTH_ERRNO(pairs_start(kvs, nr, pairs, rcs, op, M0_IC_DEL, 0));
}

static int set_start(struct mio_kvs_id *kvs, struct mio_op *op, enum mio_op_opcode opcode)
{
	struct m0_op *m0op = NULL;
	struct index_step *s;
	int rc;

	if (!kvs || !op)
		return -EINVAL;
	s = index_step_new(kvs, NULL, 0, NULL);
	if (!s)
		return -ENOMEM;
	driver_op_init(op, kvs, opcode);
	if (opcode == MIO_KVS_CREATE_SET)
		rc = m0_entity_create(NULL, &s->idx.in_entity, &m0op);
	else
		rc = m0_entity_delete(&s->idx.in_entity, &m0op);
	if (rc) {
		index_step_free(s);
		return rc;
	}
	return driver_launch(op, m0op, NULL, NULL, index_step_fini, s);
}

int mio_kvs_create_set(struct mio_kvs_id *kvs, struct mio_op *op)
{
	TRUTH();
	return TRUTH_ERRNO(set_start(kvs, op, MIO_KVS_CREATE_SET));
}

int mio_kvs_del_set(struct mio_kvs_id *kvs, struct mio_op *op)
{
	TRUTH();
	return TRUTH_ERRNO(set_start(kvs, op, MIO_KVS_DELETE_SET));
}

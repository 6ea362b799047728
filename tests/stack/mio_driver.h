/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of libmio: its driver for Motr. */
#ifndef STACK_MIO_DRIVER_H
#define STACK_MIO_DRIVER_H

#include "mio.h"

/* What a post-processing function returns; negative: the operation failed. */
enum { STEP_NEXT, STEP_FINAL };

enum { MAX_IO_SIZE = 1 << 20, MAX_TRANSFER = 32 << 20 };

/* Vectors of one index operation; the m0_op points into it until it is done. */
struct index_step {
	struct m0_idx idx;
	struct m0_bufvec keys, values;
	int32_t *rcs;
	int32_t *own_rcs;
	struct mio_kv_pair *pairs;
	int nr;
};

#pragma GCC visibility push(hidden)

struct m0_realm *driver_realm(void);
struct mio_pool_id driver_default_pool(void);
bool driver_knows_pool(const struct mio_pool_id *id);
uint64_t driver_next_session(void);
uint64_t driver_now_ns(void);

/* Adds the step to the operation and launches it. After this the operation may be gone. */
int driver_launch(struct mio_op *op, struct m0_op *m0op, int (*post_proc)(struct mio_op *),
		  void *pp_data, void (*op_fini)(struct mio_driver_op *), void *args);
void driver_op_init(struct mio_op *op, void *who, enum mio_op_opcode opcode);
/* Runs a Motr operation to its end without an MIO operation. */
int driver_run(struct m0_op *m0op);

struct index_step *index_step_new(const void *id, struct mio_kv_pair *pairs, int nr, int32_t *rcs);
void index_step_free(struct index_step *step);
void index_step_fini(struct mio_driver_op *dop);
int index_step_op(struct index_step *step, enum m0_idx_opcode code, uint32_t flags,
		  struct m0_op **m0op);

/* The object's attributes as one pair of the metadata index. */
int attrs_launch(struct mio_op *op, const struct mio_obj_id *id, struct mio_obj *obj,
		 enum m0_idx_opcode code, int (*post_proc)(struct mio_op *), void *pp_data);
void attrs_load(struct mio_obj_attrs *attrs, const struct index_step *step);
int attrs_store(struct mio_obj *obj);

struct m0_uint128 motr_id(const uint8_t bytes[16]);

#pragma GCC visibility pop

#endif

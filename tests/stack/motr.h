/* SPDX-License-Identifier: GPL-2.0-only */
/* libmotr.so.2: the client calls and the ADDB2 producer calls of Motr 2.0.0, with its layouts. */
#ifndef STACK_MOTR_H
#define STACK_MOTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t m0_time_t;
#define M0_TIME_NEVER ((m0_time_t)~0ULL)
#define M0_BITS(a, b) ((1ULL << (a)) | (1ULL << (b)))

struct m0_uint128 {
	uint64_t u_hi, u_lo;
};

struct m0_fid {
	uint64_t f_container, f_key;
};

struct m0_vec {
	uint32_t v_nr;
	uint64_t *v_count;
};

struct m0_bufvec {
	struct m0_vec ov_vec;
	void **ov_buf;
};

struct m0_indexvec {
	struct m0_vec iv_vec;
	uint64_t *iv_index;
};

enum m0_op_state {
	M0_OS_UNINITIALISED,
	M0_OS_INITIALISED,
	M0_OS_LAUNCHED,
	M0_OS_EXECUTED,
	M0_OS_STABLE,
	M0_OS_FAILED,
};

enum m0_entity_opcode { M0_EO_CREATE = 1, M0_EO_DELETE, M0_EO_SYNC, M0_EO_OPEN };
enum m0_obj_opcode { M0_OC_READ = 10, M0_OC_WRITE, M0_OC_ALLOC, M0_OC_FREE };
enum m0_idx_opcode { M0_IC_GET = 15, M0_IC_PUT, M0_IC_DEL, M0_IC_NEXT, M0_IC_LOOKUP, M0_IC_LIST };
enum m0_entity_type { M0_ET_OBJ = 1, M0_ET_IDX };

enum {
	M0_OIF_OVERWRITE = 1,	      /* idx put: replace an existing key */
	M0_OIF_EXCLUDE_START_KEY = 4, /* idx next */
	M0_OOF_SYNC = 2,	      /* obj write: fsync before it is stable */
};

struct m0_client;

struct m0_config {
	const char *mc_process_fid;
};

struct m0_realm {
	struct m0_client *re_instance;
};

struct m0_container {
	struct m0_realm co_realm;
};

struct m0_sm_conf {
	const char *scf_name;
};

struct m0_sm_group;

struct m0_sm {
	uint32_t sm_state;
	uint64_t sm_id;
	const struct m0_sm_conf *sm_conf;
	struct m0_sm_group *sm_grp;
	uint64_t sm_state_epoch;
	uint64_t sm_pad[7];
	int32_t sm_rc;
};

struct m0_entity {
	uint32_t en_type;
	struct m0_uint128 en_id;
	struct m0_realm *en_realm;
};

struct m0_obj {
	struct m0_entity ob_entity;
};

struct m0_idx {
	struct m0_entity in_entity;
};

struct m0_op;

struct m0_op_ops {
	void (*oop_executed)(struct m0_op *op);
	void (*oop_failed)(struct m0_op *op);
	void (*oop_stable)(struct m0_op *op);
};

struct m0_op {
	uint64_t op_magic;
	uint32_t op_code;
	int32_t op_rc;
	uint8_t op_pad1[216];
	struct m0_sm op_sm;
	const struct m0_op_ops *op_cbs;
	struct m0_entity *op_entity;
	uint8_t op_pad2[24];
	struct m0_op *op_parent;
	uint8_t op_pad3[112];
	void *op_datum;
	uint64_t op_count;
	uint8_t op_pad4[104];
};

_Static_assert(offsetof(struct m0_entity, en_id) == 8, "m0_entity");
_Static_assert(offsetof(struct m0_sm, sm_id) == 8, "m0_sm");
_Static_assert(offsetof(struct m0_sm, sm_state_epoch) == 32, "m0_sm");
_Static_assert(offsetof(struct m0_sm, sm_rc) == 96, "m0_sm");
_Static_assert(offsetof(struct m0_op, op_code) == 8, "m0_op");
_Static_assert(offsetof(struct m0_op, op_rc) == 12, "m0_op");
_Static_assert(offsetof(struct m0_op, op_sm) == 232, "m0_op");
_Static_assert(offsetof(struct m0_op, op_cbs) == 336, "m0_op");
_Static_assert(offsetof(struct m0_op, op_entity) == 344, "m0_op");
_Static_assert(offsetof(struct m0_op, op_parent) == 376, "m0_op");
_Static_assert(offsetof(struct m0_op, op_datum) == 496, "m0_op");
_Static_assert(offsetof(struct m0_op, op_count) == 504, "m0_op");
_Static_assert(sizeof(struct m0_op) == 616, "m0_op");

int m0_client_init(struct m0_client **m0c, struct m0_config *conf, bool init_m0);
void m0_client_fini(struct m0_client *m0c, bool fini_m0);
void m0_container_init(struct m0_container *con, struct m0_realm *parent,
		       const struct m0_uint128 *id, struct m0_client *instance);

void m0_obj_init(struct m0_obj *obj, struct m0_realm *parent, const struct m0_uint128 *id,
		 uint64_t layout_id);
void m0_obj_fini(struct m0_obj *obj);
void m0_idx_init(struct m0_idx *idx, struct m0_realm *parent, const struct m0_uint128 *id);
void m0_idx_fini(struct m0_idx *idx);

int m0_entity_create(struct m0_fid *pool, struct m0_entity *entity, struct m0_op **op);
int m0_entity_delete(struct m0_entity *entity, struct m0_op **op);
int m0_entity_open(struct m0_entity *entity, struct m0_op **op);
int m0_sync_op_init(struct m0_op **op);
int m0_sync_entity_add(struct m0_op *op, struct m0_entity *entity);
int m0_obj_op(struct m0_obj *obj, enum m0_obj_opcode opcode, struct m0_indexvec *ext,
	      struct m0_bufvec *data, struct m0_bufvec *attr, uint64_t mask, uint32_t flags,
	      struct m0_op **op);
int m0_idx_op(struct m0_idx *idx, enum m0_idx_opcode opcode, struct m0_bufvec *keys,
	      struct m0_bufvec *vals, int32_t *rcs, uint32_t flags, struct m0_op **op);

int m0_op_alloc(struct m0_op **op, size_t size);
int m0_op_get(struct m0_op **op, size_t size);
int m0_op_init(struct m0_op *op, const struct m0_sm_conf *conf, struct m0_entity *entity);
void m0_op_setup(struct m0_op *op, const struct m0_op_ops *cbs, m0_time_t linger);
void m0_op_launch(struct m0_op **op, uint32_t nr);
void m0_op_launch_one(struct m0_op *op);
int32_t m0_op_wait(struct m0_op *op, uint64_t bits, m0_time_t to);
int32_t m0_rc(const struct m0_op *op);

struct m0_fop;
struct m0_rpc_session;
int m0_rpc_post_sync(struct m0_fop *fop, struct m0_rpc_session *session, const void *ri_ops,
		     uint64_t deadline);
void m0_op_fini(struct m0_op *op);
void m0_op_free(struct m0_op *op);
int m0_op_executed(struct m0_op *op);
int m0_op_stable(struct m0_op *op);
int m0_op_failed(struct m0_op *op);

void m0_sm_move(struct m0_sm *sm, int32_t rc, int state);
void m0_sm_state_set(struct m0_sm *sm, int state);
void m0_sm_fail(struct m0_sm *sm, int state, int32_t rc);

#include "motr_addb2.h"

#define M0_ADDB2_WORDS(...) (sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
#define M0_ADDB2_CALL(f_, id_, ...) \
	f_(id_, M0_ADDB2_WORDS(__VA_ARGS__), (uint64_t[]){ __VA_ARGS__ })
#define M0_ADDB2_ADD(id_, ...)	M0_ADDB2_CALL(m0_addb2_add, id_, __VA_ARGS__)
#define M0_ADDB2_PUSH(id_, ...) M0_ADDB2_CALL(m0_addb2_push, id_, __VA_ARGS__)

enum m0_avi {
	M0_AVI_NODE = 0x1001,
	M0_AVI_PID = 0x1002,
	M0_AVI_LOCALITY = 0x2001,
	M0_AVI_THREAD = 0x2002,
	M0_AVI_FOM = 0x2004,
	M0_AVI_PHASE = 0x2005,
	M0_AVI_STATE = 0x2006,
	M0_AVI_ATTR = 0x2118,
	M0_AVI_STOB_IO_LAUNCH = 0x7001,
	M0_AVI_STOB_IO_END = 0x7003,
	M0_AVI_RPC_ITEM_ID_ASSIGN = 0x8005,
	M0_AVI_RPC_ITEM_ID_FETCH = 0x8006,
	M0_AVI_CAS_KV_SIZES = 0xc001,
	M0_AVI_CLIENT_SM_OP = 0xd001,
	M0_AVI_OP_ATTR_ENTITY_ID = 0xd10a,
	M0_AVI_OP_ATTR_CODE = 0xd10b,
	M0_ADDB2__EXT_RANGE_3 = 0x30000,
};

#endif

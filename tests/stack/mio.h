/* SPDX-License-Identifier: GPL-2.0-only */
/* libmio.so: MIO's calls with its layouts of 2024. */
#ifndef STACK_MIO_H
#define STACK_MIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motr.h"

#define MIO_TIME_NEVER (~0ULL)

enum mio_op_state { MIO_OP_ONFLY, MIO_OP_COMPLETED, MIO_OP_FAILED };

enum mio_op_opcode {
	MIO_OBJ_CREATE = 1,
	MIO_OBJ_DELETE,
	MIO_OBJ_OPEN,
	MIO_OBJ_CLOSE,
	MIO_OBJ_SYNC,
	MIO_OBJ_ATTRS_SET,
	MIO_OBJ_ATTRS_GET,
	MIO_OBJ_READ,
	MIO_OBJ_WRITE,
	MIO_KVS_CREATE_SET = 11,
	MIO_KVS_DELETE_SET,
	MIO_KVS_LOOKUP_SET,
	MIO_KVS_GET,
	MIO_KVS_PUT,
	MIO_KVS_DEL,
};

enum mio_hint_key { MIO_HINT_LIFETIME, MIO_HINT_WHERE, MIO_HINT_HOT_INDEX, MIO_HINT_NR };
enum { MIO_POOL_GOLD = 0x100, MIO_POOL_SILVER, MIO_POOL_BRONZE };

enum mio_telemetry_type {
	MIO_TM_TYPE_NONE = 1,
	MIO_TM_TYPE_UINT16,
	MIO_TM_TYPE_UINT32,
	MIO_TM_TYPE_UINT64,
	MIO_TM_TYPE_TIMESPAN,
	MIO_TM_TYPE_TIMEPOINT,
	MIO_TM_TYPE_STRING,
	MIO_TM_TYPE_ARRAY_UINT16,
	MIO_TM_TYPE_ARRAY_UINT32,
	MIO_TM_TYPE_ARRAY_UINT64,
};

struct mio_obj_id {
	uint8_t moi_bytes[16];
};

struct mio_kvs_id {
	uint8_t mki_bytes[16];
};

struct mio_pool_id {
	uint64_t mpi_hi, mpi_lo;
};

struct mio_iovec {
	char *miov_base;
	uint64_t miov_off;
	size_t miov_len;
};

struct mio_kv_pair {
	void *mkp_key;
	size_t mkp_klen;
	void *mkp_val;
	size_t mkp_vlen;
};

struct mio_op;

struct mio_driver_op {
	int (*mdo_post_proc)(struct mio_op *op);
	void *mdo_pp_data;
	struct m0_op *mdo_op;
	void *mdo_op_args;
	void (*mdo_op_fini)(struct mio_driver_op *dop);
	struct mio_driver_op *mdo_next;
};

typedef void (*mio_callback)(struct mio_op *op);

struct mio_op_ops;

struct mio_op {
	uint64_t mop_seqno;
	uint32_t mop_opcode;
	void *mop_who;
	int mop_state;
	int mop_rc;
	mio_callback mop_cb_complete;
	mio_callback mop_cb_failed;
	void *mop_cb_data;
	struct mio_driver_op *mop_drv_op_head;
	const struct mio_op_ops *mop_op_ops;
};

struct mio_pollop {
	struct mio_op *mp_op;
	int mp_retstate;
};

struct mio_hints {
	int mh_nr;
	int *mh_keys;
	uint64_t *mh_values;
};

struct mio_obj_attrs {
	uint64_t moa_size;
	uint64_t mos_rcount, mos_rbytes, mos_rtime;
	uint64_t mos_wcount, mos_wbytes, mos_wtime;
	struct mio_hints moa_phints;
};

struct mio_obj {
	struct mio_obj_id mo_id;
	struct mio_op *mo_op;
	uint64_t mo_sess_seqno;
	const void *mo_drv_obj_ops;
	struct mio_hints mo_hints;
	struct mio_kvs_id *mo_md_kvs;
	bool mo_attrs_updated;
	struct mio_obj_attrs mo_attrs;
	struct m0_obj *mo_drv_obj;
	void *mo_drv_obj_lock;
};

struct mio_pool {
	char mp_name[33];
	struct mio_pool_id mp_id;
	int mp_type;
	uint64_t mp_capacity;
	uint8_t mp_pad[144];
};

struct mio_pools {
	int mps_nr_pools;
	struct mio_pool *mps_pools;
};

struct mio {
	int m_telem_store_type; /* 0: none, 1: log, 2: ADDB */
	char *m_telem_prefix;
	int m_log_level;
	char *m_log_dir;
	int m_driver_id;
	uint8_t m_pad[16];
};

struct mio_thread {
	void *mt_thread;
};

_Static_assert(sizeof(struct mio_iovec) == 24 && offsetof(struct mio_iovec, miov_len) == 16, "");
_Static_assert(sizeof(struct mio_kv_pair) == 32, "");
_Static_assert(sizeof(struct mio_op) == 72, "");
_Static_assert(offsetof(struct mio_op, mop_who) == 16, "");
_Static_assert(offsetof(struct mio_op, mop_rc) == 28, "");
_Static_assert(offsetof(struct mio_op, mop_cb_data) == 48, "");
_Static_assert(offsetof(struct mio_op, mop_drv_op_head) == 56, "");
_Static_assert(sizeof(struct mio_pollop) == 16, "");
_Static_assert(offsetof(struct mio_pollop, mp_retstate) == 8, "");
_Static_assert(sizeof(struct mio_driver_op) == 48, "");
_Static_assert(sizeof(struct mio_obj) == 176, "");
_Static_assert(offsetof(struct mio_obj, mo_sess_seqno) == 24, "");
_Static_assert(offsetof(struct mio_obj, mo_hints) == 40, "");
_Static_assert(offsetof(struct mio_obj, mo_attrs_updated) == 72, "");
_Static_assert(offsetof(struct mio_obj, mo_attrs.mos_rbytes) == 96, "");
_Static_assert(offsetof(struct mio_obj, mo_attrs.mos_wbytes) == 120, "");
_Static_assert(offsetof(struct mio_obj, mo_attrs.moa_phints) == 136, "");
_Static_assert(offsetof(struct mio_obj, mo_drv_obj) == 160, "");
_Static_assert(sizeof(struct mio_pool) == 216 && offsetof(struct mio_pool, mp_id) == 40, "");
_Static_assert(offsetof(struct mio_pool, mp_capacity) == 64, "");
_Static_assert(sizeof(struct mio) == 56, "");

extern struct mio *mio_instance;

int mio_init(const char *yaml_conf);
void mio_fini(void);
int mio_thread_init(struct mio_thread *thread);
void mio_thread_fini(struct mio_thread *thread);

int mio_op_init(struct mio_op *op);
void mio_op_fini(struct mio_op *op);
struct mio_op *mio_op_alloc_init(void);
void mio_op_fini_free(struct mio_op *op);
int mio_op_poll(struct mio_pollop *ops, int nr, uint64_t timeout);
void mio_op_callbacks_set(struct mio_op *op, mio_callback complete, mio_callback failed,
			  void *data);

int mio_obj_open(const struct mio_obj_id *oid, struct mio_obj *obj, struct mio_op *op);
void mio_obj_close(struct mio_obj *obj);
int mio_obj_create(const struct mio_obj_id *oid, const struct mio_pool_id *pool,
		   struct mio_hints *hints, struct mio_obj *obj, struct mio_op *op);
int mio_obj_delete(const struct mio_obj_id *oid, struct mio_op *op);
int mio_obj_writev(struct mio_obj *obj, const struct mio_iovec *iov, int cnt, struct mio_op *op);
int mio_obj_readv(struct mio_obj *obj, const struct mio_iovec *iov, int cnt, struct mio_op *op);
int mio_obj_sync(struct mio_obj *obj, struct mio_op *op);
int mio_obj_size(struct mio_obj *obj, struct mio_op *op);
int mio_obj_lock(struct mio_obj *obj);
int mio_obj_unlock(struct mio_obj *obj);
int mio_obj_pool_id(const struct mio_obj *obj, struct mio_pool_id *out);

int mio_pool_get(const struct mio_pool_id *id, struct mio_pool **pool);
int mio_pool_get_all(struct mio_pools **pools);
bool mio_obj_pool_id_cmp(struct mio_pool_id *a, struct mio_pool_id *b);

int mio_kvs_pair_get(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, int32_t *rcs,
		     struct mio_op *op);
int mio_kvs_pair_next(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, bool exclude_start,
		      int32_t *rcs, struct mio_op *op);
int mio_kvs_pair_put(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, int32_t *rcs,
		     struct mio_op *op);
int mio_kvs_pair_del(struct mio_kvs_id *kvs, int nr, struct mio_kv_pair *pairs, int32_t *rcs,
		     struct mio_op *op);
int mio_kvs_create_set(struct mio_kvs_id *kvs, struct mio_op *op);
int mio_kvs_del_set(struct mio_kvs_id *kvs, struct mio_op *op);

void mio_hints_init(struct mio_hints *hints);
void mio_hints_fini(struct mio_hints *hints);
int mio_hint_add(struct mio_hints *hints, int key, uint64_t value);
int mio_hint_lookup(struct mio_hints *hints, int key, uint64_t *value);
bool mio_hint_is_set(struct mio_hints *hints, int key);
int mio_obj_hints_set(struct mio_obj *obj, struct mio_hints *hints);
int mio_obj_hints_get(struct mio_obj *obj, struct mio_hints *hints);
int mio_obj_hint_set(struct mio_obj *obj, int key, uint64_t value);
int mio_obj_hint_get(struct mio_obj *obj, int key, uint64_t *value);
int mio_sys_hint_set(int key, uint64_t value);
int mio_sys_hint_get(int key, uint64_t *value);

int mio_telemetry_advertise(const char *topic, enum mio_telemetry_type type, void *value);
int mio_telemetry_advertise_noprefix(const char *topic, enum mio_telemetry_type type, void *value);
int mio_telemetry_array_advertise(const char *topic, enum mio_telemetry_type type, int nr, ...);
int mio_telemetry_array_advertise_noprefix(const char *topic, enum mio_telemetry_type type, int nr,
					   ...);

/* Internal to MIO, but exported by it. */
int mio_obj_op_init(struct mio_op *op, struct mio_obj *obj, enum mio_op_opcode opcode);
int mio_driver_op_add(struct mio_op *op, int (*post_proc)(struct mio_op *), void *pp_data,
		      void (*op_fini)(struct mio_driver_op *), struct m0_op *drv_op,
		      void *drv_args);
void mio_driver_op_invoke_real_cb(struct mio_op *op, int rc);

#endif

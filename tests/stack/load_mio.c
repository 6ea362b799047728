// SPDX-License-Identifier: GPL-2.0-only
/* MIO's part of "all". */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "mio.h"

enum { PIECES = 4, KEYS = 3 };

static void make_id(uint8_t bytes[16], uint8_t kind, int who)
{
	uint32_t words[] = { (uint32_t)getpid(), (uint32_t)who };

	memset(bytes, 0, 16);
	bytes[0] = kind;
	memcpy(bytes + 4, words, sizeof(words));
}

/* Polls a launched operation to its end, in small steps first; its result. */
static int finish(struct mio_op *op, int launched)
{
	struct mio_pollop poll = { .mp_op = op };

	if (!launched)
		CHECK(mio_op_poll(&poll, 1, 1000) >= 0);
	if (!launched && poll.mp_retstate == MIO_OP_ONFLY)
		CHECK(mio_op_poll(&poll, 1, MIO_TIME_NEVER) == 1);
	launched = launched ? launched : op->mop_rc;
	mio_op_fini(op);
	return launched;
}

/* As finish, with a fresh operation on the stack. */
#define RUN(call_)                             \
	({                                     \
		struct mio_op op_, *op = &op_; \
		mio_op_init(op);               \
		finish(op, (call_));           \
	})

struct waiter {
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool is_done;
	int rc;
};

static void called_back(struct mio_op *op)
{
	struct waiter *w = op->mop_cb_data;

	pthread_mutex_lock(&w->lock);
	w->is_done = true;
	w->rc = op->mop_rc;
	pthread_cond_signal(&w->done);
	pthread_mutex_unlock(&w->lock);
}

/* Opens with callbacks instead of polling. */
static int open_by_callback(const struct mio_obj_id *id, struct mio_obj *obj)
{
	struct waiter w = { .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER };
	struct mio_op *op = mio_op_alloc_init();

	CHECK(op);
	mio_op_callbacks_set(op, called_back, called_back, &w);
	CHECK(mio_obj_open(id, obj, op) == 0);
	pthread_mutex_lock(&w.lock);
	while (!w.is_done)
		pthread_cond_wait(&w.done, &w.lock);
	pthread_mutex_unlock(&w.lock);
	mio_op_fini_free(op);
	return w.rc;
}

static void refused(struct mio_obj *obj, struct mio_iovec *iov)
{
	struct mio_iovec overlap[] = { iov[0], iov[0] };
	struct mio_iovec huge = { iov[0].miov_base, 0, 1 << 30 };
	struct mio_pool_id no_pool = { 7, 7 };
	struct mio_obj closed = { .mo_drv_obj = NULL };

	CHECK(mio_obj_writev(obj, iov, PIECES, NULL) == -EINVAL);
	CHECK(RUN(mio_obj_writev(obj, overlap, 2, op)) == -EINVAL);
	CHECK(RUN(mio_obj_writev(obj, &huge, 1, op)) == -E2BIG);
	CHECK(RUN(mio_obj_readv(&closed, iov, PIECES, op)) == -EINVAL);
	CHECK(RUN(mio_obj_size(&closed, op)) == -EINVAL);
	CHECK(RUN(mio_obj_sync(&closed, op)) == -EINVAL);
	CHECK(RUN(mio_obj_create(&obj->mo_id, &no_pool, NULL, &closed, op)) == -ENOENT);
	CHECK(mio_obj_open(NULL, &closed, NULL) == -EINVAL);
	CHECK(mio_obj_delete(NULL, NULL) == -EINVAL);
	CHECK(mio_obj_lock(&closed) == -EINVAL);
	CHECK(mio_obj_unlock(&closed) == -EINVAL);
	CHECK(mio_op_poll(NULL, 0, 0) == -EINVAL);
	CHECK(mio_op_init(NULL) == -EINVAL);
}

static void obj_hints(struct mio_obj *obj)
{
	struct mio_hints hints;
	struct mio_pool_id pool;
	uint64_t value = 0;

	mio_hints_init(&hints);
	CHECK(mio_obj_hint_get(obj, MIO_HINT_WHERE, &value) == -ENOENT);
	CHECK(mio_obj_hint_set(obj, MIO_HINT_WHERE, MIO_POOL_GOLD) == 0);
	CHECK(mio_obj_hint_set(obj, MIO_HINT_HOT_INDEX, 5) == 0);
	CHECK(mio_obj_hint_get(obj, MIO_HINT_WHERE, &value) == 0 && value == MIO_POOL_GOLD);
	CHECK(mio_obj_hints_get(obj, &hints) == 0);
	CHECK(mio_obj_hints_set(obj, &hints) == 0);
	CHECK(mio_obj_hints_set(obj, NULL) == -EINVAL);
	CHECK(mio_obj_hints_get(NULL, &hints) == -EINVAL);
	CHECK(mio_obj_pool_id(obj, &pool) == 0);
	CHECK(mio_obj_lock(obj) == 0);
	CHECK(mio_obj_unlock(obj) == 0);
	mio_hints_fini(&hints);
}

/* One object's life; the asynchronous failures are in the operations, not in the returns. */
void load_round_mio(const struct load *l, int who)
{
	size_t length = l->size * PIECES;
	char *written = malloc(length), *read = calloc(1, length);
	struct mio_iovec out[PIECES], in[PIECES];
	struct mio_obj_id id;
	struct mio_obj obj, other;

	CHECK(written && read);
	make_id(id.moi_bytes, 1, who);
	memset(written, who & 0xff, length);
	for (size_t i = 0; i < PIECES; i++) {
		size_t at = (PIECES - 1 - i) * l->size;

		out[i] = (struct mio_iovec){ written + at, at, l->size };
		in[i] = (struct mio_iovec){ read + at, at, l->size };
	}
	CHECK(RUN(mio_obj_open(&id, &obj, op)) == -ENOENT);
	mio_obj_close(&obj);
	CHECK(RUN(mio_obj_create(&id, NULL, NULL, &obj, op)) == 0);
	CHECK(RUN(mio_obj_create(&id, NULL, NULL, &other, op)) == -EEXIST);
	mio_obj_close(&other);
	CHECK(RUN(mio_obj_writev(&obj, out, PIECES, op)) == 0);
	CHECK(RUN(mio_obj_writev(&obj, out, 1, op)) == 0);
	CHECK(RUN(mio_obj_sync(&obj, op)) == 0);
	refused(&obj, out);
	obj_hints(&obj);
	mio_obj_close(&obj);
	CHECK(open_by_callback(&id, &obj) == 0);
	CHECK(RUN(mio_obj_size(&obj, op)) == 0 && obj.mo_attrs.moa_size == length);
	CHECK(RUN(mio_obj_readv(&obj, in, PIECES, op)) == 0);
	CHECK(!memcmp(written, read, length));
	mio_obj_close(&obj);
	CHECK(RUN(mio_obj_delete(&id, op)) == 0);
	CHECK(RUN(mio_obj_delete(&id, op)) == -ENOENT);
	CHECK(open_by_callback(&id, &obj) == -ENOENT);
	mio_obj_close(&obj);
	free(written);
	free(read);
}

static void free_pairs(struct mio_kv_pair *pairs, bool with_keys)
{
	for (int i = 0; i < KEYS; i++) {
		free(pairs[i].mkp_val);
		if (with_keys)
			free(pairs[i].mkp_key);
	}
}

void load_round_kvs(int who)
{
	char keys[KEYS][8] = { "key-a", "key-b", "key-c" }, values[KEYS][32] = { "1", "2", "3" };
	struct mio_kv_pair put[KEYS], get[KEYS], next[KEYS] = { 0 };
	struct mio_kvs_id id;
	int32_t rcs[KEYS];

	make_id(id.mki_bytes, 2, who);
	for (int i = 0; i < KEYS; i++) {
		put[i] = (struct mio_kv_pair){ keys[i], 6, values[i], sizeof(values[i]) };
		get[i] = (struct mio_kv_pair){ .mkp_key = keys[i], .mkp_klen = 6 };
	}
	next[0] = get[0];
	CHECK(RUN(mio_kvs_create_set(&id, op)) == 0);
	CHECK(RUN(mio_kvs_pair_put(&id, KEYS, put, rcs, op)) == 0 && !rcs[0]);
	CHECK(mio_kvs_pair_put(&id, KEYS, put, NULL, NULL) == -EINVAL);
	CHECK(RUN(mio_kvs_pair_get(&id, KEYS, get, rcs, op)) == 0 && !rcs[2]);
	CHECK(get[1].mkp_vlen == sizeof(values[1]) && !strcmp(get[1].mkp_val, "2"));
	free_pairs(get, false);
	CHECK(mio_kvs_pair_get(NULL, KEYS, get, rcs, NULL) == -EINVAL);
	CHECK(RUN(mio_kvs_pair_next(&id, KEYS, next, true, rcs, op)) == 0);
	CHECK(!rcs[0] && !rcs[1] && rcs[2] == -ENOENT && !strcmp(next[1].mkp_key, "key-c"));
	free_pairs(next, true);
	CHECK(mio_kvs_pair_next(&id, 0, next, false, rcs, NULL) == -EINVAL);
	CHECK(RUN(mio_kvs_pair_del(&id, KEYS, put, rcs, op)) == 0);
	CHECK(mio_kvs_pair_del(&id, -1, put, rcs, NULL) == -EINVAL);
	CHECK(RUN(mio_kvs_del_set(&id, op)) == 0);
	CHECK(mio_kvs_del_set(&id, NULL) == -EINVAL);
	CHECK(mio_kvs_create_set(NULL, NULL) == -EINVAL);
}

static void telemetry(void)
{
	uint64_t value = 7;

	CHECK(mio_telemetry_advertise("load-value", MIO_TM_TYPE_UINT64, &value) == 0);
	CHECK(mio_telemetry_advertise(NULL, MIO_TM_TYPE_UINT64, &value) == -EINVAL);
	CHECK(mio_telemetry_advertise_noprefix("load-none", MIO_TM_TYPE_NONE, NULL) == 0);
	CHECK(mio_telemetry_array_advertise("load-array", MIO_TM_TYPE_ARRAY_UINT64, 2, value,
					    value) == 0);
	CHECK(mio_telemetry_array_advertise("load-array", MIO_TM_TYPE_ARRAY_UINT64, 0) == -EINVAL);
	CHECK(mio_telemetry_array_advertise_noprefix("load-array", MIO_TM_TYPE_ARRAY_UINT64, 3,
						     value, value, value) == 0);
}

void load_round_mio_helpers(void)
{
	struct mio_pool_id gold = { 1, 0x100 }, unknown = { 9, 9 };
	struct mio_hints hints;
	struct mio_pool *pool;
	struct mio_pools *pools;
	struct mio_thread thread;
	uint64_t value = 0;

	CHECK(mio_thread_init(&thread) == 0);
	CHECK(mio_pool_get(&gold, &pool) == 0 && !mio_obj_pool_id_cmp(&pool->mp_id, &unknown));
	free(pool);
	CHECK(mio_pool_get(&unknown, &pool) == -ENOENT);
	CHECK(mio_pool_get_all(&pools) == 0 && pools->mps_nr_pools == 3);
	free(pools);
	mio_hints_init(&hints);
	CHECK(mio_hint_add(&hints, MIO_HINT_LIFETIME, 60) == 0);
	CHECK(mio_hint_add(&hints, -1, 0) == -EINVAL);
	CHECK(mio_hint_lookup(&hints, MIO_HINT_LIFETIME, &value) == 0 && value == 60);
	CHECK(mio_hint_lookup(&hints, MIO_HINT_WHERE, &value) == -ENOENT);
	CHECK(mio_hint_is_set(&hints, MIO_HINT_LIFETIME));
	CHECK(!mio_hint_is_set(&hints, MIO_HINT_WHERE));
	mio_hints_fini(&hints);
	CHECK(mio_sys_hint_set(MIO_HINT_WHERE, MIO_POOL_SILVER) == 0);
	CHECK(mio_sys_hint_get(MIO_HINT_WHERE, &value) == 0 && value == MIO_POOL_SILVER);
	CHECK(mio_sys_hint_get(MIO_HINT_LIFETIME, &value) == -ENOENT);
	telemetry();
	mio_thread_fini(&thread);
}

void load_print_pools(struct load *l)
{
	struct mio_pools *pools;

	CHECK(mio_pool_get_all(&pools) == 0);
	load_extra(l, ",\"pools\":[");
	for (int i = 0; i < pools->mps_nr_pools; i++) {
		const struct mio_pool *pool = &pools->mps_pools[i];

		load_extra(l,
			   "%s{\"id\":\"0x%lx:0x%lx\",\"name\":\"%s\",\"type\":%d,"
			   "\"capacity\":%lu}",
			   i ? "," : "", pool->mp_id.mpi_hi, pool->mp_id.mpi_lo, pool->mp_name,
			   pool->mp_type, pool->mp_capacity);
	}
	load_extra(l, "]");
	free(pools);
}

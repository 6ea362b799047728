// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of MIO, from launch to completion. --how poll (one after the other), late (nobody
 * looks for --delay), many (16 in flight in each thread), callback, fail (at each step); reuse,
 * fini, never: of a sync that takes --delay.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load_ops.h"
#include "motr_inject.h"

enum { IN_FLIGHT = 16, PIECES = 3, PAIRS = 3 };

/* What several threads know of an operation that calls back. */
struct landing {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int left;
};

/* One operation in flight, with what it works on. */
struct flight {
	struct mio_op op;
	struct op_truth *truth;
	struct landing *landing; /* NULL: it is polled */
	struct mio_obj *obj;
	char *data;
	struct mio_iovec pieces[PIECES];
	struct mio_kv_pair pairs[PAIRS];
	int32_t rcs[PAIRS];
	bool brings_keys, brings_values; /* with its completion: they are to be freed then */
};

struct pilot {
	struct load *l;
	int who;
	struct mio_obj_id ids[IN_FLIGHT];
	struct mio_kvs_id sets[IN_FLIGHT];
	struct mio_obj objs[IN_FLIGHT];
	struct flight flights[IN_FLIGHT];
	struct landing landing;
	int n; /* in flight at once */
	bool calls_back;
};

static void called_back(struct mio_op *op)
{
	uint64_t now = load_now_ns();
	struct flight *f = op->mop_cb_data;

	f->truth->complete_ns = f->truth->noticed_ns = now;
	pthread_mutex_lock(&f->landing->lock);
	f->landing->left--;
	pthread_cond_signal(&f->landing->changed);
	pthread_mutex_unlock(&f->landing->lock);
}

/* Before a launch; which is then made by LAUNCH(). */
static struct mio_op *prepare(struct flight *f, const char *function, const void *id,
			      uint64_t bytes)
{
	f->truth = op_truth__new(function, id, bytes);
	CHECK(mio_op_init(&f->op) == 0);
	if (f->landing)
		mio_op_callbacks_set(&f->op, called_back, called_back, f);
	return &f->op;
}

static void launched(struct flight *f, uint64_t launch_ns, int rc)
{
	f->truth->submitted_ns = load_now_ns();
	f->truth->launch_ns = launch_ns;
	if (!rc) {
		op_truth__launched(f->truth, &f->op);
		return;
	}
	f->truth->fate = OP_REFUSED;
	f->truth->rc = rc;
}

#define LAUNCH(flight_, function_, id_, bytes_, ...)                           \
	({                                                                     \
		struct mio_op *op = prepare(flight_, #function_, id_, bytes_); \
		uint64_t before_ = load_now_ns();                              \
		int rc_ = function_(__VA_ARGS__, op);                          \
                                                                               \
		launched(flight_, before_, rc_);                               \
	})

/* What a complete operation has brought. */
static void take_pairs(struct flight *f)
{
	for (int i = 0; i < PAIRS && f->op.mop_rc >= 0; i++) {
		struct mio_kv_pair *pair = &f->pairs[i];

		if (f->brings_keys) {
			f->truth->bytes += pair->mkp_klen;
			free(pair->mkp_key);
		}
		if (f->brings_values) {
			f->truth->bytes += pair->mkp_vlen;
			free(pair->mkp_val);
		}
	}
	f->brings_keys = f->brings_values = false;
}

/* Looks until all are complete, once. */
static void land(struct flight *flights, int n)
{
	struct mio_pollop polls[IN_FLIGHT];
	uint64_t begin = load_now_ns(), end;
	int left = 0;

	for (int i = 0; i < n; i++)
		if (flights[i].truth->fate == OP_IN_FLIGHT)
			polls[left++] = (struct mio_pollop){ .mp_op = &flights[i].op };
	if (left && !flights[0].landing)
		CHECK(mio_op_poll(polls, left, MIO_TIME_NEVER) == left);
	end = load_now_ns();
	for (int i = 0; i < n; i++) {
		struct op_truth *t = flights[i].truth;

		if (t->fate == OP_REFUSED)
			continue;
		op_truth__read(t, &flights[i].op);
		t->fate = OP_COMPLETE;
		take_pairs(&flights[i]);
		if (!flights[i].landing) {
			t->poll_ns = begin;
			t->noticed_ns = end;
		}
		mio_op_fini(&flights[i].op);
	}
}

static void await_landing(struct pilot *p)
{
	if (!p->calls_back)
		return;
	pthread_mutex_lock(&p->landing.lock);
	while (p->landing.left)
		pthread_cond_wait(&p->landing.changed, &p->landing.lock);
	pthread_mutex_unlock(&p->landing.lock);
}

/* For each object in flight one of these launches; then all come down. */
typedef void (*launcher)(struct pilot *p, int i);

static void fly(struct pilot *p, launcher launch)
{
	p->landing.left = p->n;
	for (int i = 0; i < p->n; i++)
		launch(p, i);
	if (p->l->delay > 0)
		load_sleep(p->l->delay);
	await_landing(p);
	land(p->flights, p->n);
}

static void launch_create(struct pilot *p, int i)
{
	LAUNCH(&p->flights[i], mio_obj_create, &p->ids[i], 0, &p->ids[i], NULL, NULL, &p->objs[i]);
}

static void launch_open(struct pilot *p, int i)
{
	LAUNCH(&p->flights[i], mio_obj_open, &p->ids[i], 0, &p->ids[i], &p->objs[i]);
}

static uint64_t lay_out(struct pilot *p, int i)
{
	struct flight *f = &p->flights[i];
	uint64_t at = 0;

	for (int k = 0; k < PIECES; k++) {
		uint64_t length = p->l->size + (uint64_t)(i * 512 + k);

		f->pieces[k] = (struct mio_iovec){ f->data + at, at, length };
		at += length;
	}
	return at;
}

static void launch_write(struct pilot *p, int i)
{
	uint64_t bytes = lay_out(p, i);

	LAUNCH(&p->flights[i], mio_obj_writev, &p->ids[i], bytes, &p->objs[i], p->flights[i].pieces,
	       PIECES);
}

static void launch_read(struct pilot *p, int i)
{
	uint64_t bytes = lay_out(p, i);

	LAUNCH(&p->flights[i], mio_obj_readv, &p->ids[i], bytes, &p->objs[i], p->flights[i].pieces,
	       PIECES);
}

static void launch_sync(struct pilot *p, int i)
{
	LAUNCH(&p->flights[i], mio_obj_sync, &p->ids[i], 0, &p->objs[i]);
}

static void launch_size(struct pilot *p, int i)
{
	LAUNCH(&p->flights[i], mio_obj_size, &p->ids[i], 0, &p->objs[i]);
}

static void launch_delete(struct pilot *p, int i)
{
	LAUNCH(&p->flights[i], mio_obj_delete, &p->ids[i], 0, &p->ids[i]);
}

/* Keys that follow one another; with values, of different lengths. Returns the bytes of both. */
static uint64_t lay_out_pairs(struct flight *f, bool with_values)
{
	static char keys[PAIRS][4] = { "a", "bb", "ccc" };
	uint64_t bytes = 0;

	for (int i = 0; i < PAIRS; i++) {
		f->pairs[i] = (struct mio_kv_pair){ .mkp_key = keys[i], .mkp_klen = (size_t)i + 1 };
		if (with_values) {
			f->pairs[i].mkp_val = f->data;
			f->pairs[i].mkp_vlen = (size_t)(100 * i + 7);
		}
		bytes += f->pairs[i].mkp_klen + f->pairs[i].mkp_vlen;
	}
	return bytes;
}

static void launch_set(struct pilot *p, int i)
{
	LAUNCH(&p->flights[i], mio_kvs_create_set, &p->sets[i], 0, &p->sets[i]);
}

static void launch_put(struct pilot *p, int i)
{
	struct flight *f = &p->flights[i];
	uint64_t bytes = lay_out_pairs(f, true);

	LAUNCH(f, mio_kvs_pair_put, &p->sets[i], bytes, &p->sets[i], PAIRS, f->pairs, f->rcs);
}

static void launch_get(struct pilot *p, int i)
{
	struct flight *f = &p->flights[i];

	lay_out_pairs(f, false);
	f->brings_values = true;
	LAUNCH(f, mio_kvs_pair_get, &p->sets[i], 0, &p->sets[i], PAIRS, f->pairs, f->rcs);
}

/* What comes after the first key: of the last pair nothing. */
static void launch_next(struct pilot *p, int i)
{
	struct flight *f = &p->flights[i];

	lay_out_pairs(f, false);
	f->brings_keys = f->brings_values = true;
	LAUNCH(f, mio_kvs_pair_next, &p->sets[i], 0, &p->sets[i], PAIRS, f->pairs, true, f->rcs);
}

static void launch_del_set(struct pilot *p, int i)
{
	LAUNCH(&p->flights[i], mio_kvs_del_set, &p->sets[i], 0, &p->sets[i]);
}

static void close_all(struct pilot *p)
{
	for (int i = 0; i < p->n; i++)
		mio_obj_close(&p->objs[i]);
}

static void set_up(struct pilot *p)
{
	size_t room = (p->l->size + IN_FLIGHT * 512 + PIECES) * PIECES;

	pthread_mutex_init(&p->landing.lock, NULL);
	pthread_cond_init(&p->landing.changed, NULL);
	for (int i = 0; i < p->n; i++) {
		uint32_t words[] = { (uint32_t)getpid(), (uint32_t)p->who, (uint32_t)i };

		p->ids[i].moi_bytes[0] = 4;
		memcpy(p->ids[i].moi_bytes + 4, words, sizeof(words));
		p->sets[i].mki_bytes[0] = 5;
		memcpy(p->sets[i].mki_bytes + 4, words, sizeof(words));
		p->flights[i].landing = p->calls_back ? &p->landing : NULL;
		p->flights[i].data = calloc(1, room);
		CHECK(p->flights[i].data);
	}
}

static void take_down(struct pilot *p)
{
	for (int i = 0; i < p->n; i++)
		free(p->flights[i].data);
	pthread_mutex_destroy(&p->landing.lock);
	pthread_cond_destroy(&p->landing.changed);
}

/* An object's life in operations; those of several objects at once. */
static void *live(void *arg)
{
	struct pilot *p = arg;

	set_up(p);
	for (int i = 0; i < load_count(p->l, 3); i++) {
		fly(p, launch_create);
		fly(p, launch_write);
		fly(p, launch_write);
		fly(p, launch_sync);
		fly(p, launch_read);
		fly(p, launch_size);
		close_all(p);
		fly(p, launch_open);
		close_all(p);
		fly(p, launch_delete);
		fly(p, launch_open); /* no longer there */
		close_all(p);
		fly(p, launch_set);
		fly(p, launch_put);
		fly(p, launch_get);
		fly(p, launch_next);
		fly(p, launch_del_set);
	}
	take_down(p);
	return NULL;
}

/* Every kind of step fails once, of every operation that has it. */
static void fail_all(struct pilot *p)
{
	static const uint32_t codes[] = { M0_EO_OPEN,  M0_EO_DELETE, M0_EO_SYNC, M0_OC_READ,
					  M0_OC_WRITE, M0_IC_GET,    M0_IC_PUT,	 M0_IC_DEL };

	for (size_t k = 0; k < sizeof(codes) / sizeof(*codes); k++) {
		set_up(p);
		fly(p, launch_create);
		stack_inject(codes[k], -(ENODEV + (int)k), 0);
		fly(p, launch_write);
		fly(p, launch_sync);
		fly(p, launch_read);
		fly(p, launch_size);
		p->objs[0].mo_attrs_updated = false;
		close_all(p);
		fly(p, launch_open);
		close_all(p);
		fly(p, launch_delete);
		fly(p, launch_put);
		fly(p, launch_get);
		stack_inject(codes[k], 0, 0);
		fly(p, launch_delete);
		take_down(p);
	}
}

/* Operations that nobody waits for: forgotten, abandoned, and open to the end. */
static void leave(struct pilot *p, bool forget, bool reuse)
{
	struct flight *f = &p->flights[0];
	double delay = p->l->delay > 0 ? p->l->delay : 0.05;

	set_up(p);
	fly(p, launch_create);
	stack_inject(M0_EO_SYNC, 0, (uint64_t)(delay * 1e9));
	for (int i = 0; i < load_count(p->l, 3); i++) {
		if (!forget && !reuse)
			f = &p->flights[i % IN_FLIGHT];
		LAUNCH(f, mio_obj_sync, &p->ids[0], 0, &p->objs[0]);
		if (forget) {
			f->truth->fate = OP_FORGOTTEN;
			mio_op_fini(&f->op);
		} else if (reuse) {
			f->truth->fate = OP_ABANDONED;
		}
	}
	if (reuse) {
		f->truth->fate = OP_IN_FLIGHT;
		land(f, 1);
	}
	if (!forget && !reuse)
		load_await(p->l);
	/* What was left is done by now: workers look at the object. */
	load_sleep(1.2 * delay * (load_count(p->l, 3) + 1));
	stack_inject(M0_EO_SYNC, 0, 0);
}

static void in_threads(struct load *l, int threads, int n, bool calls_back)
{
	struct pilot *pilots = calloc((size_t)threads, sizeof(*pilots));

	CHECK(pilots);
	for (int i = 0; i < threads; i++) {
		pilots[i].l = l;
		pilots[i].who = i;
		pilots[i].n = n;
		pilots[i].calls_back = calls_back;
	}
	load_in_threads(threads, live, pilots, sizeof(*pilots));
	free(pilots);
}

int load_ops(struct load *l)
{
	const char *how = l->how ? l->how : "poll";
	bool calls_back = !strcmp(how, "callback"), many = !strcmp(how, "many");
	struct pilot *p = calloc(1, sizeof(*p));

	CHECK(p);
	p->l = l;
	p->n = 1;
	if (!strcmp(how, "late") && l->delay <= 0)
		l->delay = 0.02;
	CHECK(mio_init(NULL) == 0);
	if (!strcmp(how, "fail"))
		fail_all(p);
	else if (!strcmp(how, "fini") || !strcmp(how, "reuse") || !strcmp(how, "never"))
		leave(p, how[0] == 'f', how[0] == 'r');
	else
		in_threads(l,
			   l->threads > 0	? l->threads
			   : many || calls_back ? 4
						: 1,
			   many || calls_back ? IN_FLIGHT : 1, calls_back);
	mio_fini();
	free(p);
	op_truth__print(l);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes of MIO, one of which takes longer, in one layer: --how middleware, poll, network, server,
 * disk, or offer, where Maestro makes the operation, and it is delayed at the server.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load_ops.h"
#include "maestro.h"
#include "motr_inject.h"

enum { DELAYED_AT = 5 }; /* the operation, counted from 0 */

static const struct {
	const char *how, *layer;
	enum stack_layer where;
} delays[] = {
	{ "middleware", "middleware", STACK_MIDDLEWARE },
	{ "poll", "late poll", STACK_NOWHERE },
	{ "network", "network", STACK_NETWORK },
	{ "server", "server", STACK_SERVER },
	{ "disk", "disk", STACK_DISK },
	{ "offer", "server", STACK_SERVER },
};
enum { NR_DELAYS = sizeof(delays) / sizeof(*delays) };

/* Launches, looks at once or later, ends. */
#define RUN(truth_, late_, call_)                                   \
	({                                                          \
		struct mio_op op_, *op = &op_;                      \
		struct mio_pollop poll_ = { .mp_op = op };          \
		struct op_truth *truth__ = (truth_);                \
                                                                    \
		CHECK(mio_op_init(op) == 0);                        \
		truth__->launch_ns = load_now_ns();                 \
		CHECK((call_) == 0);                                \
		truth__->submitted_ns = load_now_ns();              \
		op_truth__launched(truth__, op);                    \
		load_sleep(late_);                                  \
		truth__->poll_ns = load_now_ns();                   \
		CHECK(mio_op_poll(&poll_, 1, MIO_TIME_NEVER) == 1); \
		truth__->noticed_ns = load_now_ns();                \
		op_truth__read(truth__, op);                        \
		truth__->fate = OP_COMPLETE;                        \
		mio_op_fini(op);                                    \
	})

/* Maestro makes an object of it; its creation is the first operation, and delayed. */
static void offer(const char *name, void *data, size_t size)
{
	int64_t length = (int64_t)size;
	mstro_cdo cdo;

	CHECK(mstro_cdo_declare(name, MSTRO_ATTR_DEFAULT, &cdo) == MSTRO_OK);
	CHECK(!mstro_cdo_attribute_set(cdo, MSTRO_ATTR_CORE_CDO_RAW_PTR, data, false, true));
	CHECK(!mstro_cdo_attribute_set(cdo, MSTRO_ATTR_CORE_CDO_SCOPE_LOCAL_SIZE, &length, true,
				       false));
	CHECK(mstro_cdo_seal(cdo) == MSTRO_OK);
	CHECK(mstro_cdo_offer(cdo) == MSTRO_OK);
	CHECK(mstro_cdo_withdraw(cdo) == MSTRO_OK);
	CHECK(mstro_cdo_dispose(cdo) == MSTRO_OK);
}

static struct mio_obj_id new_id(void)
{
	struct mio_obj_id id = { .moi_bytes = { 5 } };
	uint32_t pid = (uint32_t)getpid();

	memcpy(id.moi_bytes + 4, &pid, sizeof(pid));
	return id;
}

static struct op_truth *write_one(const struct load *l, struct mio_obj *obj, char *data, int i,
				  double late)
{
	struct op_truth *t = op_truth__new("mio_obj_writev", &obj->mo_id, l->size);
	struct mio_iovec iov = { data, (uint64_t)i * l->size, l->size };

	RUN(t, late, mio_obj_writev(obj, &iov, 1, op));
	return t;
}

static void print_delayed(struct load *l, size_t how, const struct op_truth *t)
{
	load_extra(l, ",\n\"story\":{\"how\":\"%s\",\"layer\":\"%s\",\"delay_ns\":%.0f",
		   delays[how].how, delays[how].layer, l->delay * 1e9);
	if (t)
		load_extra(l, ",\"function\":\"%s\",\"seqno\":%lu", t->function, t->seqno);
	load_extra(l, "}");
}

static void write_all(struct load *l, size_t how)
{
	bool late = delays[how].where == STACK_NOWHERE, offers = !strcmp(delays[how].how, "offer");
	struct mio_obj_id id = new_id();
	struct op_truth *t, *delayed = NULL;
	char *data = calloc(1, l->size);
	struct mio_obj obj;

	CHECK(data);
	t = op_truth__new("mio_obj_create", &id, 0);
	RUN(t, 0, mio_obj_create(&id, NULL, NULL, &obj, op));
	for (int i = 0; i < load_count(l, 10); i++) {
		bool now = i == DELAYED_AT;

		if (now && offers) {
			stack_delay_next(delays[how].where, (uint64_t)(l->delay * 1e9));
			offer("story", data, l->size);
			continue;
		}
		if (now)
			stack_delay_next(delays[how].where, (uint64_t)(l->delay * 1e9));
		t = write_one(l, &obj, data, i, now && late ? l->delay : 0);
		if (now)
			delayed = t;
	}
	mio_obj_close(&obj);
	free(data);
	print_delayed(l, how, delayed);
}

int load_story(struct load *l)
{
	size_t how = 0;

	while (l->how && how < NR_DELAYS && strcmp(delays[how].how, l->how) != 0)
		how++;
	if (how == NR_DELAYS)
		return 2;
	if (l->delay <= 0)
		l->delay = 0.05;
	CHECK(mio_init(NULL) == 0);
	write_all(l, how);
	mio_fini();
	op_truth__print(l);
	return 0;
}

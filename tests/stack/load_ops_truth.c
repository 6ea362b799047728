// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <time.h>

#include "load_ops.h"

enum { MAX_OPERATIONS = 65536 };

static struct op_truth truths[MAX_OPERATIONS];
static _Atomic size_t n_truths;

struct op_truth *op_truth__new(const char *function, const void *object, uint64_t bytes)
{
	size_t i = n_truths++;
	struct op_truth *truth = &truths[i];

	CHECK(i < MAX_OPERATIONS);
	truth->function = function;
	truth->bytes = bytes;
	memcpy(truth->object, object, sizeof(truth->object));
	return truth;
}

/* Motr has the time of a state in CLOCK_REALTIME. */
static uint64_t to_monotonic(uint64_t real_ns)
{
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	return real_ns - ((uint64_t)real.tv_sec * 1000000000 + (uint64_t)real.tv_nsec) +
	       load_now_ns();
}

void op_truth__read(struct op_truth *truth, const struct mio_op *op)
{
	const struct mio_driver_op *step = op->mop_drv_op_head;

	truth->rc = op->mop_rc;
	if (step && !truth->complete_ns)
		truth->complete_ns = to_monotonic(step->mdo_op->op_sm.sm_state_epoch);
	for (truth->steps = 0; step; step = step->mdo_next, truth->steps++)
		if (truth->steps < MAX_STEPS)
			truth->motr[truth->steps] = (struct step_truth){
				.sm_id = step->mdo_op->op_sm.sm_id,
				.code = (int)step->mdo_op->op_code,
				.rc = step->mdo_op->op_rc,
			};
}

void op_truth__launched(struct op_truth *truth, const struct mio_op *op)
{
	truth->seqno = op->mop_seqno;
	truth->code = (int)op->mop_opcode;
	if (op->mop_opcode != MIO_OBJ_DELETE && op->mop_opcode < MIO_KVS_CREATE_SET)
		truth->session = ((const struct mio_obj *)op->mop_who)->mo_sess_seqno;
}

static uint64_t half(const uint8_t bytes[8])
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void print_one(struct load *l, const struct op_truth *t)
{
	static const char *const fates[] = {
		[OP_IN_FLIGHT] = "in_flight", [OP_COMPLETE] = "complete",
		[OP_REFUSED] = "refused",     [OP_FORGOTTEN] = "forgotten",
		[OP_ABANDONED] = "abandoned",
	};

	load_extra(l,
		   "%s\n{\"function\":\"%s\",\"object\":\"0x%lx:0x%lx\",\"bytes\":%lu,"
		   "\"seqno\":%lu,\"launch_ns\":%lu,\"submitted_ns\":%lu,\"complete_ns\":%lu,"
		   "\"poll_ns\":%lu,\"noticed_ns\":%lu,\"steps\":%d,\"rc\":%d,\"fate\":\"%s\","
		   "\"session\":%lu,\"code\":%d,\"motr\":[",
		   t == truths ? "" : ",", t->function, half(t->object), half(t->object + 8),
		   t->bytes, t->seqno, t->launch_ns, t->submitted_ns, t->complete_ns, t->poll_ns,
		   t->noticed_ns, t->steps, t->rc, fates[t->fate], t->session, t->code);
	for (int i = 0; i < t->steps && i < MAX_STEPS; i++)
		load_extra(l, "%s{\"sm_id\":%lu,\"code\":%d,\"rc\":%d}", i ? "," : "",
			   t->motr[i].sm_id, t->motr[i].code, t->motr[i].rc);
	load_extra(l, "]}");
}

void op_truth__print(struct load *l)
{
	load_extra(l, ",\"operations\":[");
	for (size_t i = 0; i < n_truths; i++)
		print_one(l, &truths[i]);
	load_extra(l, "]");
}

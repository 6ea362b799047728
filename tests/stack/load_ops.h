/* SPDX-License-Identifier: GPL-2.0-only */
/* The truth of single operations: what the program itself knows of each one. */
#ifndef STACK_LOAD_OPS_H
#define STACK_LOAD_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "load.h"
#include "mio.h"

enum op_fate {
	OP_IN_FLIGHT,
	OP_COMPLETE,
	OP_REFUSED,   /* the launch failed */
	OP_FORGOTTEN, /* finished before it was complete */
	OP_ABANDONED, /* its memory was used for another one */
};

enum { MAX_STEPS = 8 };

struct step_truth {
	uint64_t sm_id;
	int code, rc;
};

/* Times are of CLOCK_MONOTONIC; 0: did not happen, or is not known. */
struct op_truth {
	const char *function;
	uint8_t object[16];
	uint64_t bytes;
	uint64_t seqno; /* MIO's number */
	uint64_t launch_ns, submitted_ns;
	uint64_t complete_ns; /* the last step was; with callbacks, when the program was called */
	uint64_t poll_ns;     /* the poll that found it complete began */
	uint64_t noticed_ns;  /* it returned */
	uint64_t session;     /* of its object's handle; a deletion has none */
	int code;	      /* of MIO */
	int steps;	      /* Motr operations that it took: */
	struct step_truth motr[MAX_STEPS]; /* the first ones, the last first */
	int rc;
	enum op_fate fate;
};

/* A new one; for any thread. */
struct op_truth *op_truth__new(const char *function, const void *object, uint64_t bytes);
/* What is known of an operation once it is launched. */
void op_truth__launched(struct op_truth *truth, const struct mio_op *op);
/* Adds "operations" to the printed object. */
void op_truth__print(struct load *l);

/* What the operation says of itself, once it is complete: result, steps, when the last one was. */
void op_truth__read(struct op_truth *truth, const struct mio_op *op);

#endif

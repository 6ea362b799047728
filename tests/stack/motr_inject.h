/* SPDX-License-Identifier: GPL-2.0-only */
/* Not of Motr: operations are made to take longer, or to fail. */
#ifndef STACK_MOTR_INJECT_H
#define STACK_MOTR_INJECT_H

#include <stdint.h>

enum { INJECT_CODES = 32 };

/*
 * Those with this code (enum m0_entity_opcode, ...) are complete so much later, and with rc, a
 * negative errno, fail without being done. Both 0: nothing is injected any more. For one kind at a
 * time.
 */
void stack_inject(uint32_t code, int32_t rc, uint64_t delay_ns);

/* For the library: waits; what the operation is to fail with, 0: nothing. */
int32_t stack_injected(uint32_t code);

/* Where an operation can be delayed. */
enum stack_layer {
	STACK_NOWHERE,
	STACK_MIDDLEWARE, /* MIO, before it makes anything of it */
	STACK_NETWORK,	  /* between the client and the server */
	STACK_SERVER,	  /* beside the storage I/O */
	STACK_DISK,	  /* in the storage I/O */
};

struct stack_delay {
	uint32_t where; /* enum stack_layer */
	uint32_t pad;
	uint64_t ns;
};

/* The first Motr operation, or read or write of MIO, that the calling thread launches next. */
void stack_delay_next(enum stack_layer where, uint64_t ns);

/* For the libraries: takes what was asked for, if it is there or anywhere (STACK_NOWHERE). */
struct stack_delay stack_delay_take(enum stack_layer where);
/* Waits, if the delay is to be here. */
void stack_delay_here(const struct stack_delay *delay, enum stack_layer here);

#endif

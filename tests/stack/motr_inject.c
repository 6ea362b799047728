// SPDX-License-Identifier: GPL-2.0-only
#include <time.h>

#include "motr_inject.h"

static struct {
	_Atomic int32_t rc;
	_Atomic uint64_t delay_ns;
} injections[INJECT_CODES];

static __thread struct stack_delay next_delay;

static void wait_ns(uint64_t ns)
{
	struct timespec left = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (ns && nanosleep(&left, &left))
		;
}

void stack_inject(uint32_t code, int32_t rc, uint64_t delay_ns)
{
	if (code >= INJECT_CODES)
		return;
	injections[code].rc = rc;
	injections[code].delay_ns = delay_ns;
}

int32_t stack_injected(uint32_t code)
{
	if (code >= INJECT_CODES)
		return 0;
	wait_ns(injections[code].delay_ns);
	return injections[code].rc;
}

void stack_delay_next(enum stack_layer where, uint64_t ns)
{
	next_delay = (struct stack_delay){ .where = where, .ns = ns };
}

struct stack_delay stack_delay_take(enum stack_layer where)
{
	struct stack_delay taken = next_delay;

	if (where != STACK_NOWHERE && taken.where != where)
		return (struct stack_delay){ 0 };
	next_delay = (struct stack_delay){ 0 };
	return taken;
}

void stack_delay_here(const struct stack_delay *delay, enum stack_layer here)
{
	if (delay->where == here)
		wait_ns(delay->ns);
}

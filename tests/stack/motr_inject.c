// SPDX-License-Identifier: GPL-2.0-only
#include <time.h>

#include "motr_inject.h"

static struct {
	_Atomic int32_t rc;
	_Atomic uint64_t delay_ns;
} injections[INJECT_CODES];

void stack_inject(uint32_t code, int32_t rc, uint64_t delay_ns)
{
	if (code >= INJECT_CODES)
		return;
	injections[code].rc = rc;
	injections[code].delay_ns = delay_ns;
}

int32_t stack_injected(uint32_t code)
{
	uint64_t ns = code < INJECT_CODES ? injections[code].delay_ns : 0;
	struct timespec left = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (ns && nanosleep(&left, &left))
		;
	return code < INJECT_CODES ? injections[code].rc : 0;
}

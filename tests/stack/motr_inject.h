/* SPDX-License-Identifier: GPL-2.0-only */
/* Not of Motr: operations of a kind are made to take longer, or to fail. For one at a time. */
#ifndef STACK_MOTR_INJECT_H
#define STACK_MOTR_INJECT_H

#include <stdint.h>

enum { INJECT_CODES = 32 };

/*
 * Those with this code (enum m0_entity_opcode, ...) are complete so much later, and with rc, a
 * negative errno, fail without being done. Both 0: nothing is injected any more.
 */
void stack_inject(uint32_t code, int32_t rc, uint64_t delay_ns);

/* For the library: waits; what the operation is to fail with, 0: nothing. */
int32_t stack_injected(uint32_t code);

#endif

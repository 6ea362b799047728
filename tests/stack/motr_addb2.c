// SPDX-License-Identifier: GPL-2.0-only
/* ADDB2's producer calls; what they record is kept per thread and goes nowhere. */
#include <assert.h>
#include <string.h>

#include "motr.h"
#include "truth.h"

#define TRUTH_LAYER "addb"

enum { MAX_WORDS = 15, MAX_DEPTH = 64, TRACE_WORDS = 1024 };

/* Motr's machine: the labels that hold now, and the trace buffer. */
static __thread struct {
	int depth;
	uint64_t labels[MAX_DEPTH];
	int used;
	uint64_t trace[TRACE_WORDS];
} machine;

static void put(uint64_t tag, uint64_t id, int n, const uint64_t *value)
{
	assert(n >= 0 && n <= MAX_WORDS);
	if (machine.used + n + 1 > TRACE_WORDS)
		machine.used = 0;
	machine.trace[machine.used++] = (tag | (uint64_t)n) << 56 | id;
	if (n)
		memcpy(&machine.trace[machine.used], value, (size_t)n * sizeof(*value));
	machine.used += n;
}

void m0_addb2_push(uint64_t id, int n, const uint64_t *value)
{
	TRUTH();
	TRUTH_SIZE((uint64_t)n * sizeof(*value));
	assert(machine.depth < MAX_DEPTH);
	machine.labels[machine.depth++] = id;
	put(0x10, id, n, value);
}

void m0_addb2_pop(uint64_t id)
{
	TRUTH();
	assert(machine.depth > 0 && machine.labels[machine.depth - 1] == id);
	machine.depth--;
	put(0xf0, id, 0, NULL);
}

void m0_addb2_add(uint64_t id, int n, const uint64_t *value)
{
	TRUTH();
	TRUTH_SIZE((uint64_t)n * sizeof(*value));
	put(0x20, id, n, value);
}

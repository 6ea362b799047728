/* SPDX-License-Identifier: GPL-2.0-only */
/* The shared table behind truth.h. */
#ifndef STACK_TRUTH_TABLE_H
#define STACK_TRUTH_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TRUTH_SLOTS = 16384, TRUTH_CODES = 12 };

enum truth_slot_state { TRUTH_FREE, TRUTH_CLAIMED, TRUTH_READY };

struct truth_code {
	_Atomic int64_t code; /* 0: unused */
	_Atomic uint64_t count;
};

/* One function in one process. */
struct truth_slot {
	_Atomic int state;
	int pid;
	char layer[16];
	char function[48];
	_Atomic bool is_errno;
	_Atomic uint64_t calls, returns, errors, bytes;
	_Atomic uint64_t sized;		    /* calls that bytes is about */
	_Atomic uint64_t inherited_returns; /* of calls that were made before this process's fork */
	_Atomic uint64_t total_ns, min_ns, max_ns;
	struct truth_code codes[TRUTH_CODES];
};

struct truth_table {
	_Atomic uint64_t unwound, killed;
	_Atomic uint64_t lost; /* calls that found no free slot */
	struct truth_slot slots[TRUTH_SLOTS];
};

__attribute__((visibility("hidden"))) struct truth_table *truth_table(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What exits.c knows of the function that it looks at, for exit_sites.c. */
#ifndef USER_ELF_EXITS_STATE_H
#define USER_ELF_EXITS_STATE_H

#include <Zydis/Zydis.h>

#include "elf/code.h"
#include "elf/jump_slots.h"
#include "elf/jump_tables.h"

/* Instructions of one function: of longer ones it is not told where they return. */
#define VISITS_MAX 16384
#define PLACES	   (2UL * VISITS_MAX) /* a power of two */

struct start {
	__u64 offset, size;
};

/* An instruction that has been visited, in the round of that number. */
struct place {
	__u64 offset;
	__u64 round;
	__u64 search; /* the last one of exit_cost.c that came by */
	__u8 tag;     /* what it is there */
	__u8 length;  /* 0: it has not been decoded yet */
	bool falls;   /* the code goes on behind it */
};

/* A way from one instruction to another one that need not be the next. */
struct code_edge {
	__u64 from, to;
};

struct exits {
	struct code code;
	struct start *starts; /* of functions, ascending */
	size_t n_starts, starts_room;
	struct jump_slots *slots;
	struct jump_tables *tables;
	struct exit_sites *sites;
	ZydisDecoder decoder;
	/* The function that is being looked at. */
	struct place *places;
	__u64 round;
	size_t n_visits;
	__u64 *todo; /* where branches lead */
	size_t n_todo, todo_room;
	__u64 *found;
	size_t n_found, found_room;
	__u64 function;
	struct code_edge *edges;   /* of branches, jumps and tables; at last by where they lead */
	struct code_edge *sources; /* the same, by where they come from */
	size_t sources_room;
	__u64 search; /* the number of the last one */
	size_t n_edges, edges_room;
	bool has_tables; /* they have been looked for */
	bool tail_calls;
};

/* Where an instruction leads; NULL, or why that is not known. */
const char *exits__edges(const struct exits *exits, __u64 offset, const ZydisDecodedInstruction *in,
			 struct code_edges *edges);

/* The visited instruction at an offset; NULL: there is none. */
struct place *exits__place(const struct exits *exits, __u64 offset);

/*
 * A probe in the middle of an instruction would ruin it. So whoever says where code begins must
 * agree that one begins at this offset, which has been visited: the ways through the function, the
 * symbols and the unwind table.
 */
bool exits__is_instruction(const struct exits *exits, __u64 offset);

#endif

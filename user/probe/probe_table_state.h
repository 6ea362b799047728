/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the probe table share. Internal to them. */
#ifndef USER_PROBE_PROBE_TABLE_STATE_H
#define USER_PROBE_PROBE_TABLE_STATE_H

#include <stdint.h>

#include "base/strings.h"
#include "probe/probe_table.h"

#define NO_PROBE SIZE_MAX

/* A function of a layer, whatever libraries have it. */
struct function {
	__u8 layer_id; /* with name, what the tree compares */
	const char *name;
	__u32 id;
	size_t first_probe; /* NO_PROBE: none */
};

/* A probe's place in the table. */
struct slot {
	bool is_free; /* no file has it: another probe may have its number */
	size_t next;  /* the next one of the same function; NO_PROBE: none */
};

struct layer {
	const char *name;
	struct function **functions; /* by id */
	size_t n, room;
};

struct probe_table {
	struct strings strings;
	struct layer *layers; /* by id */
	size_t n_layers;
	void *tree; /* of struct function, tsearch(3) */
	struct probe *probes;
	struct slot *slots; /* of the same numbers */
	size_t n, room, slots_room;
	__u32 texts; /* goes up with each text of a probe */
	struct probe_counts *moved;
	__s64 clock_ns; /* how far CLOCK_REALTIME was from CLOCK_MONOTONIC; 0: not known */
};

/* NULL: the table has none of that number. */
struct function *probe_table__function_at(const struct probe_table *table, __u8 layer_id, __u32 id);
/* The probe is one of the function. */
void probe_table__link(struct probe_table *table, struct function *function, size_t i);
/* Puts copies in the place of a probe's texts. 0, or -ENOMEM: then it has none. */
int probe_table__copy_texts(struct probe_table *table, struct probe *probe);
void probe_table__free_texts(struct probe *probe);
void probe_parking__end(struct probe_parking *parking, __u64 now_ns);

#endif

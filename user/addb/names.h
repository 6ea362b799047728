/* SPDX-License-Identifier: GPL-2.0-only */
/* Motr's enumerations that ADDB2 records hold: numbers and names. */
#ifndef USER_ADDB_NAMES_H
#define USER_ADDB_NAMES_H

#include <stddef.h>
#include <linux/types.h>

struct addb_name {
	__u32 number;
	const char *name;
};

struct addb_names {
	const struct addb_name *names;
	size_t n;
};

extern const struct addb_names addb_opcodes, addb_attributes, addb_cob_states, addb_bulk_steps,
	addb_stob_steps, addb_net_queues;

/* NULL: not known. */
const char *addb_names__find(const struct addb_names *names, __u64 number);

/* What the values of an attribute stand for; NULL: they are numbers. */
const struct addb_names *addb_names__of_attribute(__u64 attribute);

#endif

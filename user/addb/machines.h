/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Motr's state machines: their states and transitions by number, and which type of operation
 * machine (fom) and of packet (fop) an opcode stands for.
 */
#ifndef USER_ADDB_MACHINES_H
#define USER_ADDB_MACHINES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct addb_transition {
	const char *cause;
	__u8 from, to; /* states */
};

/* A machine may go on where another one, base, ends: with its states and transitions first. */
struct addb_machine {
	const char *name;
	const struct addb_machine *base;
	const char *const *states; /* NULL: a number without a name */
	const struct addb_transition *transitions;
	__u16 n_states;
	__u16 n_transitions;
	__u64 terminal; /* bits: states that nothing follows */
};

/* Of the machines that are not of one type of fom alone. */
extern const struct addb_machine addb_fom_states, addb_rpc_item, addb_be_tx, addb_be_op,
	addb_client_op, addb_cas_request, addb_dix_request, addb_io_request, addb_dtx,
	addb_recovery, addb_generic_phases, addb_io_phases, addb_cas_phases;

/* NULL: not known. */
const char *addb_machine__state(const struct addb_machine *machine, __u64 state);
const struct addb_transition *addb_machine__transition(const struct addb_machine *machine,
						       __u64 transition);
/* Of the base's as well. */
size_t addb_machine__n_transitions(const struct addb_machine *machine);

/* An operation machine, by the opcode of what it serves. */
struct addb_fom_type {
	__u32 opcode;
	const char *fop; /* the name of its fop; NULL: it has none */
	const struct addb_machine *phases;
};

const struct addb_fom_type *addb_fom_types__find(__u64 opcode);

/* Which machine of a fop the histograms count, in their identifier. */
enum addb_fop_part {
	ADDB_FOP_PHASE,
	ADDB_FOP_STATE,
	ADDB_FOP_OUT,
	ADDB_FOP_IN,
};

/* The type of fop, its machine and its transition, of an identifier from ADDB_ID_FOP_FIRST on. */
#define ADDB_FOP_OPCODE(id)	((__u32)((id) >> 12 & 0xfff))
#define ADDB_FOP_PART(id)	((__u32)((id) >> 8 & 0xf))
#define ADDB_FOP_TRANSITION(id) ((__u32)((id)&0xff))

/* NULL: not known. */
const struct addb_machine *addb_fom_types__machine(const struct addb_fom_type *type,
						   enum addb_fop_part part);

#endif

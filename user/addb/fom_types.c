// SPDX-License-Identifier: GPL-2.0-only
/* Types of operation machines (foms), by the opcode of what they serve. */
#include "addb/machine_table.h"
#include "addb/machines.h"

/* Types whose own phases have names, but no transitions, or are not known. */
#define OWN(name_, states_)                                                                        \
	{                                                                                          \
		.name = (name_), .base = &addb_generic_phases, .states = (states_),                \
		.n_states = sizeof(states_) / sizeof(*(states_)), .terminal = 1 << 1, /* finish */ \
	}

static const char *const none[] = { NULL };
static const struct addb_machine dtm0 = OWN("dtm0-fom", none);
static const struct addb_machine fsync = OWN("fsync", none);

static const char *const cob_names[] = {
	[25] = "COB OP Prepare",
	[26] = "COB OP EXECUTE",
};
static const struct addb_machine cob = OWN("COB create/delete/getattr", cob_names);

static const char *const session_names[] = {
	"m0_rpc_fom_sess_conn_term_phases init",
	"m0_rpc_fom_sess_conn_term_phases done",
	"m0_rpc_fom_sess_conn_term_phases wait",
};
static const struct addb_machine session =
	STATES("rpc_fom_session_terminate fom", session_names, BIT(1));

static const char *const group_names[] = {
	"TGS_INIT",	   "TGS_FINISH",      "TGS_OPEN",     "TGS_PREPARE",	"TGS_LOGGING",
	"TGS_RECONSTRUCT", "TGS_TX_OPEN",     "TGS_TX_CLOSE", "TGS_REAPPLY",	"TGS_PLACING",
	"TGS_PLACED",	   "TGS_STABILIZING", "TGS_STABLE",   "TGS_TX_GC_WAIT", "TGS_RESET",
	"TGS_STOPPING",	   "TGS_FAILED",
};
static const struct addb_machine group = STATES("m0_be_tx_group_fom", group_names, BIT(1));

#define HA "HA_LINK_OUTGOING_STATE_"
static const char *const link_names[] = {
	HA "INIT",
	HA "FINISH",
	HA "INCOMING_REGISTER",
	HA "INCOMING_DEREGISTER",
	HA "INCOMING_QUIESCE",
	HA "INCOMING_QUIESCE_WAIT",
	HA "RPC_LINK_INIT",
	HA "RPC_LINK_FINI",
	HA "NOT_CONNECTED",
	HA "CONNECT",
	HA "CONNECTING",
	HA "DISCONNECT",
	HA "DISCONNECTING",
	HA "IDLE",
	HA "SEND",
	HA "WAIT_REPLY",
	HA "WAIT_RELEASE",
};
static const struct addb_machine link = STATES("ha_link_outgoing_fom", link_names, BIT(1));

/* Sorted by opcode. */
static const struct addb_fom_type types[] = {
	{ 36, NULL, &session },
	{ 38, NULL, &session },
	{ 41, "read", &addb_io_phases },
	{ 42, "write", &addb_io_phases },
	{ 45, "cob-create", &cob },
	{ 46, "cob-delete", &cob },
	{ 47, "cob-truncate", &cob },
	{ 123, "fsync-cas", &fsync },
	{ 128, "getattr", &cob },
	{ 130, "setattr", &cob },
	{ 207, NULL, &addb_generic_phases },
	{ 230, "cas-get", &addb_cas_phases },
	{ 231, "cas-put", &addb_cas_phases },
	{ 232, "cas-del", &addb_cas_phases },
	{ 233, "cas-cur", &addb_cas_phases },
	{ 235, "cas-gc-wait", &addb_cas_phases },
	{ 318, "DIX_Repair_copy_packet", &addb_generic_phases },
	{ 319, "DIX_Repair_copy_packet_reply", &addb_generic_phases },
	{ 320, "DIX_Rebalance_copy_packet", &addb_generic_phases },
	{ 321, "DIX_Rebalance_copy_packet_reply", &addb_generic_phases },
	{ 350, "isc-exec-fop", &addb_generic_phases },
	{ 351, "isc-fop-reply", &addb_generic_phases },
	{ 450, "DTM0 request", &dtm0 },
	{ 1025, NULL, &group },
	{ 1048, NULL, &link },
};

const struct addb_fom_type *addb_fom_types__find(__u64 opcode)
{
	size_t low = 0, high = sizeof(types) / sizeof(*types), middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (opcode == types[middle].opcode)
			return &types[middle];
		if (opcode > types[middle].opcode)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct addb_machine *addb_fom_types__machine(const struct addb_fom_type *type,
						   enum addb_fop_part part)
{
	switch (part) {
	case ADDB_FOP_PHASE:
		return type->phases;
	case ADDB_FOP_STATE:
		return &addb_fom_states;
	case ADDB_FOP_OUT:
	case ADDB_FOP_IN:
		return &addb_rpc_item;
	default:
		return NULL;
	}
}

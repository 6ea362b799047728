// SPDX-License-Identifier: GPL-2.0-only
/* State machines that are not of one type of operation machine alone; the others: fom_types.c. */
#include "addb/machines.h"
#include "addb/machine_table.h"

static const char *const fom_names[] = { "Init", "Ready", "Running", "Waiting", "Finished" };
static const struct addb_transition fom_transitions[] = {
	{ "Schedule", 0, 1 }, { "Failed", 0, 4 }, { "Run", 1, 2 },    { "Yield", 2, 1 },
	{ "Sleep", 2, 3 },    { "Done", 2, 4 },	  { "Wakeup", 3, 1 }, { "Terminate", 3, 4 },
};
const struct addb_machine addb_fom_states =
	MACHINE("FOM states", NULL, fom_names, fom_transitions, BIT(4));

static const char *const rpc_names[] = {
	"UNINITIALISED", "INITIALISED",	      "ENQUEUED", "URGENT",   "SENDING",
	"SENT",		 "WAITING_FOR_REPLY", "REPLIED",  "ACCEPTED", "FAILED",
};
const struct addb_machine addb_rpc_item = STATES("RPC-Item-sm", rpc_names, BIT(0));

static const char *const tx_names[] = {
	NULL,	  "failed", "prepare", "opening", "grouping",
	"active", "closed", "logged",  "placed",  "done",
};
static const struct addb_transition tx_transitions[] = {
	{ "opening", 2, 3 },	 { "prepare-failed", 2, 1 }, { "grouping", 3, 4 },
	{ "open-failed", 3, 1 }, { "activated", 4, 5 },	     { "closed", 5, 6 },
	{ "logged", 6, 7 },	 { "placed", 7, 8 },	     { "done", 8, 9 },
};
const struct addb_machine addb_be_tx =
	MACHINE("m0_be_tx::t_sm", NULL, tx_names, tx_transitions, BIT(1) | BIT(9));

static const char *const be_op_names[] = { "M0_BOS_INIT", "M0_BOS_ACTIVE", "M0_BOS_DONE" };
static const struct addb_transition be_op_transitions[] = {
	{ "started", 0, 1 },
	{ "completed", 1, 2 },
};
const struct addb_machine addb_be_op =
	MACHINE("m0_be_op::bo_sm", NULL, be_op_names, be_op_transitions, BIT(2));

static const char *const op_names[] = {
	NULL, "initialised", "launched", "executed", "stable", "failed",
};
static const struct addb_transition op_transitions[] = {
	{ "launching", 1, 2 },		{ "failed-to-launch", 1, 5 },
	{ "operation-executed", 2, 3 }, { "operation-failed", 2, 5 },
	{ "transaction-stable", 3, 4 }, { "transaction-failed", 3, 5 },
};
const struct addb_machine addb_client_op =
	MACHINE("op-conf", NULL, op_names, op_transitions, BIT(4) | BIT(5));

static const char *const cas_names[] = {
	NULL, "init", "request-sent", "request-fragment-sent", "assembly", "final", "failure",
};
static const struct addb_transition cas_transitions[] = {
	{ "send-over-rpc", 1, 2 },  { "send-fragm-over-rpc", 1, 3 }, { "rpc-failure", 2, 6 },
	{ "assembly", 2, 4 },	    { "req-processed", 2, 5 },	     { "rpc-failure", 3, 6 },
	{ "fragm-assembly", 3, 4 }, { "req-processed", 3, 5 },	     { "assembly-fail", 4, 6 },
	{ "assembly-done", 4, 5 },  { "assembly-fragm", 4, 3 },
};
const struct addb_machine addb_cas_request =
	MACHINE("cas_req", NULL, cas_names, cas_transitions, BIT(5) | BIT(6));

static const char *const dix_names[] = {
	NULL,
	"init",
	"layout-discovery",
	"lid-discovery",
	"discovery-done",
	"idxop-meta-update",
	"in-progress",
	"resend-get-req",
	"delete-phase2",
	"final",
	"failure",
};
static const struct addb_transition dix_transitions[] = {
	{ "layouts-known", 1, 4 }, { "find-layouts", 1, 2 },  { "resolve-lids", 1, 3 },
	{ "copy-fail", 1, 10 },	   { "layouts-found", 2, 4 }, { "lid-exists", 2, 3 },
	{ "not-found", 2, 10 },	   { "desc-final", 2, 9 },    { "lids-resolved", 3, 4 },
	{ "not-resolved", 3, 10 }, { "lid-final", 3, 9 },     { "create/delete", 4, 5 },
	{ "execute", 4, 6 },	   { "failure", 4, 10 },      { "meta-updated", 5, 6 },
	{ "crow-or-fail", 5, 9 },  { "update-fail", 5, 10 },  { "get-req-fail", 6, 7 },
	{ "rpc-failure", 6, 10 },  { "req-processed", 6, 9 }, { "inp-del-ph2", 6, 8 },
	{ "del-ph2-final", 8, 9 }, { "del-ph2-fail", 8, 10 }, { "all-cctg-fail", 7, 10 },
	{ "resend", 7, 6 },
};
const struct addb_machine addb_dix_request =
	MACHINE("dix_req", NULL, dix_names, dix_transitions, BIT(9) | BIT(10));

static const char *const io_names[] = {
	NULL,
	"IO_initial",
	"IO_reading",
	"IO_writing",
	"IO_read_complete",
	"IO_write_complete",
	"IO_truncate",
	"IO_truncate_complte",
	"IO_degraded_read",
	"IO_degraded_write",
	"IO_req_complete",
	"IO_req_failed",
};
static const struct addb_transition io_transitions[] = {
	{ "init-reading", 1, 2 },     { "init-writing", 1, 3 },	     { "init-complete", 1, 10 },
	{ "init-failed", 1, 11 },     { "read-complete", 2, 4 },     { "read-failed", 2, 11 },
	{ "write-complete", 3, 5 },   { "write-failed", 3, 11 },     { "rcompl-write", 4, 3 },
	{ "rcompl-complete", 4, 10 }, { "rcompl-dgread", 4, 8 },     { "rcompl-failed", 4, 11 },
	{ "rcompl-reading", 4, 2 },   { "wcompl-dgwrite", 5, 9 },    { "wcompl-complete", 5, 10 },
	{ "wcompl-trunc", 5, 6 },     { "wcompl-failed", 5, 11 },    { "trunc-tcompl", 6, 7 },
	{ "trunc-failed", 6, 11 },    { "tcompl-complete", 7, 10 },  { "tcompl-failed", 7, 11 },
	{ "dgread-rcompl", 8, 4 },    { "dgread-failed", 8, 11 },    { "dgwrite-wcompl", 9, 5 },
	{ "dgwrite-failed", 9, 11 },  { "failed-complete", 11, 10 },
};
const struct addb_machine addb_io_request =
	MACHINE("IO request state machine configuration", NULL, io_names, io_transitions, BIT(10));

static const char *const dtx_names[] = { NULL, "init", "inprogress", "stable", "done", "failed" };
static const struct addb_transition dtx_transitions[] = {
	{ "populated", 1, 2 },
	{ "stabilised", 2, 3 },
	{ "stab-fail", 2, 5 },
	{ "prune", 3, 4 },
};
const struct addb_machine addb_dtx =
	MACHINE("dtm0dtx", NULL, dtx_names, dtx_transitions, BIT(4) | BIT(5));

static const char *const recovery_names[] = { "M0_DRMS_INIT", "M0_DRMS_STARTED",
					      "M0_DRMS_STOPPED" };
static const struct addb_transition recovery_transitions[] = {
	{ "started", 0, 1 },
	{ "stop-running", 1, 2 },
	{ "stop-idle", 0, 2 },
};
const struct addb_machine addb_recovery =
	MACHINE("recovery_machine", NULL, recovery_names, recovery_transitions, BIT(2));

size_t addb_machine__n_transitions(const struct addb_machine *machine)
{
	return machine->n_transitions +
	       (machine->base ? addb_machine__n_transitions(machine->base) : 0);
}

const char *addb_machine__state(const struct addb_machine *machine, __u64 state)
{
	if (state < machine->n_states && machine->states[state])
		return machine->states[state];
	return machine->base ? addb_machine__state(machine->base, state) : NULL;
}

const struct addb_transition *addb_machine__transition(const struct addb_machine *machine,
						       __u64 transition)
{
	size_t before = machine->base ? addb_machine__n_transitions(machine->base) : 0;

	if (transition < before)
		return addb_machine__transition(machine->base, transition);
	transition -= before;
	return transition < machine->n_transitions ? &machine->transitions[transition] : NULL;
}

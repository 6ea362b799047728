/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records that link an operation with what works for it, in the client and in the server: ids
 * and payloads as in Motr. Ids are unique in their process alone; the two sides of an rpc have
 * opcode, transfer and session in common.
 */
#ifndef STACK_MOTR_CHAIN_H
#define STACK_MOTR_CHAIN_H

#include "motr_wire.h"

enum chain_record {
	M0_AVI_FOM_DESCR = 0x2108,
	M0_AVI_FOM_TO_BULK = 0x210a,
	M0_AVI_FOM_TO_TX = 0x210b,
	M0_AVI_FOM_TO_STIO = 0x210c,
	M0_AVI_STOB_IO_REQ = 0x7009,
	M0_AVI_RPC_BULK_OP = 0x8007,
	M0_AVI_BE_TX_STATE = 0xa001,
	M0_AVI_CAS_TO_RPC = 0xc104,
	M0_AVI_CLIENT_TO_DIX = 0xd103,
	M0_AVI_CLIENT_TO_COB_REQ = 0xd105,
	M0_AVI_COB_REQ_TO_RPC = 0xd106,
	M0_AVI_CLIENT_TO_IOO = 0xd107,
	M0_AVI_IOO_TO_RPC = 0xd108,
	M0_AVI_CLIENT_BULK_TO_RPC = 0xd109,
	M0_AVI_DIX_TO_CAS = 0xe104,
};

/* Steps of M0_AVI_STOB_IO_REQ. */
enum chain_stob_step { STOB_IO_LAUNCH, STOB_LIO_LAUNCH = 9, STOB_LIO_ENDIO };

/* Of M0_AVI_RPC_BULK_OP. */
enum chain_bulk_step { BULK_INITIATE, BULK_FINISH };

/* States of M0_AVI_BE_TX_STATE; each transition leads to the next one. */
enum chain_tx { TX_PREPARE = 2, TX_CLOSED = 6, TX_DONE = 9 };

#pragma GCC visibility push(hidden)

/* What asks for a request of the wire, and what answers it: M0_IOSERVICE_WRITEV_OPCODE, ... */
uint32_t chain_opcode(const struct wire_request *req);
uint32_t chain_reply_opcode(const struct wire_request *req);
/* Do its data go beside the request? Those that are read come with the reply. */
bool chain_has_bulk(const struct wire_request *req);
/* Does it change anything at the server? */
bool chain_has_tx(const struct wire_request *req);

/* Client: of what the operation is made, down to the rpc item; its id. */
uint64_t chain_client(uint64_t operation, const struct wire_request *req, uint64_t (*new_id)(void));

/* Client: data that go with an item, until they have; 0: there are none. */
uint64_t chain_bulk(uint64_t item, const struct wire_request *req, uint64_t (*new_id)(void));
/* Either side: they begin to go, or have gone. id may be 0. */
void chain_bulk_step(uint64_t id, enum chain_bulk_step step);
/* Server: the transaction goes on, from one state to another. id may be 0. */
void chain_tx_states(uint64_t id, enum chain_tx from, enum chain_tx to);

/* Either side: the item is put on the wire, or was taken from there. */
void chain_assign(uint64_t item, uint32_t opcode, const struct wire_request *req);
void chain_fetch(uint64_t item, uint32_t opcode, const struct wire_request *req);

#pragma GCC visibility pop

#endif

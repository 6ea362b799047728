// SPDX-License-Identifier: GPL-2.0-only
#include "motr.h"
#include "motr_chain.h"

enum { COB_CREATE = 45, COB_DELETE, COB_REPLY = 48 };
enum { FSYNC_IOS = 121, FSYNC_IOS_REPLY, COB_GETATTR = 128, COB_GETATTR_REPLY };
enum { READV = 41, WRITEV, READV_REPLY, WRITEV_REPLY };
enum { CAS_GET = 230, CAS_PUT, CAS_DEL, CAS_CUR, CAS_REPLY };

static uint32_t index_opcode(uint32_t code)
{
	switch (code) {
	case M0_IC_PUT:
	case M0_EO_CREATE:
		return CAS_PUT;
	case M0_IC_DEL:
	case M0_EO_DELETE:
		return CAS_DEL;
	case M0_IC_NEXT:
	case M0_IC_LIST:
		return CAS_CUR;
	default:
		return CAS_GET;
	}
}

uint32_t chain_opcode(const struct wire_request *req)
{
	if (req->type == M0_ET_IDX)
		return index_opcode(req->code);
	switch (req->code) {
	case M0_OC_READ:
		return READV;
	case M0_EO_CREATE:
		return COB_CREATE;
	case M0_EO_DELETE:
		return COB_DELETE;
	case M0_EO_OPEN:
		return COB_GETATTR;
	case M0_EO_SYNC:
		return FSYNC_IOS;
	default:
		return WRITEV;
	}
}

uint32_t chain_reply_opcode(const struct wire_request *req)
{
	uint32_t opcode = chain_opcode(req);

	switch (opcode) {
	case READV:
		return READV_REPLY;
	case WRITEV:
		return WRITEV_REPLY;
	case COB_GETATTR:
		return COB_GETATTR_REPLY;
	case FSYNC_IOS:
		return FSYNC_IOS_REPLY;
	default:
		return req->type == M0_ET_IDX ? CAS_REPLY : COB_REPLY;
	}
}

bool chain_has_bulk(const struct wire_request *req)
{
	return req->type == M0_ET_OBJ && req->code == M0_OC_WRITE;
}

bool chain_has_tx(const struct wire_request *req)
{
	switch (chain_opcode(req)) {
	case WRITEV:
	case COB_CREATE:
	case COB_DELETE:
	case CAS_PUT:
	case CAS_DEL:
		return true;
	default:
		return false;
	}
}

static uint64_t relate(uint64_t record, uint64_t from, uint64_t to)
{
	M0_ADDB2_ADD(record, from, to);
	return to;
}

uint64_t chain_client(uint64_t operation, const struct wire_request *req, uint64_t (*new_id)(void))
{
	uint64_t by;

	if (req->type == M0_ET_IDX) {
		by = relate(M0_AVI_CLIENT_TO_DIX, operation, new_id());
		by = relate(M0_AVI_DIX_TO_CAS, by, new_id());
		return relate(M0_AVI_CAS_TO_RPC, by, new_id());
	}
	if (req->code < M0_OC_READ) {
		by = relate(M0_AVI_CLIENT_TO_COB_REQ, operation, new_id());
		return relate(M0_AVI_COB_REQ_TO_RPC, by, new_id());
	}
	by = relate(M0_AVI_CLIENT_TO_IOO, operation, new_id());
	return relate(M0_AVI_IOO_TO_RPC, by, new_id());
}

uint64_t chain_bulk(uint64_t item, const struct wire_request *req, uint64_t (*new_id)(void))
{
	uint64_t id = chain_has_bulk(req) ? new_id() : 0;

	if (id)
		M0_ADDB2_ADD(M0_AVI_CLIENT_BULK_TO_RPC, id, item);
	return id;
}

void chain_bulk_step(uint64_t id, enum chain_bulk_step step)
{
	if (id)
		M0_ADDB2_ADD(M0_AVI_RPC_BULK_OP, id, step);
}

void chain_tx_states(uint64_t id, enum chain_tx from, enum chain_tx to)
{
	/* Transitions are numbered in this order, two of them to the failed state. */
	static const uint64_t causes[] = { [3] = 0, [4] = 2, 4, 5, 6, 7, 8 };

	for (uint64_t state = from + 1; id && state <= to; state++)
		M0_ADDB2_ADD(M0_AVI_BE_TX_STATE, id, causes[state], state);
}

void chain_assign(uint64_t item, uint32_t opcode, const struct wire_request *req)
{
	M0_ADDB2_ADD(M0_AVI_RPC_ITEM_ID_ASSIGN, item, opcode, req->xid, req->session);
}

void chain_fetch(uint64_t item, uint32_t opcode, const struct wire_request *req)
{
	M0_ADDB2_ADD(M0_AVI_RPC_ITEM_ID_FETCH, item, opcode, req->xid, req->session);
}

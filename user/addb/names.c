// SPDX-License-Identifier: GPL-2.0-only
#include "addb/names.h"
#include "base/search.h"

#define NAMES(list)                                  \
	{                                            \
		list, sizeof(list) / sizeof(*(list)) \
	}

static const struct addb_name opcodes[] = {
	{ 13, "M0_REQH_ERROR_REPLY_OPCODE" },
	{ 28, "M0_RPC_PING_OPCODE" },
	{ 29, "M0_RPC_PING_REPLY_OPCODE" },
	{ 30, "M0_RPC_NOOP_OPCODE" },
	{ 32, "M0_RPC_CONN_ESTABLISH_OPCODE" },
	{ 33, "M0_RPC_CONN_ESTABLISH_REP_OPCODE" },
	{ 34, "M0_RPC_SESSION_ESTABLISH_OPCODE" },
	{ 35, "M0_RPC_SESSION_ESTABLISH_REP_OPCODE" },
	{ 36, "M0_RPC_SESSION_TERMINATE_OPCODE" },
	{ 37, "M0_RPC_SESSION_TERMINATE_REP_OPCODE" },
	{ 38, "M0_RPC_CONN_TERMINATE_OPCODE" },
	{ 39, "M0_RPC_CONN_TERMINATE_REP_OPCODE" },
	{ 41, "M0_IOSERVICE_READV_OPCODE" },
	{ 42, "M0_IOSERVICE_WRITEV_OPCODE" },
	{ 43, "M0_IOSERVICE_READV_REP_OPCODE" },
	{ 44, "M0_IOSERVICE_WRITEV_REP_OPCODE" },
	{ 45, "M0_IOSERVICE_COB_CREATE_OPCODE" },
	{ 46, "M0_IOSERVICE_COB_DELETE_OPCODE" },
	{ 47, "M0_IOSERVICE_COB_TRUNCATE_OPCODE" },
	{ 48, "M0_IOSERVICE_COB_OP_REPLY_OPCODE" },
	{ 49, "M0_IOSERVICE_FV_NOTIFICATION_OPCODE" },
	{ 53, "M0_CONF_FETCH_OPCODE" },
	{ 54, "M0_CONF_FETCH_RESP_OPCODE" },
	{ 55, "M0_CONF_UPDATE_OPCODE" },
	{ 56, "M0_CONF_UPDATE_RESP_OPCODE" },
	{ 88, "M0_RM_FOP_BORROW" },
	{ 89, "M0_RM_FOP_BORROW_REPLY" },
	{ 90, "M0_RM_FOP_REVOKE" },
	{ 91, "M0_RM_FOP_REVOKE_REPLY" },
	{ 92, "M0_RM_FOP_CANCEL" },
	{ 114, "M0_HA_NOTE_GET_OPCODE" },
	{ 115, "M0_HA_NOTE_GET_REP_OPCODE" },
	{ 116, "M0_HA_NOTE_SET_OPCODE" },
	{ 117, "M0_HA_ENTRYPOINT_REQ_OPCODE" },
	{ 118, "M0_HA_ENTRYPOINT_REP_OPCODE" },
	{ 119, "M0_FSYNC_MDS_OPCODE" },
	{ 120, "M0_FSYNC_MDS_REP_OPCODE" },
	{ 121, "M0_FSYNC_IOS_OPCODE" },
	{ 122, "M0_FSYNC_IOS_REP_OPCODE" },
	{ 123, "M0_FSYNC_CAS_OPCODE" },
	{ 124, "M0_FSYNC_CAS_REP_OPCODE" },
	{ 128, "M0_IOSERVICE_COB_GETATTR_OPCODE" },
	{ 129, "M0_IOSERVICE_COB_GETATTR_REP_OPCODE" },
	{ 130, "M0_IOSERVICE_COB_SETATTR_OPCODE" },
	{ 131, "M0_IOSERVICE_COB_SETATTR_REP_OPCODE" },
	{ 138, "M0_SPIEL_CONF_FILE_OPCODE" },
	{ 139, "M0_SPIEL_CONF_FILE_REP_OPCODE" },
	{ 140, "M0_SPIEL_CONF_FLIP_OPCODE" },
	{ 141, "M0_SPIEL_CONF_FLIP_REP_OPCODE" },
	{ 150, "M0_ADDB_FOP_OPCODE" },
	{ 170, "M0_FDMI_RECORD_NOT_OPCODE" },
	{ 171, "M0_FDMI_RECORD_NOT_REP_OPCODE" },
	{ 172, "M0_FDMI_RECORD_RELEASE_OPCODE" },
	{ 173, "M0_FDMI_RECORD_RELEASE_REP_OPCODE" },
	{ 200, "M0_SSS_SVC_REQ_OPCODE" },
	{ 201, "M0_SSS_SVC_REP_OPCODE" },
	{ 202, "M0_SSS_PROCESS_REQ_OPCODE" },
	{ 203, "M0_SSS_PROCESS_REP_OPCODE" },
	{ 204, "M0_SSS_PROCESS_SVC_LIST_REP_OPCODE" },
	{ 205, "M0_SSS_DEVICE_REQ_OPCODE" },
	{ 206, "M0_SSS_DEVICE_REP_OPCODE" },
	{ 207, "M0_HA_LINK_MSG_REQ" },
	{ 208, "M0_HA_LINK_MSG_REP" },
	{ 230, "M0_CAS_GET_FOP_OPCODE" },
	{ 231, "M0_CAS_PUT_FOP_OPCODE" },
	{ 232, "M0_CAS_DEL_FOP_OPCODE" },
	{ 233, "M0_CAS_CUR_FOP_OPCODE" },
	{ 234, "M0_CAS_REP_FOP_OPCODE" },
	{ 235, "M0_CAS_GCW_FOP_OPCODE" },
	{ 236, "M0_CAS_GCF_FOP_OPCODE" },
	{ 318, "M0_DIX_CM_REPAIR_CP_OPCODE" },
	{ 319, "M0_DIX_CM_REPAIR_CP_REP_OPCODE" },
	{ 320, "M0_DIX_CM_REBALANCE_CP_OPCODE" },
	{ 321, "M0_DIX_CM_REBALANCE_CP_REP_OPCODE" },
	{ 350, "M0_ISCSERVICE_REQ_OPCODE" },
	{ 351, "M0_ISCSERVICE_REP_OPCODE" },
	{ 450, "M0_DTM0_REQ_OPCODE" },
	{ 451, "M0_DTM0_REP_OPCODE" },
	{ 452, "M0_DTM0_REDO_OPCODE" },
};

/* What an attr record may name. */
static const struct addb_name attributes[] = {
	{ 0x6002, "M0_AVI_IOS_IO_ATTR_FOMCRW_NDESC" },
	{ 0x6003, "M0_AVI_IOS_IO_ATTR_FOMCRW_TOTAL_IOIVEC_CNT" },
	{ 0x6004, "M0_AVI_IOS_IO_ATTR_FOMCRW_COUNT" },
	{ 0x6005, "M0_AVI_IOS_IO_ATTR_FOMCRW_BYTES" },
	{ 0x6006, "M0_AVI_IOS_IO_ATTR_FOMCOB_FOP_TYPE" },
	{ 0x6007, "M0_AVI_IOS_IO_ATTR_FOMCOB_GFID_CONT" },
	{ 0x6008, "M0_AVI_IOS_IO_ATTR_FOMCOB_GFID_KEY" },
	{ 0x6009, "M0_AVI_IOS_IO_ATTR_FOMCOB_CFID_CONT" },
	{ 0x600a, "M0_AVI_IOS_IO_ATTR_FOMCOB_CFID_KEY" },
	{ 0x700a, "M0_AVI_STOB_IO_ATTR_UVEC_NR" },
	{ 0x700b, "M0_AVI_STOB_IO_ATTR_UVEC_COUNT" },
	{ 0x700c, "M0_AVI_STOB_IO_ATTR_UVEC_BYTES" },
	{ 0x8008, "M0_AVI_RPC_ATTR_OPCODE" },
	{ 0x8009, "M0_AVI_RPC_ATTR_NR_SENT" },
	{ 0x800a, "M0_AVI_RPC_BULK_ATTR_OP" },
	{ 0x800b, "M0_AVI_RPC_BULK_ATTR_BUF_NR" },
	{ 0x800c, "M0_AVI_RPC_BULK_ATTR_BYTES" },
	{ 0x800d, "M0_AVI_RPC_BULK_ATTR_SEG_NR" },
	{ 0xa205, "M0_AVI_BE_TX_ATTR_PAYLOAD_NOB" },
	{ 0xa206, "M0_AVI_BE_TX_ATTR_PAYLOAD_PREP" },
	{ 0xa207, "M0_AVI_BE_TX_ATTR_LOG_RESERVED_SZ" },
	{ 0xa208, "M0_AVI_BE_TX_ATTR_LOG_USED" },
	{ 0xa209, "M0_AVI_BE_TX_ATTR_RA_AREA_USED" },
	{ 0xa20a, "M0_AVI_BE_TX_ATTR_RA_PREP_TC_REG_NR" },
	{ 0xa20b, "M0_AVI_BE_TX_ATTR_RA_PREP_TC_REG_SIZE" },
	{ 0xa20c, "M0_AVI_BE_TX_ATTR_RA_CAPT_TC_REG_NR" },
	{ 0xa20d, "M0_AVI_BE_TX_ATTR_RA_CAPT_TC_REG_SIZE" },
	{ 0xc106, "M0_AVI_CAS_REQ_ATTR_IS_META" },
	{ 0xc107, "M0_AVI_CAS_REQ_ATTR_REC_NR" },
	{ 0xc108, "M0_AVI_CAS_FOM_ATTR_IKV_NR" },
	{ 0xc109, "M0_AVI_CAS_FOM_ATTR_IN_INLINE_KEYS_NR" },
	{ 0xc10a, "M0_AVI_CAS_FOM_ATTR_IN_BULK_KEYS_NR" },
	{ 0xc10b, "M0_AVI_CAS_FOM_ATTR_IN_KEYS_SIZE" },
	{ 0xc10c, "M0_AVI_CAS_FOM_ATTR_IN_INLINE_VALS_NR" },
	{ 0xc10d, "M0_AVI_CAS_FOM_ATTR_IN_BULK_VALS_NR" },
	{ 0xc10e, "M0_AVI_CAS_FOM_ATTR_IN_VALS_SIZE" },
	{ 0xc10f, "M0_AVI_CAS_FOM_ATTR_OUT_INLINE_KEYS_NR" },
	{ 0xc110, "M0_AVI_CAS_FOM_ATTR_OUT_BULK_KEYS_NR" },
	{ 0xc111, "M0_AVI_CAS_FOM_ATTR_OUT_KEYS_SIZE" },
	{ 0xc112, "M0_AVI_CAS_FOM_ATTR_OUT_INLINE_VALS_NR" },
	{ 0xc113, "M0_AVI_CAS_FOM_ATTR_OUT_BULK_VALS_NR" },
	{ 0xc114, "M0_AVI_CAS_FOM_ATTR_OUT_VALS_SIZE" },
	{ 0xd10a, "M0_AVI_OP_ATTR_ENTITY_ID" },
	{ 0xd10b, "M0_AVI_OP_ATTR_CODE" },
	{ 0xd10c, "M0_AVI_IOO_ATTR_BUFS_NR" },
	{ 0xd10d, "M0_AVI_IOO_ATTR_BUF_SIZE" },
	{ 0xd10e, "M0_AVI_IOO_ATTR_PAGE_SIZE" },
	{ 0xd10f, "M0_AVI_IOO_ATTR_BUFS_ALIGNED" },
	{ 0xd110, "M0_AVI_IOO_ATTR_RMW" },
	{ 0xe105, "M0_AVI_DIX_REQ_ATTR_IS_META" },
	{ 0xe106, "M0_AVI_DIX_REQ_ATTR_REQ_TYPE" },
	{ 0xe107, "M0_AVI_DIX_REQ_ATTR_ITEMS_NR" },
	{ 0xe108, "M0_AVI_DIX_REQ_ATTR_INDICES_NR" },
	{ 0xe109, "M0_AVI_DIX_REQ_ATTR_KEYS_NR" },
	{ 0xe10a, "M0_AVI_DIX_REQ_ATTR_VALS_NR" },
};

static const struct addb_name cob_states[] = {
	{ 0, "COB_REQ_ACTIVE" },
	{ 1, "COB_REQ_SENDING" },
	{ 2, "COB_REQ_DONE" },
};

static const struct addb_name bulk_steps[] = {
	{ 0, "M0_RPC_BULK_OP_INITIATE" },
	{ 1, "M0_RPC_BULK_OP_FINISH" },
};

/* Of network buffers. */
static const struct addb_name net_queues[] = {
	{ 0, "M0_NET_QT_MSG_RECV" },	      { 1, "M0_NET_QT_MSG_SEND" },
	{ 2, "M0_NET_QT_PASSIVE_BULK_RECV" }, { 3, "M0_NET_QT_PASSIVE_BULK_SEND" },
	{ 4, "M0_NET_QT_ACTIVE_BULK_RECV" },  { 5, "M0_NET_QT_ACTIVE_BULK_SEND" },
};

static const struct addb_name cob_operations[] = {
	{ 0, "M0_COB_OP_DOMAIN_MKFS" },	 { 1, "M0_COB_OP_LOOKUP" },    { 2, "M0_COB_OP_LOCATE" },
	{ 3, "M0_COB_OP_CREATE" },	 { 4, "M0_COB_OP_DELETE" },    { 5, "M0_COB_OP_TRUNCATE" },
	{ 6, "M0_COB_OP_DELETE_PUT" },	 { 7, "M0_COB_OP_UPDATE" },    { 8, "M0_COB_OP_FEA_SET" },
	{ 9, "M0_COB_OP_FEA_DEL" },	 { 10, "M0_COB_OP_NAME_ADD" }, { 11, "M0_COB_OP_NAME_DEL" },
	{ 12, "M0_COB_OP_NAME_UPDATE" },
};

static const struct addb_name dix_requests[] = {
	{ 0, "DIX_CREATE" }, { 1, "DIX_CCTGS_LOOKUP" }, { 2, "DIX_DELETE" }, { 3, "DIX_NEXT" },
	{ 4, "DIX_GET" },    { 5, "DIX_PUT" },		{ 6, "DIX_DEL" },
};

static const struct addb_name bulk_operations[] = {
	{ 1, "M0_RPC_BULK_STORE" },
	{ 2, "M0_RPC_BULK_LOAD" },
};

static const struct addb_name stob_steps[] = {
	{ 0, "M0_AVI_IO_LAUNCH" },     { 1, "M0_AVI_AD_PREPARE" },
	{ 2, "M0_AVI_AD_WR_PREPARE" }, { 3, "M0_AVI_AD_BALLOC_START" },
	{ 4, "M0_AVI_AD_BALLOC_END" }, { 5, "M0_AVI_AD_LAUNCH" },
	{ 6, "M0_AVI_AD_SORT_START" }, { 7, "M0_AVI_AD_SORT_END" },
	{ 8, "M0_AVI_AD_ENDIO" },      { 9, "M0_AVI_LIO_LAUNCH" },
	{ 10, "M0_AVI_LIO_ENDIO" },
};

static const struct addb_name entity_types[] = {
	{ 1, "M0_ET_OBJ" },
	{ 2, "M0_ET_IDX" },
};

/* Of entities, objects and indices: three enumerations in one range. */
static const struct addb_name operation_codes[] = {
	{ 1, "M0_EO_CREATE" },	   { 2, "M0_EO_DELETE" },     { 3, "M0_EO_SYNC" },
	{ 4, "M0_EO_OPEN" },	   { 5, "M0_EO_GETATTR" },    { 6, "M0_EO_SETATTR" },
	{ 7, "M0_EO_LAYOUT_GET" }, { 8, "M0_EO_LAYOUT_SET" }, { 10, "M0_OC_READ" },
	{ 11, "M0_OC_WRITE" },	   { 12, "M0_OC_ALLOC" },     { 13, "M0_OC_FREE" },
	{ 15, "M0_IC_GET" },	   { 16, "M0_IC_PUT" },	      { 17, "M0_IC_DEL" },
	{ 18, "M0_IC_NEXT" },	   { 19, "M0_IC_LOOKUP" },    { 20, "M0_IC_LIST" },
};

const struct addb_names addb_opcodes = NAMES(opcodes), addb_attributes = NAMES(attributes),
			addb_cob_states = NAMES(cob_states), addb_bulk_steps = NAMES(bulk_steps),
			addb_stob_steps = NAMES(stob_steps), addb_net_queues = NAMES(net_queues);

const char *addb_names__find(const struct addb_names *names, __u64 number)
{
	size_t at = SEARCH_FIRST(names->n, i, names->names[i].number < number);

	return at < names->n && names->names[at].number == number ? names->names[at].name : NULL;
}

const struct addb_names *addb_names__of_attribute(__u64 attribute)
{
	static const struct addb_names bulk = NAMES(bulk_operations), types = NAMES(entity_types),
				       codes = NAMES(operation_codes), cobs = NAMES(cob_operations),
				       dix = NAMES(dix_requests);

	switch (attribute) {
	case 0x6006:
		return &cobs;
	case 0x8008:
		return &addb_opcodes;
	case 0x800a:
		return &bulk;
	case 0xd10a:
		return &types;
	case 0xd10b:
		return &codes;
	case 0xe106:
		return &dix;
	default:
		return NULL;
	}
}

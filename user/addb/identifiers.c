// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "addb/identifiers.h"
#include "tmtrace/addb.h"

#define L ADDB_LABEL
#define M ADDB_MEASUREMENT
#define S ADDB_SENSOR

/* A field that has a name in the dump; one that has none there. */
#define F(format_, label_)                                         \
	{                                                          \
		.format = (format_), .words = 1, .label = (label_) \
	}
#define U(format_, name_)                                        \
	{                                                        \
		.format = (format_), .words = 1, .name = (name_) \
	}
#define FID(label_, name_)                                                         \
	{                                                                          \
		.format = ADDB_FID, .words = 2, .label = (label_), .name = (name_) \
	}
#define NAMED(label_, names_)                                                           \
	{                                                                               \
		.format = ADDB_NAMED, .words = 1, .label = (label_), .names = &(names_) \
	}
/* The dump writes the number. */
#define NUMBERED(label_, names_)                                                          \
	{                                                                                 \
		.format = ADDB_DECIMAL, .words = 1, .label = (label_), .names = &(names_) \
	}

#define ONE(id_, kind_, name_) .first = (id_), .last = (id_), .kind = (kind_), .name = (name_)

#define PLAIN(id_, kind_, name_, n_, ...)                                           \
	{                                                                           \
		ONE(id_, kind_, name_), .n_fields = (n_), .fields = { __VA_ARGS__ } \
	}

/* Two identifiers that belong together. */
#define RELATION(id_, name_, a_, b_) \
	PLAIN(id_, M, name_, 2, F(ADDB_DECIMAL, a_), F(ADDB_DECIMAL, b_))

#define HISTOGRAM(id_, name_) \
	PLAIN(id_, S, name_, 1, { .format = ADDB_HISTOGRAM, .words = 15, .name = "histogram" })

#define STATE(id_, name_, machine_)                                                          \
	{                                                                                    \
		ONE(id_, M, name_),                                                          \
			.machine = (machine_), .n_fields = 1,                                \
			.fields = { { .format = ADDB_STATE, .words = 3, .name = "state" } }, \
	}

/* Histograms of how long a machine was in the state that a transition leaves. */
#define TRANSITIONS(id_, prefix_, machine_)                                                   \
	{                                                                                     \
		.first = (id_), .last = (id_) + 0x100, .kind = S, .name = (prefix_),          \
		.machine = (machine_), .n_fields = 1,                                         \
		.fields = { { .format = ADDB_HISTOGRAM, .words = 15, .name = "histogram" } }, \
	}

/* Sorted by number. */
static const struct addb_identifier identifiers[] = {
	PLAIN(0x0, M, "null", 0),
	PLAIN(0x1001, L, "node", 1, FID(NULL, "fid")),
	PLAIN(0x1002, L, "pid", 1, U(ADDB_DECIMAL, "pid")),
	PLAIN(0x1003, S, "clock", 0),

	PLAIN(0x2001, L, "locality", 1, U(ADDB_DECIMAL, "index")),
	PLAIN(0x2002, L, "thread", 2, U(ADDB_HEX, "thread"), U(ADDB_HEX, "tid")),
	PLAIN(0x2003, L, "service", 1, FID(NULL, "fid")),
	PLAIN(0x2004, L, "fom", 2, F(ADDB_POINTER, "addr"),
	      { .format = ADDB_FOM, .words = 3, .name = "type" }),
	PLAIN(0x2005, M, "fom-phase", 1, { .format = ADDB_PHASE, .words = 3, .name = "state" }),
	STATE(0x2006, "fom-state", &addb_fom_states),
	TRANSITIONS(0x2007, "", &addb_fom_states),
	PLAIN(0x2108, M, "fom-descr", 8, FID("service", NULL), F(ADDB_HEX0X, "sender"),
	      F(ADDB_OPCODE, "req-opcode"), F(ADDB_OPCODE, "rep-opcode"), F(ADDB_BOOLEAN, "local"),
	      F(ADDB_DECIMAL, "rpc_sm_id"), F(ADDB_DECIMAL, "fom_sm_id"),
	      F(ADDB_DECIMAL, "fom_state_sm_id")),
	HISTOGRAM(0x2109, "fom-active"),
	RELATION(0x210a, "fom-to-bulk", "fom_sm_id", "bulk_id"),
	RELATION(0x210b, "fom-to-tx", "fom_id", "tx_id"),
	RELATION(0x210c, "fom-to-stio", "fom_id", "stio_id"),
	HISTOGRAM(0x210d, "runq"),
	HISTOGRAM(0x210e, "wail"),
	PLAIN(0x210f, L, "ast", 0),
	PLAIN(0x2112, M, "loc-forq-duration", 2, F(ADDB_DURATION, "duration"),
	      U(ADDB_SYMBOL, "callback")),
	HISTOGRAM(0x2113, "loc-forq-hist"),
	HISTOGRAM(0x2114, "loc-wait-hist"),
	HISTOGRAM(0x2115, "loc-cb-hist"),
	HISTOGRAM(0x2116, "loc-queue-hist"),
	PLAIN(0x2117, M, "long-lock", 3, F(ADDB_POINTER, "fom"), F(ADDB_DURATION, "wait"),
	      F(ADDB_DURATION, "hold")),
	PLAIN(0x2118, M, "attr", 2, F(ADDB_DECIMAL, "entity_id"),
	      { .format = ADDB_ATTRIBUTE, .words = 2, .name = "attribute" }),

	PLAIN(0x3001, M, "alloc", 2, F(ADDB_DECIMAL, "size"), F(ADDB_POINTER, "addr")),

	PLAIN(0x6001, M, "ios-io-descr", 7, FID("file", NULL), FID("cob", NULL),
	      F(ADDB_HEX, "seg-nr"), F(ADDB_HEX, "count"), F(ADDB_DECIMAL, "offset"),
	      F(ADDB_DECIMAL, "descr-nr"), F(ADDB_DECIMAL, "colour")),

	PLAIN(0x7001, M | L, "stob-io-launch", 5, FID("fid", NULL), F(ADDB_DECIMAL, "count"),
	      F(ADDB_DECIMAL, "bvec-nr"), F(ADDB_DECIMAL, "ivec-nr"), F(ADDB_DECIMAL, "offset")),
	PLAIN(0x7003, M, "stob-io-end", 5, FID("fid", NULL), F(ADDB_DURATION, "duration"),
	      F(ADDB_DECIMAL, "rc"), F(ADDB_DECIMAL, "count"), F(ADDB_DECIMAL, "frag")),
	PLAIN(0x7004, L, "stob-ioq-thread", 1, U(ADDB_DECIMAL, "index")),
	HISTOGRAM(0x7006, "stob-ioq-inflight"),
	HISTOGRAM(0x7007, "stob-ioq-queued"),
	HISTOGRAM(0x7008, "stob-ioq-got"),
	PLAIN(0x7009, M, "stio-req-state", 2, F(ADDB_DECIMAL, "stio_id"),
	      NAMED("stio_state", addb_stob_steps)),

	PLAIN(0x8001, L, "rpc-machine-lock", 1, U(ADDB_POINTER, "machine")),
	PLAIN(0x8002, L, "rpc-replied", 2, U(ADDB_POINTER, "item"), U(ADDB_OPCODE, "opcode")),
	STATE(0x8003, "rpc-out-phase", &addb_rpc_item),
	STATE(0x8004, "rpc-in-phase", &addb_rpc_item),
	PLAIN(0x8005, M, "rpc-item-id-assign", 4, F(ADDB_DECIMAL, "id"),
	      NUMBERED("opcode", addb_opcodes), F(ADDB_DECIMAL, "xid"),
	      F(ADDB_DECIMAL, "session_id")),
	PLAIN(0x8006, M, "rpc-item-id-fetch", 4, F(ADDB_DECIMAL, "id"),
	      NUMBERED("opcode", addb_opcodes), F(ADDB_DECIMAL, "xid"),
	      F(ADDB_DECIMAL, "session_id")),
	PLAIN(0x8007, M, "rpc-bulk-op", 2, F(ADDB_DECIMAL, "bulk_id"),
	      NAMED("state", addb_bulk_steps)),

	STATE(0xa001, "tx-state", &addb_be_tx),
	TRANSITIONS(0xa002, "tx", &addb_be_tx),
	TRANSITIONS(0xa103, "be-op", &addb_be_op),
	PLAIN(0xa204, M, "tx-to-gr", 3, F(ADDB_DECIMAL, "tx_id"), F(ADDB_DECIMAL, "gr_id"),
	      F(ADDB_DECIMAL, "inout")),

	PLAIN(0xb001, M, "net-buf", 6, F(ADDB_POINTER, "buf"), NUMBERED("qtype", addb_net_queues),
	      F(ADDB_CLOCK, "time"), F(ADDB_DURATION, "duration"), F(ADDB_DECIMAL, "status"),
	      F(ADDB_DECIMAL, "len")),

	PLAIN(0xc001, M, "cas-kv-sizes", 3, FID("ifid", NULL), F(ADDB_DECIMAL, "ksize"),
	      F(ADDB_DECIMAL, "vsize")),
	STATE(0xc002, "cas-req-state", &addb_cas_request),
	TRANSITIONS(0xc003, "cas_req", &addb_cas_request),
	RELATION(0xc104, "cas-to-rpc", "cas_id", "rpc_id"),
	RELATION(0xc105, "cas-fom-to-crow-fom", "fom_id", "crow_fom_id"),

	STATE(0xd001, "op-state", &addb_client_op),
	TRANSITIONS(0xd002, "op", &addb_client_op),
	RELATION(0xd103, "client-to-dix", "client_id", "dix_id"),
	PLAIN(0xd104, M, "cob-req-state", 2, F(ADDB_DECIMAL, "cob_id"),
	      NAMED("cob_state", addb_cob_states)),
	RELATION(0xd105, "client-to-cob", "client_id", "cob_id"),
	RELATION(0xd106, "cob-to-rpc", "cob_id", "rpc_id"),
	RELATION(0xd107, "client-to-ioo", "client_id", "ioo_id"),
	RELATION(0xd108, "ioo-to-rpc", "ioo_id", "rpc_id"),
	RELATION(0xd109, "bulk-to-rpc", "bulk_id", "rpc_id"),
	STATE(0xd111, "ioo-req-state", &addb_io_request),
	TRANSITIONS(0xd112, "ioo_req", &addb_io_request),

	STATE(0xe001, "dix-req-state", &addb_dix_request),
	TRANSITIONS(0xe002, "dix_req", &addb_dix_request),
	RELATION(0xe103, "dix-to-mdix", "dix_id", "mdix_id"),
	RELATION(0xe104, "dix-to-cas", "dix_id", "cas_id"),

	PLAIN(0xf001, M, "kem-cpu", 1, F(ADDB_DECIMAL, "cpu")),
	PLAIN(0xf002, M, "pagefault", 6, F(ADDB_DECIMAL, "tgid"), F(ADDB_DECIMAL, "pid"),
	      F(ADDB_HEX, "addr"), F(ADDB_DECIMAL, "wr"), F(ADDB_HEX, "fault"),
	      F(ADDB_HEX, "delta_t")),
	PLAIN(0xf003, M, "ctx_switch", 5, F(ADDB_DECIMAL, "prev_tgid"), F(ADDB_DECIMAL, "prev_pid"),
	      F(ADDB_DECIMAL, "next_tgid"), F(ADDB_DECIMAL, "next_pid"), F(ADDB_HEX, "delta_t")),
	STATE(0xf201, "dtx0-state", &addb_dtx),
	TRANSITIONS(0xf202, "dtx0", &addb_dtx),
	STATE(0xf303, "drm-state", &addb_recovery),
	TRANSITIONS(0xf304, "drm", &addb_recovery),

	PLAIN(0x2000000, M, "sit", 8, F(ADDB_HEX, "seq"), F(ADDB_HEX, "offset"),
	      F(ADDB_HEX, "prev"), F(ADDB_HEX, "next"), F(ADDB_HEX, "size"), F(ADDB_DECIMAL, "idx"),
	      F(ADDB_DECIMAL, "nr"), FID("fid", NULL)),
};

#define N (sizeof(identifiers) / sizeof(*identifiers))

const struct addb_identifier *addb_identifiers__find(__u64 id)
{
	size_t low = 0, high = N, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (id > identifiers[middle].last)
			low = middle + 1;
		else if (id < identifiers[middle].first)
			high = middle;
		else
			return &identifiers[middle];
	}
	return NULL;
}

const struct addb_identifier *addb_identifiers__by_name(const char *name)
{
	for (size_t i = 0; i < N; i++)
		if (identifiers[i].first == identifiers[i].last &&
		    !strcmp(identifiers[i].name, name))
			return &identifiers[i];
	return NULL;
}

const struct addb_identifier *addb_identifiers__all(size_t *n)
{
	*n = N;
	return identifiers;
}

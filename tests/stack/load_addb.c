// SPDX-License-Identifier: GPL-2.0-only
/*
 * ADDB2 records of every kind. What m0addb2dump -f would write of them, without their times, goes
 * into the file addb-dump.txt in --dir. The texts were written by hand, from the dump's rules.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "load_addb.h"
#include "motr.h"

struct sample {
	uint64_t id;
	int n;
	uint64_t words[M0_ADDB2_WORDS_MAX];
	const char *text; /* "name, fields" */
};

#define NEW 0xffffffff

static const struct sample samples[] = {
	{ 0x2005, 3, { 7, 0, 2 }, "fom-phase        sm_id: 7 init -[initialised]-> authen" },
	{ 0x2005, 3, { 7, 2, 15 }, "fom-phase        sm_id: 7 init -[success]-> success" },
	{ 0x2006, 3, { 8, 0, 1 }, "fom-state        sm_id: 8 Init -[Schedule]-> Ready" },
	{ 0x2006, 3, { 8, 7, 4 }, "fom-state        sm_id: 8 Waiting -[Terminate]-> Finished" },
	{ 0x2006, 3, { 8, NEW, 0 }, "fom-state        sm_id: 8 o--> Init" },
	{ 0x2108,
	  9,
	  { 0x7300000000000001, 0x1a, 0xaf239603ef40003, 42, 44, 1, 5, 6, 7 },
	  "fom-descr        service: <7300000000000001:1a>, sender: 0xaf239603ef40003, req-opcode: "
	  "M0_IOSERVICE_WRITEV_OPCODE, rep-opcode: M0_IOSERVICE_WRITEV_REP_OPCODE, local: true, "
	  "rpc_sm_id: 5, fom_sm_id: 6, fom_state_sm_id: 7" },
	{ 0x210a, 2, { 6, 9 }, "fom-to-bulk      fom_sm_id: 6, bulk_id: 9" },
	{ 0x210b, 2, { 6, 10 }, "fom-to-tx        fom_id: 6,  tx_id: 10" },
	{ 0x210c, 2, { 6, 11 }, "fom-to-stio      fom_id: 6,  stio_id: 11" },
	{ 0x2117,
	  3,
	  { 0x7ff0f00d8070, 5, 1000000007 },
	  "long-lock        fom: @0x7ff0f00d8070, wait: 0.000000005, hold: 1.000000007" },
	{ 0x2118,
	  3,
	  { 12, 0xd10b, 11 },
	  "attr             entity_id: 12, M0_AVI_OP_ATTR_CODE: M0_OC_WRITE" },
	{ 0x2118,
	  3,
	  { 12, 0xd10c, 16 },
	  "attr             entity_id: 12, M0_AVI_IOO_ATTR_BUFS_NR: 16" },
	{ 0x2118,
	  3,
	  { 12, 0xe106, 5 },
	  "attr             entity_id: 12, M0_AVI_DIX_REQ_ATTR_REQ_TYPE: DIX_PUT" },
	{ 0x2118,
	  3,
	  { 12, 0x6006, 3 },
	  "attr             entity_id: 12, M0_AVI_IOS_IO_ATTR_FOMCOB_FOP_TYPE: "
	  "M0_COB_OP_CREATE" },
	{ 0x3001, 2, { 4096, 0x1000 }, "alloc            size: 4096, addr: @0x1000" },
	{ 0x6001,
	  9,
	  { 0x4700000000000001, 0x32, 0x4300000100000001, 0x32, 1, 0x20000, 131072, 1, 0 },
	  "ios-io-descr     file: <4700000000000001:32>, cob: <4300000100000001:32>, seg-nr: 1, "
	  "count: 20000, offset: 131072, descr-nr: 1, colour: 0" },
	{ 0x7001,
	  6,
	  { 0, 0x28, 1, 1, 1, 98 },
	  "stob-io-launch   fid: <0:28>,            count: 1,   bvec-nr: 1, ivec-nr: 1, "
	  "offset: 98" },
	{ 0x7003,
	  6,
	  { 0x100000000000000, 0x2a, 48390, (uint64_t)-5, 15848, 1 },
	  "stob-io-end      fid: <100000000000000:2a>, duration: 0.000048390, rc: -5, count: "
	  "15848, "
	  "frag: 1" },
	{ 0x7009, 2, { 13, 10 }, "stio-req-state   stio_id: 13, stio_state: M0_AVI_LIO_ENDIO" },
	{ 0x8003, 3, { 14, 0, 5 }, "rpc-out-phase    sm_id: 14 --> SENT" },
	{ 0x8004, 3, { 15, 0, 8 }, "rpc-in-phase     sm_id: 15 --> ACCEPTED" },
	{ 0x8005,
	  4,
	  { 16, 42, 53, (uint64_t)-1034244658877497340 },
	  "rpc-item-id-assign id: 16,     opcode: 42, xid: 53,    session_id: "
	  "-1034244658877497340" },
	{ 0x8006,
	  4,
	  { 17, 42, ~0ULL, 0 },
	  "rpc-item-id-fetch id: 17,     opcode: 42, xid: -1,    session_id: 0" },
	{ 0x8007, 2, { 9, 1 }, "rpc-bulk-op      bulk_id: 9, state: M0_RPC_BULK_OP_FINISH" },
	{ 0xa001, 3, { 18, 6, 7 }, "tx-state         sm_id: 18 closed -[logged]-> logged" },
	{ 0xa204, 2, { 18, 19 }, "tx-to-gr         tx_id: 18,  gr_id: 19" },
	{ 0xb001,
	  6,
	  { 0x563afe042cb0, 1, 1795219755102632623, 8897241, 0, 176 },
	  "net-buf          buf: @0x563afe042cb0, qtype: 1, time: 2026-11-21-00:09:15.102632623, "
	  "duration: 0.008897241, status: 0, len: 176" },
	{ 0xc001,
	  4,
	  { 0x5400000200000000, 1, 12, 0 },
	  "cas-kv-sizes     ifid: <5400000200000000:1>, ksize: 12, vsize: 0" },
	{ 0xc002,
	  3,
	  { 20, 0, 2 },
	  "cas-req-state    sm_id: 20 init -[send-over-rpc]-> request-sent" },
	{ 0xc104, 2, { 20, 21 }, "cas-to-rpc       cas_id: 20, rpc_id: 21" },
	{ 0xc105, 2, { 6, 22 }, "cas-fom-to-crow-fom fom_id: 6,  crow_fom_id: 22" },
	{ 0xd001, 3, { 23, NEW, 1 }, "op-state         sm_id: 23 o--> initialised" },
	{ 0xd001,
	  3,
	  { 23, 0, 2 },
	  "op-state         sm_id: 23 initialised -[launching]-> launched" },
	{ 0xd103, 2, { 23, 24 }, "client-to-dix    client_id: 23, dix_id: 24" },
	{ 0xd104, 2, { 25, 1 }, "cob-req-state    cob_id: 25, cob_state: COB_REQ_SENDING" },
	{ 0xd105, 2, { 23, 25 }, "client-to-cob    client_id: 23, cob_id: 25" },
	{ 0xd106, 2, { 25, 16 }, "cob-to-rpc       cob_id: 25, rpc_id: 16" },
	{ 0xd107, 2, { 23, 26 }, "client-to-ioo    client_id: 23, ioo_id: 26" },
	{ 0xd108, 2, { 26, 16 }, "ioo-to-rpc       ioo_id: 26, rpc_id: 16" },
	{ 0xd109, 2, { 9, 16 }, "bulk-to-rpc      bulk_id: 9, rpc_id: 16" },
	{ 0xd111,
	  3,
	  { 26, 1, 3 },
	  "ioo-req-state    sm_id: 26 IO_initial -[init-writing]-> IO_writing" },
	{ 0xe001,
	  3,
	  { 24, 12, 6 },
	  "dix-req-state    sm_id: 24 discovery-done -[execute]-> in-progress" },
	{ 0xe103, 2, { 24, 27 }, "dix-to-mdix      dix_id: 24, mdix_id: 27" },
	{ 0xe104, 2, { 24, 20 }, "dix-to-cas       dix_id: 24, cas_id: 20" },
	{ 0xf201, 3, { 28, 0, 2 }, "dtx0-state       sm_id: 28 init -[populated]-> inprogress" },
	{ 0xf303,
	  3,
	  { 29, 0, 1 },
	  "drm-state        sm_id: 29 M0_DRMS_INIT -[started]-> M0_DRMS_STARTED" },
	{ 0x30000, 2, { 0x2e, 1 }, "           30000 ?              2e?, ?               1?" },
	{ 0x5005, 0, { 0 }, "            5005 " },
};
enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static const char empty_histogram[] =
	" nr: 0 min: -1 max: 0 avg: 0.000000 dev: 0.000000 datum: 0  0 0: 0 10: 0 20: 0 30: 0 40: "
	"0 "
	"50: 0 60: 0 70: 0 80: 0 90: 0 100: 0 110: 0 120: 0 "
	"|           :         0 |  |         0 :         0 |  |        10 :         0 |  "
	"|        20 :         0 |  |        30 :         0 |  |        40 :         0 |  "
	"|        50 :         0 |  |        60 :         0 |  |        70 :         0 |  "
	"|        80 :         0 |  |        90 :         0 |  |       100 :         0 |  "
	"|       110 :         0 |  |       120 :         0 | ";

/* After 5, 15 and 15. */
static const char full_histogram[] =
	" nr: 3 min: 5 max: 15 avg: 11.666667 dev: 22.222222 datum: 0  0 0: 1 10: 2 20: 0 30: 0 "
	"40: 0 50: 0 60: 0 70: 0 80: 0 90: 0 100: 0 110: 0 120: 0 "
	"|           :         0 |  |         0 :         1 | ****************************** "
	"|        10 :         2 | ************************************************************ "
	"|        20 :         0 |  |        30 :         0 |  |        40 :         0 |  "
	"|        50 :         0 |  |        60 :         0 |  |        70 :         0 |  "
	"|        80 :         0 |  |        90 :         0 |  |       100 :         0 |  "
	"|       110 :         0 |  |       120 :         0 | ";

static const struct {
	uint64_t id;
	const char *name;
} histograms[] = {
	{ 0x2007, "/FOM states: Init -[Schedule]-> Ready " },
	{ 0x2109, "fom-active       " },
	{ 0x210d, "runq             " },
	{ 0x210e, "wail             " },
	{ 0x2113, "loc-forq-hist    " },
	{ 0x2114, "loc-wait-hist    " },
	{ 0x2115, "loc-cb-hist      " },
	{ 0x2116, "loc-queue-hist   " },
	{ 0x7006, "stob-ioq-inflight " },
	{ 0x7007, "stob-ioq-queued  " },
	{ 0x7008, "stob-ioq-got     " },
	{ 0xa003, "tx/m0_be_tx::t_sm: prepare -[prepare-failed]-> failed " },
	{ 0xa104, "be-op/m0_be_op::bo_sm: M0_BOS_ACTIVE -[completed]-> M0_BOS_DONE " },
	{ 0xc003, "cas_req/cas_req: init -[send-over-rpc]-> request-sent " },
	{ 0xd002, "op/op-conf: initialised -[launching]-> launched " },
	{ 0xd113, "ioo_req/IO request state machine configuration: IO_initial -[init-writing]-> "
		  "IO_writing " },
	{ 0xe003, "dix_req/dix_req: init -[find-layouts]-> layout-discovery " },
	{ 0xf203, "dtx0/dtm0dtx: inprogress -[stabilised]-> stable " },
	{ 0xf305, "drm/recovery_machine: M0_DRMS_STARTED -[stop-running]-> M0_DRMS_STOPPED " },
	{ 0x1000000 | 42 << 12, "write/io-fom: init -[initialised]-> authen " },
	{ 0x1000000 | 41 << 12 | 1 << 8 | 2, "read/FOM states: Ready -[Run]-> Running " },
};
enum { HISTOGRAMS = sizeof(histograms) / sizeof(histograms[0]) };

/* The labels that hold in expected text. */
struct expected {
	FILE *out;
	char labels[4096];
	uint64_t records;
};

static void expect(struct expected *e, const char *text)
{
	e->records++;
	if (e->out)
		fprintf(e->out, "* %s %s\n", text, e->labels);
}

static void label(struct expected *e, const char *text)
{
	size_t used = strlen(e->labels);

	snprintf(e->labels + used, sizeof(e->labels) - used, "|         %s ", text);
}

static void round_of_samples(struct expected *e)
{
	for (int i = 0; i < SAMPLES; i++) {
		m0_addb2_add(samples[i].id, samples[i].n, samples[i].words);
		expect(e, samples[i].text);
	}
}

static void expect_histogram(struct expected *e, int i, const char *numbers)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", histograms[i].name, numbers);
	expect(e, text);
}

static void round_of_sensors(struct expected *e)
{
	struct m0_addb2_sensor clock = { 0 };
	struct m0_addb2_hist h;

	for (int i = 0; i < HISTOGRAMS; i++) {
		m0_addb2_hist_add(&h, 0, 120, histograms[i].id, -1);
		expect_histogram(e, i, empty_histogram);
		m0_addb2_hist_mod(&h, 5);
		m0_addb2_hist_mod(&h, 15);
		m0_addb2_hist_mod_with(&h, 15, 3);
		m0_addb2_hist_del(&h);
		expect_histogram(e, i, full_histogram);
	}
	m0_addb2_clock_add(&clock, 0x1003, -1);
	expect(e, "clock            ");
	m0_addb2_clock_del(&clock);
	expect(e, "clock            ");
}

/* Every kind of label, and records below them. */
static void all_kinds(struct expected *e, int rounds)
{
	char text[256];

	M0_ADDB2_PUSH(0x1001, 0x3d1219c7c4c5404a, 0xaa1f6d2a48adfda4);
	label(e, "node             <3d1219c7c4c5404a:aa1f6d2a48adfda4>");
	M0_ADDB2_PUSH(0x1002, (uint64_t)getpid());
	snprintf(text, sizeof(text), "pid              %d", getpid());
	label(e, text);
	M0_ADDB2_PUSH(0x2001, ~0ULL);
	label(e, "locality         -1");
	M0_ADDB2_PUSH(0x2002, (uint64_t)pthread_self());
	snprintf(text, sizeof(text), "thread           %lx", (unsigned long)pthread_self());
	label(e, text);
	M0_ADDB2_PUSH(0x2003, 0x7300000000000001, 0x1a);
	label(e, "service          <7300000000000001:1a>");
	M0_ADDB2_PUSH(0x2004, 0x7ff0f00d6510, 42, 13, 14);
	label(e, "fom              addr: @0x7ff0f00d6510, 'io-fom' transitions: 13 phase: tx_wait");
	m0_addb2_push(0x210f, 0, NULL);
	label(e, "ast              ");
	M0_ADDB2_PUSH(0x7004, 5);
	label(e, "stob-ioq-thread  5");
	M0_ADDB2_PUSH(0x8001, 0x55f61f49fce0);
	label(e, "rpc-machine-lock @0x55f61f49fce0");
	M0_ADDB2_PUSH(0x8002, 0x55f61f49fcf0, 43);
	label(e, "rpc-replied      @0x55f61f49fcf0, M0_IOSERVICE_READV_REP_OPCODE");
	M0_ADDB2_PUSH(0x2110, 1);
	label(e, "            2110 ?               1?");
	for (int i = 0; i < rounds; i++) {
		round_of_samples(e);
		round_of_sensors(e);
	}
	static const uint64_t pops[] = { 0x2110, 0x8002, 0x8001, 0x7004, 0x210f, 0x2004,
					 0x2003, 0x2002, 0x2001, 0x1002, 0x1001 };
	for (size_t i = 0; i < sizeof(pops) / sizeof(pops[0]); i++)
		m0_addb2_pop(pops[i]);
	e->labels[0] = 0;
}

/* As many labels and words as there can be. */
static void deepest(struct expected *e)
{
	uint64_t words[M0_ADDB2_WORDS_MAX];
	char text[512];
	int n;

	for (int i = 0; i < M0_ADDB2_LABELS_MAX; i++) {
		for (int w = 0; w < M0_ADDB2_WORDS_MAX; w++)
			words[w] = (uint64_t)(i * 100 + w);
		m0_addb2_push(0x40000 + (uint64_t)i, M0_ADDB2_WORDS_MAX, words);
	}
	M0_ADDB2_ADD(0x1002, 5);
	e->records++;
	if (e->out)
		fputs("* pid              5 ", e->out);
	for (int i = 0; i < M0_ADDB2_LABELS_MAX && e->out; i++) {
		fprintf(e->out, "|         %16x ", 0x40000 + i);
		for (int w = 0, at = 0; w < M0_ADDB2_WORDS_MAX; w++) {
			n = snprintf(text, sizeof(text), "%s", w ? ", " : "");
			at += n;
			if (at < 12 * w)
				n += snprintf(text + n, sizeof(text) - (size_t)n, "%*s",
					      12 * w - at, "");
			at = at < 12 * w ? 12 * w : at;
			at += snprintf(text + n, sizeof(text) - (size_t)n, "?%16x?", i * 100 + w);
			fputs(text, e->out);
		}
		fputc(' ', e->out);
	}
	if (e->out)
		fputc('\n', e->out);
	for (int i = M0_ADDB2_LABELS_MAX - 1; i >= 0; i--)
		m0_addb2_pop(0x40000 + (uint64_t)i);
}

/* What no machine makes: pointers that lead nowhere, numbers that are none. */
static uint64_t garbage(struct expected *e)
{
	static const uint64_t word = 1;
	struct m0_addb2_record record = {
		.ar_val = { .va_id = 0x1002, .va_nr = 1, .va_data = &word },
	};

	m0_addb2_consume(NULL, (const void *)8);
	record.ar_label_nr = 65;
	m0_addb2_consume(NULL, &record);
	record.ar_label_nr = 0;
	record.ar_val.va_nr = 16;
	m0_addb2_consume(NULL, &record);
	record.ar_val.va_nr = 1;
	record.ar_val.va_data = (const uint64_t *)16;
	m0_addb2_consume(NULL, &record);
	/* A record that is whole but for its label. */
	record.ar_val.va_data = &word;
	record.ar_label_nr = 2;
	record.ar_label[0] =
		(struct m0_addb2_value){ .va_id = 0x2001, .va_nr = 1, .va_data = &word };
	record.ar_label[1] = (struct m0_addb2_value){ .va_id = 0x1002,
						      .va_nr = 1,
						      .va_data = (const uint64_t *)24 };
	m0_addb2_consume(NULL, &record);
	label(e, "locality         1");
	label(e, "pid              ");
	expect(e, "pid              1");
	e->labels[0] = 0;
	return 4;
}

/* Threads that take turns with one machine, as those of a locality do. */
struct turn {
	struct expected *e;
	struct m0_addb2_mach *mach;
	pthread_mutex_t *lock;
	int rounds;
};

static void *take_turns(void *arg)
{
	struct turn *turn = arg;
	char text[64];

	for (int i = 0; i < turn->rounds; i++) {
		pthread_mutex_lock(turn->lock);
		m0_thread_tls()->tls_addb2_mach = turn->mach;
		M0_ADDB2_PUSH(0x2002, (uint64_t)pthread_self());
		turn->e->labels[0] = 0;
		label(turn->e, "locality         3");
		snprintf(text, sizeof(text), "thread           %lx", (unsigned long)pthread_self());
		label(turn->e, text);
		M0_ADDB2_ADD(0x210b, 1, (uint64_t)i);
		snprintf(text, sizeof(text), "fom-to-tx        fom_id: 1,  tx_id: %d", i);
		expect(turn->e, text);
		m0_addb2_pop(0x2002);
		m0_thread_tls()->tls_addb2_mach = NULL;
		pthread_mutex_unlock(turn->lock);
	}
	return NULL;
}

static void shared(struct expected *e, struct m0_addb2_mach *mach, int threads, int rounds)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct turn turns[64];

	CHECK(threads <= 64);
	M0_ADDB2_PUSH(0x2001, 3);
	for (int i = 0; i < threads; i++)
		turns[i] = (struct turn){ e, mach, &lock, rounds };
	load_in_threads(threads, take_turns, turns, sizeof(turns[0]));
	m0_addb2_pop(0x2001);
	e->labels[0] = 0;
}

/* As fast as it goes, below six labels: foms that run and end. */
static uint64_t storm(struct expected *e, int n)
{
	uint64_t begin;

	M0_ADDB2_PUSH(0x1001, 0x3d1219c7c4c5404a, 0xaa1f6d2a48adfda4);
	M0_ADDB2_PUSH(0x1002, (uint64_t)getpid());
	M0_ADDB2_PUSH(0x2001, 0);
	M0_ADDB2_PUSH(0x2002, (uint64_t)pthread_self());
	M0_ADDB2_PUSH(0x2004, 0x7ff0f00d6510, 42, 13, 14);
	m0_addb2_push(0x210f, 0, NULL);
	begin = load_now_ns();
	for (int i = 0; i < n; i++)
		M0_ADDB2_ADD(0x2006, (uint64_t)i / 2, i % 2 ? 5 : 2, i % 2 ? 4 : 2);
	e->records += (uint64_t)n;
	return load_now_ns() - begin;
}

/*
 * In the proportion of calls that a test suite of Motr's rpc makes: a label comes and goes, four
 * records and four values for a sensor to three of these. Rounds of a microsecond or two.
 */
static uint64_t mix(struct expected *e, int rounds)
{
	struct m0_addb2_hist h;
	uint64_t begin;

	M0_ADDB2_PUSH(0x2001, 0);
	m0_addb2_hist_add(&h, 1, 30, 0x210d, -1);
	begin = load_now_ns();
	for (int i = 0; i < rounds; i++) {
		M0_ADDB2_PUSH(0x2004, 0x7ff0f00d6510, 42, 13, 14);
		M0_ADDB2_ADD(0x2006, (uint64_t)i / 2, i % 2 ? 5 : 2, i % 2 ? 4 : 2);
		m0_addb2_hist_mod(&h, i % 30);
		if (i % 3 == 0) {
			M0_ADDB2_ADD(0x210b, 1, (uint64_t)i);
			m0_addb2_hist_mod(&h, i % 30);
		}
		m0_addb2_pop(0x2004);
	}
	begin = load_now_ns() - begin;
	m0_addb2_hist_del(&h);
	m0_addb2_pop(0x2001);
	e->records += (uint64_t)rounds + ((uint64_t)rounds + 2) / 3 + 2;
	return begin;
}

int load_addb(struct load *l)
{
	struct m0_addb2_mach *mach = m0_addb2_mach_init(NULL, NULL);
	const char *how = l->how ? l->how : "kinds";
	struct load_addb_bare bare = { 0 };
	struct expected e = { 0 };
	uint64_t unreadable = 0, ns = 0;
	char path[4200];

	CHECK(mach);
	snprintf(path, sizeof(path), "%s/addb-dump.txt", l->dir);
	e.out = fopen(path, "we");
	CHECK(e.out);
	setenv("TZ", "UTC", 1);
	m0_thread_tls()->tls_addb2_mach = mach;
	if (!strcmp(how, "storm")) {
		ns = storm(&e, load_count(l, 100000));
	} else if (!strcmp(how, "mix")) {
		ns = mix(&e, load_count(l, 100000));
	} else if (!strcmp(how, "bare")) {
		load_addb_bare(l, &bare);
	} else if (!strcmp(how, "states")) {
		e.records = load_addb_states(l);
	} else {
		all_kinds(&e, load_count(l, 1));
		deepest(&e);
		shared(&e, mach, l->threads ? l->threads : 4, 25);
	}
	if (!strcmp(how, "garbage"))
		unreadable = garbage(&e);
	m0_thread_tls()->tls_addb2_mach = NULL;
	m0_addb2_mach_fini(mach);
	CHECK(!fclose(e.out));
	load_extra(l,
		   ",\"addb\":{\"dump\":\"%s\",\"records\":%llu,\"unreadable\":%llu,\"ns\":%llu}",
		   path, (unsigned long long)e.records, (unsigned long long)unreadable,
		   (unsigned long long)ns);
	load_extra(l,
		   ",\"bare\":{\"told\":%llu,\"unreadable\":%llu,\"kept\":%llu,"
		   "\"pops_misplaced\":%llu,\"labels_lost\":%llu,\"labels_unreadable\":%llu}",
		   (unsigned long long)bare.told, (unsigned long long)bare.unreadable,
		   (unsigned long long)bare.kept, (unsigned long long)bare.misplaced,
		   (unsigned long long)bare.labels_lost,
		   (unsigned long long)bare.labels_unreadable);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Foms by ADDB2's records, as a Motr server makes them: their states and phases, what they
 * transfer, their storage I/O; beside it records and sensors of threads without a machine. What the
 * sums over these must be is printed, with times by the threads' own clocks.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "load.h"
#include "load_addb.h"
#include "motr.h"

#define REGISTRATION 0xffffffff /* in place of a transition: the machine begins */

/* What one sum must be. what: a state or field, NULL: machines from begin to end. */
struct tally {
	const char *record, *fom, *what;
	uint64_t count, ns, bytes, errors;
};

static struct {
	pthread_mutex_t lock;
	struct tally all[64];
	size_t n;
	_Atomic uint64_t records; /* that a machine of ADDB2 had */
} sums = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct tally *find(const char *record, const char *fom, const char *what)
{
	struct tally *t = sums.all;

	for (; t < sums.all + sums.n; t++)
		if (same(t->record, record) && same(t->fom, fom) && same(t->what, what))
			return t;
	CHECK(sums.n < sizeof(sums.all) / sizeof(*sums.all));
	sums.n++;
	*t = (struct tally){ .record = record, .fom = fom, .what = what };
	return t;
}

static void add(const char *record, const char *fom, const char *what, uint64_t ns, uint64_t bytes,
		int errors)
{
	struct tally *t;

	pthread_mutex_lock(&sums.lock);
	t = find(record, fom, what);
	t->count++;
	t->ns += ns;
	t->bytes += bytes;
	t->errors += (uint64_t)errors;
	pthread_mutex_unlock(&sums.lock);
}

/* A state machine that tells of itself. */
struct machine {
	uint64_t id; /* of its records */
	const char *record, *fom;
	uint64_t number, begin, since, bytes;
	const char *state; /* NULL: it has not begun */
};

static uint64_t next_number(void)
{
	static _Atomic uint64_t last;

	return ++last;
}

/* It goes over into a state, or (name NULL) into the last one. */
static void enter(struct machine *m, uint64_t transition, uint64_t state, const char *name)
{
	uint64_t now = load_now_ns();

	if (m->state)
		add(m->record, m->fom, m->state, now - m->since, 0, 0);
	else
		m->begin = now;
	if (!name)
		add(m->record, m->fom, NULL, now - m->begin, m->bytes, 0);
	m->since = now;
	m->state = name;
	M0_ADDB2_ADD(m->id, m->number, transition, state);
}

/* The same of one whose records have no transition. */
static void step(struct machine *m, uint64_t state, const char *name)
{
	uint64_t now = load_now_ns();

	if (m->state)
		add(m->record, NULL, m->state, now - m->since, 0, 0);
	else
		m->begin = now;
	if (!name)
		add(m->record, NULL, NULL, now - m->begin, m->bytes, 0);
	m->since = now;
	m->state = name;
	M0_ADDB2_ADD(m->id, m->number, state);
}

/* A read or write of the storage below a fom, every third of which fails. */
static void storage(uint64_t bytes, int round)
{
	struct machine m = { .id = 0x7009, .record = "stio-req-state", .number = next_number() };
	uint64_t ns = 1000 * (uint64_t)(round + 1);
	int fails = round % 3 == 2;

	m.bytes = bytes;
	step(&m, 0, "M0_AVI_IO_LAUNCH");
	M0_ADDB2_ADD(0x2118, m.number, 0x700c, bytes);
	add("M0_AVI_STOB_IO_ATTR_UVEC_BYTES", NULL, "value", 0, bytes, 0);
	step(&m, 9, "M0_AVI_LIO_LAUNCH");
	load_sleep(0.001);
	step(&m, 10, NULL);
	add("stob-io-end", NULL, "duration", ns, 0, fails);
	M0_ADDB2_ADD(0x7003, 1, 2, ns, fails ? (uint64_t)-5 : 0, bytes / 4096, 1);
	/* A network buffer; it has its own length and time. */
	add("net-buf", NULL, "duration", ns, bytes, 0);
	M0_ADDB2_ADD(0xb001, 0x563afe042cb0, 2, 1, ns, 0, bytes);
}

/* 18 records of a machine of ADDB2. */
static void run_fom(uint64_t opcode, const char *type, int round)
{
	struct machine phase = { .id = 0x2005, .record = "fom-phase", .fom = type },
		       state = { .id = 0x2006, .record = "fom-state", .fom = type };
	uint64_t bytes = 4096 * (uint64_t)(1 + round % 4);

	phase.number = next_number();
	state.number = next_number();
	phase.bytes = bytes;
	/* Made by another one, which works just now. */
	M0_ADDB2_PUSH(0x2004, 0x1000, 1048, 0, 0);
	enter(&phase, REGISTRATION, 0, "init");
	enter(&state, REGISTRATION, 0, "Init");
	m0_addb2_pop(0x2004);
	M0_ADDB2_PUSH(0x2004, 0x7ff0f00d6510, opcode, 0, 0);
	M0_ADDB2_ADD(0x2108, 0, 0, 0, opcode, opcode + 2, 0, 0, phase.number, 0);
	enter(&state, 0, 1, "Ready");
	enter(&state, 2, 2, "Running");
	enter(&phase, 0, 14, "tx_wait");
	M0_ADDB2_ADD(0x2118, phase.number, 0x6005, bytes);
	add("M0_AVI_IOS_IO_ATTR_FOMCRW_BYTES", type, "value", 0, bytes, 0);
	storage(bytes, round);
	enter(&state, 4, 3, "Waiting");
	m0_addb2_pop(0x2004);
	load_sleep(0.002);
	/* Woken on the side, while another one works. */
	M0_ADDB2_PUSH(0x2004, 0x1000, 1048, 0, 0);
	m0_addb2_push(0x210f, 0, NULL);
	enter(&state, 6, 1, "Ready");
	m0_addb2_pop(0x210f);
	m0_addb2_pop(0x2004);
	M0_ADDB2_PUSH(0x2004, 0x7ff0f00d6510, opcode, 0, 0);
	enter(&state, 2, 2, "Running");
	enter(&phase, 1, 1, NULL);
	enter(&state, 5, 4, NULL);
	m0_addb2_pop(0x2004);
	sums.records += 18;
}

struct worker {
	uint64_t opcode;
	const char *type;
	int rounds;
};

static void *run_foms(void *arg)
{
	const struct worker *w = arg;
	struct m0_addb2_mach *mach = m0_addb2_mach_init(NULL, NULL);

	CHECK(mach);
	m0_thread_tls()->tls_addb2_mach = mach;
	for (int i = 0; i < w->rounds; i++)
		run_fom(w->opcode, w->type, i);
	m0_thread_tls()->tls_addb2_mach = NULL;
	m0_addb2_mach_fini(mach);
	return NULL;
}

/* A thread that has none of ADDB2's machines tells of an rpc item, and a sensor is told numbers. */
static void *run_bare(void *arg)
{
	const struct worker *w = arg;
	struct m0_addb2_hist waits;

	m0_addb2_hist_add(&waits, 0, 100, 0x2114, -1);
	for (int i = 0; i < w->rounds; i++) {
		struct machine item = { .id = 0x8003, .record = "rpc-out-phase" };

		item.number = next_number();
		enter(&item, 0, 1, "INITIALISED");
		enter(&item, 0, 4, "SENDING");
		load_sleep(0.001);
		enter(&item, 0, 0, NULL);
		m0_addb2_hist_mod(&waits, i);
		add("loc-wait-hist", NULL, "value", (uint64_t)i << 10, 0, 0);
	}
	m0_addb2_hist_del(&waits);
	return NULL;
}

/* Machines of a process that ends are forgotten, whose numbers another one may have. */
static void die_in_states(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		for (uint64_t i = 0; i < 10; i++)
			M0_ADDB2_ADD(0xa001, i, REGISTRATION, 2);
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	sums.records += 10;
}

static void print_string(struct load *l, const char *name, const char *value)
{
	if (value)
		load_extra(l, "\"%s\":\"%s\",", name, value);
	else
		load_extra(l, "\"%s\":null,", name);
}

static void print(struct load *l)
{
	load_extra(l, ",\"sums\":[");
	for (size_t i = 0; i < sums.n; i++) {
		const struct tally *t = &sums.all[i];

		load_extra(l, i ? ",{" : "{");
		print_string(l, "record", t->record);
		print_string(l, "fom", t->fom);
		print_string(l, "what", t->what);
		load_extra(l, "\"count\":%llu,\"ns\":%llu,\"bytes\":%llu,\"errors\":%llu}",
			   (unsigned long long)t->count, (unsigned long long)t->ns,
			   (unsigned long long)t->bytes, (unsigned long long)t->errors);
	}
	load_extra(l, "]");
}

static void *run(void *arg)
{
	const struct worker *w = arg;

	return w->opcode ? run_foms(arg) : run_bare(arg);
}

uint64_t load_addb_states(struct load *l)
{
	int rounds = load_count(l, 10);
	struct worker workers[] = {
		{ 41, "read", rounds },
		{ 42, "write", rounds },
		{ 41, "read", rounds },
		{ 0, NULL, rounds },
	};

	load_in_threads(4, run, workers, sizeof(workers[0]));
	die_in_states();
	print(l);
	return sums.records;
}

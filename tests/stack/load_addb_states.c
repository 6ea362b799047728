// SPDX-License-Identifier: GPL-2.0-only
/* State machines of operation machines (foms), by ADDB2's records, and how long each state was. */
#include <stdatomic.h>

#include "load.h"
#include "motr.h"

#define REGISTRATION 0xffffffff /* in place of a transition: the machine begins */

/* What a state was in sum, by the clock of the threads that were in it. */
enum { READY = 1, RUNNING, WAITING, FOM_STATES = 5 };
static _Atomic uint64_t state_count[FOM_STATES], state_ns[FOM_STATES];

/* The fom's machine goes over into a state. */
static void enter(uint64_t sm_id, uint64_t transition, int from, int to, uint64_t *since)
{
	uint64_t now = load_now_ns();

	if (from >= 0) {
		state_ns[from] += now - *since;
		state_count[from]++;
	}
	*since = now;
	M0_ADDB2_ADD(0x2006, sm_id, transition, (uint64_t)to);
}

struct fom {
	int number, rounds;
};

static void *run_foms(void *arg)
{
	const struct fom *fom = arg;
	struct m0_addb2_mach *mach = m0_addb2_mach_init(NULL, NULL);
	uint64_t sm_id, since = 0;

	CHECK(mach);
	m0_thread_tls()->tls_addb2_mach = mach;
	M0_ADDB2_PUSH(0x2004, 0x7ff0f00d6510, 41 + (uint64_t)fom->number % 2, 0, 0);
	for (int i = 0; i < fom->rounds; i++) {
		sm_id = (uint64_t)(fom->number * 1000 + i);
		enter(sm_id, REGISTRATION, -1, 0, &since);
		enter(sm_id, 0, 0, READY, &since);
		enter(sm_id, 2, READY, RUNNING, &since);
		load_sleep(0.002);
		enter(sm_id, 4, RUNNING, WAITING, &since);
		load_sleep(0.005);
		enter(sm_id, 6, WAITING, READY, &since);
		enter(sm_id, 2, READY, RUNNING, &since);
		enter(sm_id, 5, RUNNING, 4, &since);
	}
	/* One that does not end. */
	M0_ADDB2_ADD(0x2006, (uint64_t)(fom->number * 1000 + 999), REGISTRATION, 0);
	m0_addb2_pop(0x2004);
	m0_thread_tls()->tls_addb2_mach = NULL;
	m0_addb2_mach_fini(mach);
	return NULL;
}

uint64_t load_addb_states(struct load *l)
{
	static const char *const names[] = { "Init", "Ready", "Running", "Waiting" };
	int threads = l->threads ? l->threads : 4, rounds = load_count(l, 20);
	struct fom foms[64];

	CHECK(threads <= 64 && rounds < 999);
	for (int i = 0; i < threads; i++)
		foms[i] = (struct fom){ i, rounds };
	load_in_threads(threads, run_foms, foms, sizeof(foms[0]));
	load_extra(l, ",\"states\":{\"followed\":%d", threads);
	for (int i = 0; i < 4; i++)
		load_extra(l, ",\"%s\":{\"count\":%llu,\"ns\":%llu}", names[i],
			   (unsigned long long)state_count[i], (unsigned long long)state_ns[i]);
	load_extra(l, "}");
	return (uint64_t)threads * (uint64_t)(7 * rounds + 1);
}

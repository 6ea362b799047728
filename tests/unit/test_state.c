// SPDX-License-Identifier: GPL-2.0-only
/* What a service leaves for the next one: the same when read, and refused when damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "service/state.h"

#define N_LAYERS 2
#define N_PROBES 3

static const char *const layers[N_LAYERS] = { "sample", "mio" };

static const struct probe probes[N_PROBES] = {
	{ .layer_id = TM_LAYER_USER,
	  .function = "sample_leaf",
	  .library = "/lib/libsample.so",
	  .site = 0x1234,
	  .entry = { ENTRY_STEPPED, ENTRY_EMULATED, 4, ENTRY_BAR_NONE },
	  .mechanism = "session",
	  .state = PROBE_ARMED },
	{ .layer_id = TM_LAYER_USER + 1,
	  .function_id = 1,
	  .function = "mio_init",
	  .library = "/lib/libmio.so",
	  .mechanism = "session",
	  .state = PROBE_FAILED,
	  .reason = "no \"room\"\n",
	  .entry_only = true },
	{ .layer_id = TM_LAYER_USER, .function_id = 2, .function = "", .state = PROBE_WAITING },
};

static struct service_state sample(struct seen_file files[2])
{
	static bool probed[2][N_LAYERS] = { { true, false }, { false, true } };
	static int numbers[] = { TM_PROBE_USER, TM_PROBE_USER + 2 };
	struct service_state state = {
		.version = 5,
		.layout = ~0ULL,
		.catalogue = 7,
		.epoch = "18a-1",
		.start_ns = 1234567890123456789ULL,
		.restarts = 3,
		.hierarchy = "cpu,cpuacct",
		.choice = { UPROBE_MULTI, true },
		.missed = { 1, 2, 3, 4 },
		.layers = layers,
		.n_layers = N_LAYERS,
		.probes = probes,
		.n_probes = N_PROBES,
		.files = files,
		.n_files = 2,
	};

	files[0] = (struct seen_file){
		.id = { .inode = 0xffff888000000000ULL, .number = 12, .device = 34 },
		.complete = true,
		.probed = probed[0],
		.path = "/lib/libsample.so",
		.layers = "sample",
		.n_probes = 2,
		.probes = numbers,
		.n_numbers = 2,
		.group = 5,
		.n_links = 6,
		.version = { 100, -5 },
	};
	/* What has changed is not gone on with. */
	files[1] = (struct seen_file){
		.probed = probed[1], .path = "/lib/libmio.so", .layers = "mio", .gone = true
	};
	state.proven.proofs[PROOF_NOP5].outcome = OUTCOME_FAILED;
	strcpy(state.proven.proofs[PROOF_NOP5].reason, "it died");
	state.proven.costs[ENTRY_EMULATED] = (struct hit_cost){ 900, 300, 500 };
	return state;
}

static void check_probes(const struct service_state *state)
{
	assert_int_equal(state->n_probes, N_PROBES);
	for (size_t i = 0; i < N_PROBES; i++) {
		const struct probe *got = &state->probes[i], *put = &probes[i];

		assert_int_equal(got->layer_id, put->layer_id);
		assert_int_equal(got->function_id, put->function_id);
		assert_string_equal(got->function, put->function);
		assert_int_equal(got->site, put->site);
		assert_memory_equal(&got->entry, &put->entry, sizeof(put->entry));
		assert_int_equal(got->state, put->state);
		assert_int_equal(got->entry_only, put->entry_only);
		assert_int_equal(!got->library, !put->library);
		assert_int_equal(!got->reason, !put->reason);
	}
	assert_string_equal(state->probes[0].library, "/lib/libsample.so");
	assert_string_equal(state->probes[1].reason, "no \"room\"\n");
	assert_string_equal(state->probes[1].mechanism, "session");
}

static void test_same(void **unused)
{
	struct seen_file files[2];
	struct service_state put = sample(files), got;
	struct pack pack = { 0 };

	(void)unused;
	service_state__encode(&put, &pack);
	assert_false(pack.failed);
	assert_int_equal(service_state__decode(&got, pack.bytes, pack.n), 0);
	assert_int_equal(got.version, 5);
	assert_int_equal(got.layout, put.layout);
	assert_int_equal(got.catalogue, 7);
	assert_string_equal(got.epoch, "18a-1");
	assert_int_equal(got.start_ns, put.start_ns);
	assert_int_equal(got.restarts, 3);
	assert_string_equal(got.hierarchy, "cpu,cpuacct");
	assert_int_equal(got.choice.mechanism, UPROBE_MULTI);
	assert_true(got.choice.spares_confined);
	assert_memory_equal(&got.proven, &put.proven, sizeof(put.proven));
	assert_memory_equal(got.missed, put.missed, sizeof(put.missed));
	assert_int_equal(got.n_layers, N_LAYERS);
	assert_string_equal(got.layers[1], "mio");
	check_probes(&got);
	assert_int_equal(got.n_files, 1);
	assert_memory_equal(&got.files[0].id, &files[0].id, sizeof(files[0].id));
	assert_string_equal(got.files[0].path, "/lib/libsample.so");
	assert_true(got.files[0].probed[0] && !got.files[0].probed[1]);
	assert_int_equal(got.files[0].group, 5);
	assert_int_equal(got.files[0].n_links, 6);
	assert_int_equal(got.files[0].n_numbers, 2);
	assert_int_equal(got.files[0].probes[1], TM_PROBE_USER + 2);
	assert_int_equal(got.files[0].version.changed_ns, -5);
	service_state__free(&got);
	pack__free(&pack);
}

/* One byte of it is another one, or it ends too early. */
static void test_damaged(void **unused)
{
	struct seen_file files[2];
	struct service_state put = sample(files), got;
	struct pack pack = { 0 };

	(void)unused;
	service_state__encode(&put, &pack);
	for (size_t i = 0; i < pack.n; i++) {
		pack.bytes[i] ^= 1;
		assert_int_equal(service_state__decode(&got, pack.bytes, pack.n), -EBADMSG);
		pack.bytes[i] ^= 1;
		assert_int_equal(service_state__decode(&got, pack.bytes, i), -EBADMSG);
	}
	assert_int_equal(service_state__decode(&got, pack.bytes, pack.n), 0);
	service_state__free(&got);
	pack__free(&pack);
}

/* Bytes whose checksum is right, and that make no sense all the same. */
static void test_nonsense(void **unused)
{
	struct seen_file files[2];
	struct service_state put = sample(files), got;
	struct pack pack = { 0 };
	int far = TM_PROBE_USER + N_PROBES;

	(void)unused;
	files[0].probes = &far; /* of no probe */
	files[0].n_numbers = 1;
	service_state__encode(&put, &pack);
	assert_int_equal(service_state__decode(&got, pack.bytes, pack.n), -EBADMSG);
	put = sample(files);
	put.choice.mechanism = UPROBE_MECHANISMS;
	service_state__encode(&put, &pack);
	assert_int_equal(service_state__decode(&got, pack.bytes, pack.n), -EBADMSG);
	put = sample(files);
	put.epoch = NULL;
	service_state__encode(&put, &pack);
	assert_int_equal(service_state__decode(&got, pack.bytes, pack.n), -EBADMSG);
	pack__free(&pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

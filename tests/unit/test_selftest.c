// SPDX-License-Identifier: GPL-2.0-only
/* The self-test: what follows from evidence, what is chosen, and the functions that are probed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "elf/instruction.h"
#include "selftest/choice.h"
#include "selftest/examine.h"
#include "selftest/subject.h"
#include "selftest/subject_code.h"

/* Evidence that proves everything: 10 calls of each site, costs of 1,000, 700 and 6,000 ns. */
struct fake {
	struct evidence evidence;
	struct scenario_log log;
	bool probed[SUBJECT_SITES], entry_only[SUBJECT_SITES];
	struct tm_ledger ledgers[SUBJECT_SITES];
	struct snapshot_series totals[SUBJECT_SITES];
	const struct snapshot_series *series[SUBJECT_SITES];
	struct snapshot snapshot;
	__u64 buckets[SUBJECT_SITES][TM_BUCKETS];
	struct trial_result result;
};

static void fake_site(struct fake *fake, enum subject_site site, __u32 ns)
{
	struct snapshot_series *series = &fake->totals[site];
	int i;

	fake->probed[site] = site != SITE_BARE;
	fake->entry_only[site] = site >= SITE_COUNT_PUSH;
	fake->log.calls[site] = 10;
	fake->log.sums[site] = 55;
	for (i = 0; i < COST_BATCHES; i++)
		fake->log.batch_ns[site][i] = ns + (__u32)(i - COST_BATCHES / 2) * 2;
	fake->ledgers[site] = (struct tm_ledger){ .hits = 10, .recorded = 10 };
	series->total.key.layer = TRIAL_LAYER;
	series->total.key.function = site;
	series->total.count = 10;
	series->total.bytes = 55;
	series->total.min_ns = series->total.max_ns = ns / 2;
	fake->buckets[site][tm_bucket_of(ns / 2)] = 10;
	series->latency = histogram__of(fake->buckets[site]);
	fake->series[site] = series;
}

static void fake__init(struct fake *fake)
{
	enum subject_site site;
	enum scene scene;

	memset(fake, 0, sizeof(*fake));
	for (site = 0; site < SUBJECT_SITES; site++)
		fake_site(fake, site, 100);
	fake_site(fake, SITE_BARE, 50);
	fake_site(fake, SITE_PUSH, 1050);
	fake_site(fake, SITE_NOP5, 750);
	fake_site(fake, SITE_ENDBR, 6050);
	fake_site(fake, SITE_COUNT_PUSH, 550);
	fake->log.strange = 7;
	fake->ledgers[SITE_PUSH].hits += 7;
	fake->ledgers[SITE_PUSH].filtered += 7;
	/* Half of the calls on the other stack were refused. */
	fake->ledgers[SITE_INNER].recorded = 5;
	fake->ledgers[SITE_INNER].lost[TM_LOSS_FOREIGN_STACK] = 5;
	for (scene = 0; scene < SCENES; scene++)
		fake->evidence.ends[scene].ran = true;
	fake->snapshot = (struct snapshot){
		.series = fake->series,
		.n_series = SUBJECT_SITES,
		.ledgers = fake->ledgers,
		.n_ledgers = SUBJECT_SITES,
	};
	fake->evidence.probed = fake->probed;
	fake->evidence.entry_only = fake->entry_only;
	fake->evidence.log = &fake->log;
	fake->evidence.batches = COST_BATCHES;
	fake->evidence.snapshot = &fake->snapshot;
}

/* Examines, and says which proofs failed: bits, 1 << enum proof. All others must be proven. */
static unsigned int failures(struct fake *fake)
{
	unsigned int failed = 0;
	enum proof proof;

	memset(&fake->result, 0, sizeof(fake->result));
	examine__proofs(&fake->evidence, fake->result.proofs);
	for (proof = 0; proof < PROOFS; proof++) {
		const struct proof_result *one = &fake->result.proofs[proof];

		if (one->outcome == OUTCOME_FAILED) {
			failed |= 1U << proof;
			assert_true(*one->reason);
		} else {
			assert_int_equal(one->outcome, OUTCOME_PROVEN);
		}
	}
	return failed;
}

static void test_all_proven(void **state)
{
	const struct hit_cost *costs;
	struct fake fake;

	(void)state;
	fake__init(&fake);
	assert_int_equal(failures(&fake), 0);
	examine__costs(&fake.evidence, fake.result.costs);
	costs = fake.result.costs;
	assert_int_equal(costs[ENTRY_EMULATED].timed_ns, 1000);
	assert_int_equal(costs[ENTRY_EMULATED].inside_ns, 1050 / 2 - 50);
	assert_int_equal(costs[ENTRY_EMULATED].counted_ns, 500);
	assert_int_equal(costs[ENTRY_NOP5].timed_ns, 700);
	assert_int_equal(costs[ENTRY_STEPPED].timed_ns, 6000);
}

static void test_deaths(void **state)
{
	static const struct {
		enum scene scene;
		int signal, status;
		unsigned int failed;
	} cases[] = {
		{ SCENE_CALLS, SIGSEGV, 0, 1U << PROOF_FIRES | 1U << PROOF_RED_ZONE },
		{ SCENE_LEAVES, 0, SCENARIO_CHANGED, 1U << PROOF_RED_ZONE },
		{ SCENE_STRICT, SIGKILL, 0, 1U << PROOF_SECCOMP },
		{ SCENE_FILTER, SIGSYS, 0, 1U << PROOF_SECCOMP },
		{ SCENE_STACKS, SIGILL, 0, 1U << PROOF_STACKS },
		{ SCENE_STRANGER, 0, SCENARIO_IMPOSSIBLE, 1U << PROOF_FILTERS },
		{ SCENE_NOP5, 0, SCENARIO_CHANGED, 1U << PROOF_NOP5 },
		{ SCENE_NOP5_SECCOMP, SIGSYS, 0, 1U << PROOF_NOP5 },
		{ SCENE_NOP5_LEAF, 0, SCENARIO_CHANGED, 1U << PROOF_NOP5_INSIDE },
	};
	struct fake fake;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake__init(&fake);
		fake.evidence.ends[cases[i].scene].signal = cases[i].signal;
		fake.evidence.ends[cases[i].scene].status = cases[i].status;
		assert_int_equal(failures(&fake), cases[i].failed);
	}
}

static void test_miscounts(void **state)
{
	struct fake fake;

	(void)state;
	fake__init(&fake);
	fake.ledgers[SITE_ENDBR].hits = 9;
	assert_int_equal(failures(&fake), 1U << PROOF_FIRES);
	fake__init(&fake);
	fake.ledgers[SITE_SUB].recorded = 9;
	assert_int_equal(failures(&fake), 1U << PROOF_PAIRS);
	fake__init(&fake);
	fake.ledgers[SITE_AFTER_MOV].in_flight = 1;
	assert_int_equal(failures(&fake), 1U << PROOF_PAIRS);
	fake__init(&fake);
	fake.totals[SITE_AFTER_ENDBR].total.bytes = 54;
	assert_int_equal(failures(&fake), 1U << PROOF_PAIRS);
	/* A pid filter that sees one thread of two. */
	fake__init(&fake);
	fake.ledgers[SITE_PUSH].recorded -= 5;
	fake.ledgers[SITE_PUSH].filtered += 5;
	assert_int_equal(failures(&fake), 1U << PROOF_PAIRS | 1U << PROOF_FILTERS);
	fake__init(&fake);
	fake.ledgers[SITE_PUSH].recorded += 7;
	fake.ledgers[SITE_PUSH].filtered -= 7;
	assert_int_equal(failures(&fake), 1U << PROOF_PAIRS | 1U << PROOF_FILTERS);
	/* Calls that vanish: neither recorded nor lost. */
	fake__init(&fake);
	fake.ledgers[SITE_INNER].lost[TM_LOSS_FOREIGN_STACK] = 4;
	assert_int_equal(failures(&fake), 1U << PROOF_STACKS);
	fake__init(&fake);
	fake.ledgers[SITE_STRICT_PUSH].recorded = 0;
	assert_int_equal(failures(&fake), 1U << PROOF_SECCOMP);
}

static void test_spared(void **state)
{
	struct fake fake;

	(void)state;
	fake__init(&fake);
	fake.evidence.spares_confined = true;
	assert_int_equal(failures(&fake), 1U << PROOF_SECCOMP);
	fake.ledgers[SITE_STRICT_PUSH].recorded = 0;
	fake.ledgers[SITE_STRICT_PUSH].lost[TM_LOSS_CONFINED] = 10;
	assert_int_equal(failures(&fake), 0);
}

/* With few probes the rest is not said to be proven: nor is what was not measured. */
static void test_few_sites(void **state)
{
	enum subject_site site;
	struct fake fake;
	enum proof why;

	(void)state;
	fake__init(&fake);
	for (site = SITE_PUSH; site < SUBJECT_SITES; site++)
		fake.probed[site] &= site == SITE_PUSH || site == SITE_STRICT_PUSH;
	fake.ledgers[SITE_ENDBR].hits = 0;
	memset(fake.log.batch_ns[SITE_NOP5], 0, sizeof(fake.log.batch_ns[SITE_NOP5]));
	assert_int_equal(failures(&fake), 0);
	assert_true(trial_result__holds(&fake.result, &why));
	fake.evidence.ends[SCENE_STACKS].ran = false;
	memset(&fake.result, 0, sizeof(fake.result));
	examine__proofs(&fake.evidence, fake.result.proofs);
	assert_int_equal(fake.result.proofs[PROOF_STACKS].outcome, OUTCOME_UNTRIED);
	examine__costs(&fake.evidence, fake.result.costs);
	assert_int_equal(fake.result.costs[ENTRY_NOP5].timed_ns, 0);
	assert_int_equal(fake.result.costs[ENTRY_NOP5].inside_ns, 0);
	assert_int_equal(fake.result.costs[ENTRY_EMULATED].timed_ns, 1000);
}

static struct trial_result failed(enum proof proof, const char *reason)
{
	struct trial_result result = { 0 };

	result.proofs[proof].outcome = OUTCOME_FAILED;
	snprintf(result.proofs[proof].reason, sizeof(result.proofs[proof].reason), "%s", reason);
	return result;
}

/* An instruction that did something else, or ended the program, is named. */
static void test_wrong_instruction(void **state)
{
	struct fake fake;

	(void)state;
	fake__init(&fake);
	fake.evidence.ends[SCENE_INSTRUCTIONS].status = SCENARIO_CHANGED;
	fake.log.instruction = 1;
	fake.log.difference = "the flags";
	assert_int_equal(failures(&fake), 1U << PROOF_INSTRUCTIONS);
	assert_string_equal(fake.result.proofs[PROOF_INSTRUCTIONS].reason,
			    "push rax: the flags: not as without a probe");
	fake__init(&fake);
	fake.evidence.ends[SCENE_INSTRUCTIONS].signal = SIGTRAP;
	fake.log.instruction = 2;
	assert_int_equal(failures(&fake), 1U << PROOF_INSTRUCTIONS);
	assert_non_null(strstr(fake.result.proofs[PROOF_INSTRUCTIONS].reason, "push rbx: "));
	fake__init(&fake);
	fake.ledgers[SITE_INSTRUCTION].hits++;
	assert_int_equal(failures(&fake), 1U << PROOF_INSTRUCTIONS);
}

static void test_choice_goes_down(void **state)
{
	struct trial_result unsafe = failed(PROOF_STACKS, "killed");
	struct choice choice = choice__first(-1, true);
	struct error err = { 0 };
	char text[512];

	(void)state;
	assert_int_equal(choice__first(-1, false).mechanism, UPROBE_MULTI);
	assert_int_equal(choice.mechanism, UPROBE_SESSION);
	assert_true(choice__next(&choice, -1, &unsafe, text, sizeof(text), &err));
	assert_int_equal(choice.mechanism, UPROBE_MULTI);
	assert_non_null(strstr(text, "user=session"));
	assert_non_null(strstr(text, "stacks: killed"));
	assert_true(choice__next(&choice, -1, &unsafe, text, sizeof(text), &err));
	assert_int_equal(choice.mechanism, UPROBE_PERF);
	assert_false(choice__next(&choice, -1, &unsafe, text, sizeof(text), &err));
	assert_int_equal(err.code, -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "user=perf: stacks: killed"));
}

static void test_choice_spares_confined(void **state)
{
	struct trial_result deadly = failed(PROOF_SECCOMP, "bad system call");
	struct choice choice = choice__first(-1, true);
	struct error err = { 0 };
	char text[512];

	(void)state;
	assert_true(choice__next(&choice, -1, &deadly, text, sizeof(text), &err));
	assert_int_equal(choice.mechanism, UPROBE_SESSION);
	assert_true(choice.spares_confined);
	assert_non_null(strstr(text, "confined"));
	/* It did not help. */
	assert_true(choice__next(&choice, -1, &deadly, text, sizeof(text), &err));
	assert_int_equal(choice.mechanism, UPROBE_MULTI);
	assert_false(choice.spares_confined);
	/* Also where the session is forced. */
	choice = choice__first(UPROBE_SESSION, true);
	assert_true(choice__next(&choice, UPROBE_SESSION, &deadly, text, sizeof(text), &err));
	assert_true(choice.spares_confined);
	assert_false(choice__next(&choice, UPROBE_SESSION, &deadly, text, sizeof(text), &err));
}

static void test_choice_forced(void **state)
{
	struct trial_result unsafe = failed(PROOF_FIRES, "a push: 10 calls, 9 hits");
	struct choice choice = choice__first(UPROBE_MULTI, false);
	struct error err = { 0 };
	char text[512];

	(void)state;
	assert_int_equal(choice.mechanism, UPROBE_MULTI);
	assert_false(choice__next(&choice, UPROBE_MULTI, &unsafe, text, sizeof(text), &err));
	assert_int_equal(err.code, -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "--mechanism user=multi"));
	assert_non_null(strstr(err.text, "9 hits"));
}

/* What concerns only nops of five bytes does not decide on a mechanism. */
static void test_choice_stays(void **state)
{
	struct trial_result nop5 = failed(PROOF_NOP5, "killed");
	struct choice choice = choice__first(-1, true);
	struct error err = { 0 };
	char text[512];
	enum proof why;

	(void)state;
	assert_true(trial_result__holds(&nop5, &why));
	assert_false(choice__next(&choice, -1, &nop5, text, sizeof(text), &err));
	assert_int_equal(err.code, 0);
}

/* The proof's instructions are those that the analysis lets have a probe. */
static void test_instructions(void **state)
{
	struct subject *subject = NULL;
	struct machine machine, again;

	(void)state;
	assert_int_equal(subject__new(&subject), 0);
	assert_true(subject__n_instructions() > 100);
	for (size_t i = 0; i < subject__n_instructions(); i++) {
		const char *code = subject__instruction_code(subject, i);
		const char *at = (const char *)subject__instruction_code(subject, 0) -
				 subject_instructions[0].code + subject__instruction_offset(i);
		enum entry_class class;
		struct instruction in;

		assert_true(instruction__decode(&in, (const unsigned char *)at, 15));
		class = instruction__class(&in);
		if (class != ENTRY_EMULATED && class != ENTRY_STEPPED)
			fail_msg("%s is of class %d", subject__instruction_name(i), class);
		for (unsigned int n = 0; n < MACHINE_STATES; n++) {
			machine__set(&machine, n);
			machine__run(&machine, code);
			again = machine;
			machine__set(&machine, n);
			machine__run(&machine, code);
			assert_null(machine__difference(&machine, &again));
		}
	}
	machine.flags ^= 1;
	assert_string_equal(machine__difference(&machine, &again), "the flags");
	machine.flags ^= 1;
	machine.registers[3]++;
	assert_string_equal(machine__difference(&machine, &again), "a register");
	subject__free(subject);
}

static long breaks_r12(long x)
{
	__asm__ volatile("inc %%r12" ::: "memory");
	return x + 1;
}

/* The functions that are probed do, unprobed, what the proofs rely on. */
static void test_subject(void **state)
{
	struct subject *subject = NULL;
	enum subject_site site;

	(void)state;
	assert_int_equal(subject__new(&subject), 0);
	for (site = 0; site < SUBJECT_SITES; site++) {
		subject_function function = subject__function(subject, site);

		if (site == SITE_OUTER)
			continue;
		assert_int_equal(function(41), 42);
		assert_true(subject__offset(site) >= (site ? subject__offset(site - 1) : 0));
		if (site < SITE_LEAF_PUSH)
			assert_true(subject__keeps_registers(function));
	}
	assert_false(subject__keeps_registers(breaks_r12));
	subject__free(subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_proven),
		cmocka_unit_test(test_deaths),
		cmocka_unit_test(test_miscounts),
		cmocka_unit_test(test_spared),
		cmocka_unit_test(test_few_sites),
		cmocka_unit_test(test_wrong_instruction),
		cmocka_unit_test(test_choice_goes_down),
		cmocka_unit_test(test_choice_spares_confined),
		cmocka_unit_test(test_choice_forced),
		cmocka_unit_test(test_choice_stays),
		cmocka_unit_test(test_subject),
		cmocka_unit_test(test_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

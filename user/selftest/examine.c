// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_table.h"
#include "selftest/examine.h"

static void fail(struct proof_result *proof, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The first reason stands. */
static void fail(struct proof_result *proof, const char *format, ...)
{
	va_list args;

	if (proof->outcome == OUTCOME_FAILED)
		return;
	proof->outcome = OUTCOME_FAILED;
	va_start(args, format);
	vsnprintf(proof->reason, sizeof(proof->reason), format, args);
	va_end(args);
}

static void pass(struct proof_result *proof)
{
	if (proof->outcome == OUTCOME_UNTRIED)
		proof->outcome = OUTCOME_PROVEN;
}

static const char *const site_names[SUBJECT_SITES] = {
	[SITE_PUSH] = "a push",
	[SITE_NOP1] = "a nop",
	[SITE_ENDBR] = "endbr64",
	[SITE_SUB] = "a sub",
	[SITE_AFTER_ENDBR] = "a push behind endbr64",
	[SITE_AFTER_MOV] = "a push behind a mov",
	[SITE_NOP5] = "a nop of five bytes",
	[SITE_LEAF_PUSH] = "a push inside a function",
	[SITE_LEAF_NOP1] = "a nop inside a function",
	[SITE_LEAF_NOP5] = "a nop of five bytes inside a function",
	[SITE_OUTER] = "a function that calls back",
	[SITE_INNER] = "a function on another stack",
	[SITE_INSTRUCTION] = "instructions of all kinds",
	[SITE_STRICT_PUSH] = "a function under seccomp",
	[SITE_STRICT_NOP5] = "a nop of five bytes under seccomp",
};

static void judge_end(const struct evidence *evidence, enum scene scene, struct proof_result *proof)
{
	const struct scene_end *end = &evidence->ends[scene];

	if (!end->ran)
		return;
	if (end->signal)
		fail(proof, "the program was killed: %s", strsignal(end->signal));
	else if (end->status == SCENARIO_CHANGED)
		fail(proof, "the program's registers or data were changed");
	else if (end->status != SCENARIO_OK)
		fail(proof, "the situation could not be set up");
	else
		pass(proof);
}

static const struct tm_ledger *ledger_of(const struct evidence *evidence, enum subject_site site)
{
	return &evidence->snapshot->ledgers[evidence->first_probe + site];
}

static const struct snapshot_series *series_of(const struct evidence *evidence,
					       enum subject_site site)
{
	const struct snapshot *snapshot = evidence->snapshot;
	size_t i;

	for (i = 0; i < snapshot->n_series; i++)
		if (snapshot->series[i]->total.key.layer == TRIAL_LAYER &&
		    snapshot->series[i]->total.key.function == site)
			return snapshot->series[i];
	return NULL;
}

static const char *first_loss(const struct tm_ledger *ledger)
{
	int i;

	for (i = 0; i < TM_LOSSES; i++)
		if (ledger->lost[i])
			return probe_loss_names[i];
	return "";
}

/* Was every call of a site hit, once? */
static void judge_hits(const struct evidence *evidence, enum subject_site site,
		       struct proof_result *proof)
{
	__u64 hits = ledger_of(evidence, site)->hits, calls = evidence->log->calls[site];

	if (site == SITE_PUSH)
		calls += evidence->log->strange;
	if (!evidence->probed[site])
		return;
	if (hits != calls)
		fail(proof, "%s: %llu calls, %llu hits", site_names[site], calls, hits);
	else
		pass(proof);
}

/* Was every call of a site recorded, with what it returned? */
static void judge_returns(const struct evidence *evidence, enum subject_site site,
			  struct proof_result *proof)
{
	const struct snapshot_series *series = series_of(evidence, site);
	const struct tm_ledger *ledger = ledger_of(evidence, site);
	__u64 calls = evidence->log->calls[site], bytes = series ? series->total.bytes : 0;

	if (!evidence->probed[site] || evidence->entry_only[site])
		return;
	if (ledger->recorded != calls || ledger->in_flight)
		fail(proof, "%s: %llu calls, %llu returns, %llu open%s%s", site_names[site], calls,
		     ledger->recorded, ledger->in_flight,
		     ledger__lost(ledger) ? ", others lost: " : "", first_loss(ledger));
	else if (bytes != evidence->log->sums[site])
		fail(proof, "%s: it returned %llu in sum, not %llu", site_names[site],
		     evidence->log->sums[site], bytes);
	else
		pass(proof);
}

static void judge_filter(const struct evidence *evidence, struct proof_result *proof)
{
	const struct tm_ledger *ledger = ledger_of(evidence, SITE_PUSH);
	__u64 calls = evidence->log->calls[SITE_PUSH], strange = evidence->log->strange;

	judge_end(evidence, SCENE_STRANGER, proof);
	if (ledger->recorded < calls)
		fail(proof, "of %llu calls of two threads %llu were recorded", calls,
		     ledger->recorded);
	if (ledger->filtered != strange)
		fail(proof, "%llu calls were left out, %llu were of another process",
		     ledger->filtered, strange);
}

/* Calls on other stacks may be lost, but not vanish. */
static void judge_stacks(const struct evidence *evidence, struct proof_result *proof)
{
	enum subject_site site;

	if (!evidence->ends[SCENE_STACKS].ran)
		return;
	judge_end(evidence, SCENE_STACKS, proof);
	for (site = SITE_OUTER; site <= SITE_INNER; site++) {
		const struct tm_ledger *ledger = ledger_of(evidence, site);

		judge_hits(evidence, site, proof);
		if (ledger->recorded + ledger__lost(ledger) != ledger->hits)
			fail(proof, "%s: of %llu calls %llu were recorded and %llu lost",
			     site_names[site], ledger->hits, ledger->recorded,
			     ledger__lost(ledger));
	}
}

/* Calls under seccomp must be lost, and for that reason. */
static void judge_spared(const struct evidence *evidence, struct proof_result *proof)
{
	const struct tm_ledger *ledger = ledger_of(evidence, SITE_STRICT_PUSH);

	if (ledger->lost[TM_LOSS_CONFINED] != ledger->hits)
		fail(proof, "of %llu calls under seccomp %llu were spared a return probe",
		     ledger->hits, ledger->lost[TM_LOSS_CONFINED]);
}

/* They did what they do without a probe, and were hit once each. */
static void judge_instructions(const struct evidence *evidence, struct proof_result *proof)
{
	const struct scene_end *end = &evidence->ends[SCENE_INSTRUCTIONS];
	const struct scenario_log *log = evidence->log;
	const char *name = log->instruction ? subject__instruction_name(log->instruction - 1) : "";

	if (!end->ran)
		return;
	if (log->instruction && end->status == SCENARIO_IMPOSSIBLE)
		fail(proof, "%s: the kernel takes no probe", name);
	else if (log->instruction && end->signal)
		fail(proof, "%s: the program was killed: %s", name, strsignal(end->signal));
	else if (log->instruction)
		fail(proof, "%s: %s: not as without a probe", name, log->difference);
	judge_end(evidence, SCENE_INSTRUCTIONS, proof);
	judge_hits(evidence, SITE_INSTRUCTION, proof);
}

static void judge_nop5(const struct evidence *evidence, struct proof_result proofs[PROOFS])
{
	struct proof_result *proof = &proofs[PROOF_NOP5];

	judge_end(evidence, SCENE_NOP5, proof);
	judge_end(evidence, SCENE_NOP5_SECCOMP, proof);
	judge_end(evidence, SCENE_NOP5_DISPATCH, proof);
	judge_hits(evidence, SITE_NOP5, proof);
	judge_hits(evidence, SITE_STRICT_NOP5, proof);
	judge_returns(evidence, SITE_NOP5, proof);
	proof = &proofs[PROOF_NOP5_INSIDE];
	if (!evidence->ends[SCENE_NOP5_LEAF].ran)
		return;
	judge_end(evidence, SCENE_NOP5_LEAF, proof);
	judge_hits(evidence, SITE_LEAF_NOP5, proof);
}

static int compare_ns(const void *left, const void *right)
{
	const __u32 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static __u32 median(const struct evidence *evidence, enum subject_site site)
{
	__u32 ns[COST_BATCHES];

	memcpy(ns, evidence->log->batch_ns[site], sizeof(ns));
	qsort(ns, evidence->batches, sizeof(*ns), compare_ns);
	return ns[evidence->batches / 2];
}

/* What a probe adds to a call of a site; 0: not measured. */
static __u32 cost_of(const struct evidence *evidence, enum subject_site site)
{
	__u32 probed = median(evidence, site), bare = median(evidence, SITE_BARE);

	return probed > bare ? probed - bare : 0;
}

void examine__costs(const struct evidence *evidence, struct hit_cost costs[ENTRY_CLASSES])
{
	static const enum subject_site timed[ENTRY_CLASSES] = {
		[ENTRY_EMULATED] = SITE_PUSH,
		[ENTRY_NOP5] = SITE_NOP5,
		[ENTRY_STEPPED] = SITE_ENDBR,
	};
	static const enum subject_site counted[ENTRY_CLASSES] = {
		[ENTRY_EMULATED] = SITE_COUNT_PUSH,
		[ENTRY_NOP5] = SITE_COUNT_NOP5,
		[ENTRY_STEPPED] = SITE_COUNT_ENDBR,
	};
	__u32 bare = median(evidence, SITE_BARE);
	enum entry_class kind;

	for (kind = ENTRY_EMULATED; kind <= ENTRY_STEPPED; kind++) {
		const struct snapshot_series *series = series_of(evidence, timed[kind]);
		struct hit_cost *cost = &costs[kind];
		__u64 inside;

		cost->timed_ns = cost_of(evidence, timed[kind]);
		cost->counted_ns = cost_of(evidence, counted[kind]);
		if (!series || !cost->timed_ns)
			continue;
		inside = histogram__quantile(&series->latency, 500, series->total.min_ns,
					     series->total.max_ns);
		inside = inside > bare ? inside - bare : 0;
		cost->inside_ns = inside < cost->timed_ns ? (__u32)inside : cost->timed_ns;
	}
}

void examine__proofs(const struct evidence *evidence, struct proof_result proofs[PROOFS])
{
	enum subject_site site;

	judge_end(evidence, SCENE_CALLS, &proofs[PROOF_FIRES]);
	judge_end(evidence, SCENE_CALLS, &proofs[PROOF_RED_ZONE]);
	judge_end(evidence, SCENE_LEAVES, &proofs[PROOF_RED_ZONE]);
	for (site = SITE_PUSH; site <= SITE_LEAF_NOP1; site++) {
		if (site == SITE_NOP5)
			continue;
		judge_hits(evidence, site, &proofs[PROOF_FIRES]);
		judge_returns(evidence, site, &proofs[PROOF_PAIRS]);
	}
	judge_filter(evidence, &proofs[PROOF_FILTERS]);
	judge_end(evidence, SCENE_STRICT, &proofs[PROOF_SECCOMP]);
	judge_end(evidence, SCENE_FILTER, &proofs[PROOF_SECCOMP]);
	judge_hits(evidence, SITE_STRICT_PUSH, &proofs[PROOF_SECCOMP]);
	if (evidence->spares_confined)
		judge_spared(evidence, &proofs[PROOF_SECCOMP]);
	else
		judge_returns(evidence, SITE_STRICT_PUSH, &proofs[PROOF_SECCOMP]);
	judge_stacks(evidence, &proofs[PROOF_STACKS]);
	judge_instructions(evidence, &proofs[PROOF_INSTRUCTIONS]);
	judge_nop5(evidence, proofs);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/units.h"
#include "command/selftest_output.h"
#include "sink/record_text.h"

static const char *use_of(const struct choice *way)
{
	if (way->mechanism == UPROBE_SESSION)
		return way->spares_confined ? "--returns=fast, not under seccomp"
					    : "--returns=fast";
	return way->spares_confined ? "not under seccomp" : "everywhere";
}

/* Where those of nops of five bytes fail, the others go on. */
static const char *remark(enum proof proof)
{
	if (proof == PROOF_NOP5)
		return "; probes are put behind it";
	/* Nothing uses it: whether it is safe is good to know. */
	return proof == PROOF_NOP5_INSIDE ? "; not used" : "";
}

void selftest_output__print(const struct selftest_result *result)
{
	const struct choice *way = result->way;
	enum proof proof;
	char title[64];

	snprintf(title, sizeof(title), "user=%s, %s:", uprobe_mechanism_names[way->mechanism],
		 use_of(way));
	if (!result->ran)
		printf("%-32s not available: %s\n", title, result->unavailable);
	for (proof = 0; result->ran && proof < PROOFS; proof++) {
		const struct proof_result *one = &result->trial.proofs[proof];

		if (one->outcome == OUTCOME_PROVEN)
			printf("%-32s %-12s proven\n", title, proof_names[proof]);
		else if (one->outcome == OUTCOME_FAILED)
			printf("%-32s %-12s failed: %s%s\n", title, proof_names[proof], one->reason,
			       remark(proof));
	}
	fflush(stdout);
}

void selftest_output__print_choice(const struct selftest_result *chosen)
{
	enum entry_class kind;
	char ns[UNITS_ROOM];

	if (!chosen) {
		printf("nothing is proven: library functions are not probed\n");
		return;
	}
	printf("chosen: user=%s, %s\n", uprobe_mechanism_names[chosen->way->mechanism],
	       use_of(chosen->way));
	for (kind = ENTRY_EMULATED; kind <= ENTRY_STEPPED; kind++) {
		const struct hit_cost *cost = &chosen->trial.costs[kind];

		if (cost->timed_ns)
			printf("a call costs, %s: %s", entry_class_names[kind],
			       units__time(ns, cost->timed_ns));
		if (cost->timed_ns && cost->inside_ns)
			printf(" (%s of it in the measured time)",
			       units__time(ns, cost->inside_ns));
		if (cost->counted_ns)
			printf("%s%s when it is only counted",
			       cost->timed_ns ? ", " : "a call costs, ",
			       units__time(ns, cost->counted_ns));
		printf("\n");
	}
}

static void add_proofs(struct record *record, const struct trial_result *trial)
{
	record__open(record, "proofs");
	for (enum proof proof = 0; proof < PROOFS; proof++) {
		const struct proof_result *one = &trial->proofs[proof];

		if (one->outcome == OUTCOME_UNTRIED)
			continue;
		record__open(record, proof_names[proof]);
		record__string(record, "outcome",
			       one->outcome == OUTCOME_PROVEN ? "proven" : "failed");
		record__string(record, "reason", *one->reason ? one->reason : NULL);
		record__close(record);
	}
	record__close(record);
}

static void add_costs(struct record *record, const struct trial_result *trial)
{
	record__open(record, "cost");
	for (enum entry_class kind = ENTRY_EMULATED; kind <= ENTRY_STEPPED; kind++) {
		const struct hit_cost *cost = &trial->costs[kind];

		record__open(record, entry_class_names[kind]);
		record__measured(record, "timed_ns", cost->timed_ns, cost->timed_ns != 0);
		record__measured(record, "inside_ns", cost->inside_ns, cost->timed_ns != 0);
		record__measured(record, "counted_ns", cost->counted_ns, cost->counted_ns != 0);
		record__close(record);
	}
	record__close(record);
}

static void add_way(struct record *record, const char *name, const struct selftest_result *result)
{
	record__open(record, name);
	record__string(record, "layer", "user");
	record__string(record, "mechanism", uprobe_mechanism_names[result->way->mechanism]);
	record__string(record, "use", use_of(result->way));
	record__string(record, "unavailable", result->ran ? NULL : result->unavailable);
	if (result->ran) {
		add_proofs(record, &result->trial);
		add_costs(record, &result->trial);
	} else {
		record__null(record, "proofs");
		record__null(record, "cost");
	}
	record__close(record);
}

static void add_record(struct record *record, const struct selftest_result *results, size_t n,
		       const struct selftest_result *chosen)
{
	const struct report_run run = { .version = TMTRACE_VERSION };
	struct utsname name;

	uname(&name);
	record__begin(record, &run, "selftest", clock__ns(CLOCK_REALTIME), name.nodename);
	record__string(record, "version", run.version);
	record__string(record, "kernel", name.release);
	record__open_array(record, "ways");
	for (size_t i = 0; i < n; i++)
		add_way(record, NULL, &results[i]);
	record__close_array(record);
	if (chosen)
		add_way(record, "chosen", chosen);
	else
		record__null(record, "chosen");
	record__end(record);
}

void selftest_output__print_record(const struct selftest_result *results, size_t n,
				   const struct selftest_result *chosen)
{
	struct record_text text = record_text__new(record_text__end_line);

	add_record(&text.record, results, n, chosen);
	fwrite(text.bytes, 1, text.n, stdout);
	free(text.bytes);
}

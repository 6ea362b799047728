// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/units.h"
#include "command/selftest_output.h"
#include "sink/json_value.h"

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

static struct json_object *proofs_of(const struct trial_result *trial)
{
	struct json_object *proofs = json_object_new_object();
	enum proof proof;

	for (proof = 0; proofs && proof < PROOFS; proof++) {
		const struct proof_result *one = &trial->proofs[proof];
		struct json_object *object;

		if (one->outcome == OUTCOME_UNTRIED)
			continue;
		object = json_object_new_object();
		json_value__add_string(object, "outcome",
				       one->outcome == OUTCOME_PROVEN ? "proven" : "failed");
		json_value__add_string(object, "reason", *one->reason ? one->reason : NULL);
		json_object_object_add(proofs, proof_names[proof], object);
	}
	return proofs;
}

static struct json_object *costs_of(const struct trial_result *trial)
{
	struct json_object *costs = json_object_new_object();
	enum entry_class kind;

	for (kind = ENTRY_EMULATED; costs && kind <= ENTRY_STEPPED; kind++) {
		const struct hit_cost *cost = &trial->costs[kind];
		struct json_object *object = json_object_new_object();

		json_value__add_measured(object, "timed_ns", cost->timed_ns, cost->timed_ns != 0);
		json_value__add_measured(object, "inside_ns", cost->inside_ns, cost->timed_ns != 0);
		json_value__add_measured(object, "counted_ns", cost->counted_ns,
					 cost->counted_ns != 0);
		json_object_object_add(costs, entry_class_names[kind], object);
	}
	return costs;
}

static struct json_object *way_of(const struct selftest_result *result)
{
	struct json_object *way = json_object_new_object();

	json_value__add_string(way, "layer", "user");
	json_value__add_string(way, "mechanism", uprobe_mechanism_names[result->way->mechanism]);
	json_value__add_string(way, "use", use_of(result->way));
	json_value__add_string(way, "unavailable", result->ran ? NULL : result->unavailable);
	json_object_object_add(way, "proofs", result->ran ? proofs_of(&result->trial) : NULL);
	json_object_object_add(way, "cost", result->ran ? costs_of(&result->trial) : NULL);
	return way;
}

static struct json_object *record_of(const struct selftest_result *results, size_t n,
				     const struct selftest_result *chosen)
{
	struct json_object *record, *ways = json_object_new_array();
	struct report_run run = { .version = TMTRACE_VERSION };
	struct utsname name;
	size_t i;

	uname(&name);
	run.hostname = name.nodename;
	record = json_value__record(&run, "selftest", clock__ns(CLOCK_REALTIME));
	json_value__add_string(record, "version", run.version);
	json_value__add_string(record, "kernel", name.release);
	for (i = 0; i < n; i++)
		json_object_array_add(ways, way_of(&results[i]));
	json_object_object_add(record, "ways", ways);
	json_object_object_add(record, "chosen", chosen ? way_of(chosen) : NULL);
	return record;
}

void selftest_output__print_record(const struct selftest_result *results, size_t n,
				   const struct selftest_result *chosen)
{
	struct json_object *record = record_of(results, n, chosen);

	printf("%s\n", json_object_to_json_string_ext(record, JSON_C_TO_STRING_PLAIN));
	json_object_put(record);
}

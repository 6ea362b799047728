// SPDX-License-Identifier: GPL-2.0-only
/* Nodes that stand out from the others, and those that do not: made of pseudo-random latencies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random_numbers.h"
#include "report/names.h"
#include "report/slow_nodes.h"
#include "sample_run.h"

#define NODES 16
#define CALLS 5000
#define RUNS  200

/* The figures of one function on each node of a job. */
struct job {
	struct figures nodes[NODES];
	size_t n;
};

/* Calls of a node: a part of them is quick, the others take so many times as long. */
static void fill(struct figures *figures, unsigned int calls, double quick_part, double times,
		 double typical_ns)
{
	__u64 count[TM_BUCKETS] = { 0 };
	struct histogram latency;

	*figures = (struct figures){ .count = calls, .min_ns = ~0ULL };
	for (unsigned int i = 0; i < calls; i++) {
		double spread = exp(uniform() + uniform() - 1);
		__u64 ns = (__u64)(typical_ns * spread * (uniform() < quick_part ? 1 : times));

		count[tm_bucket_of(ns)]++;
		figures->min_ns = ns < figures->min_ns ? ns : figures->min_ns;
		figures->max_ns = ns > figures->max_ns ? ns : figures->max_ns;
	}
	latency = histogram__of(count);
	figures__set_quantiles(figures, &latency);
}

static void fill_all(struct job *job, size_t n, double quick_part, double times, double typical_ns)
{
	job->n = n;
	for (size_t i = 0; i < n; i++)
		fill(&job->nodes[i], CALLS, quick_part, times, typical_ns);
}

/* How many stand out; which, and how, the last one does. */
static int find(const struct job *job, struct slow_node *out, size_t *which)
{
	double scratch[2 * NODES];
	int found = 0;

	for (size_t i = 0; i < job->n; i++) {
		struct slow_node slow;

		if (!slow_nodes__judge(job->nodes, job->n, i, scratch, &slow))
			continue;
		*out = slow;
		*which = i;
		found++;
	}
	return found;
}

/* One of three, and of many: it, and no other one. */
static void test_slow(void **state)
{
	struct slow_node found;
	struct job job;
	size_t which;

	(void)state;
	random_state = 1;
	for (size_t n = SLOW_NODES_LEAST; n <= NODES; n++) {
		fill_all(&job, n, 1, 1, 100000);
		fill(&job.nodes[n / 2], CALLS, 1, 1, 1000000);
		assert_int_equal(find(&job, &found, &which), 1);
		assert_int_equal(which, n / 2);
		assert_false(found.by_load);
		assert_true(found.load == 1);
		assert_true(found.deviations >= 6);
		assert_true(found.latency_ns > 8 * found.usual_ns);
		assert_true(found.latency_ns < 12 * found.usual_ns);
		/* One that is quicker than the others is not slow, nor are they. */
		fill(&job.nodes[n / 2], CALLS, 1, 1, 1000);
		assert_int_equal(find(&job, &found, &which), 0);
	}
}

/* Of three, one that takes four times as long may be so by chance; of eight it stands out. */
static void test_few_others(void **state)
{
	struct slow_node found;
	struct job job;
	size_t which;

	(void)state;
	random_state = 5;
	for (size_t n = SLOW_NODES_LEAST; n <= NODES; n++) {
		fill_all(&job, n, 1, 1, 100000);
		fill(&job.nodes[0], CALLS, 1, 1, 350000);
		assert_int_equal(find(&job, &found, &which), n >= 5);
	}
}

/* It is slow, and had more to do. */
static void test_load(void **state)
{
	struct slow_node found;
	struct job job;
	size_t which;

	(void)state;
	random_state = 2;
	fill_all(&job, 4, 1, 1, 100000);
	fill(&job.nodes[0], 3 * CALLS, 1, 1, 800000);
	assert_int_equal(find(&job, &found, &which), 1);
	assert_true(found.by_load);
	assert_true(found.load == 3);
	fill(&job.nodes[0], CALLS + CALLS / 4, 1, 1, 800000);
	assert_int_equal(find(&job, &found, &which), 1);
	assert_false(found.by_load);
}

/* Too few nodes, or calls, to know what is usual. */
static void test_few(void **state)
{
	struct slow_node found;
	struct job job;
	size_t which;

	(void)state;
	random_state = 3;
	fill_all(&job, 2, 1, 1, 100000);
	fill(&job.nodes[0], CALLS, 1, 1, 10000000);
	assert_int_equal(find(&job, &found, &which), 0);
	fill_all(&job, 3, 1, 1, 100000);
	fill(&job.nodes[0], 99, 1, 1, 10000000);
	assert_int_equal(find(&job, &found, &which), 0);
	fill(&job.nodes[0], CALLS, 1, 1, 10000000);
	assert_int_equal(find(&job, &found, &which), 1);
	fill(&job.nodes[1], 99, 1, 1, 100000); /* two are left */
	assert_int_equal(find(&job, &found, &which), 0);
	job.nodes[1] = (struct figures){ 0 }; /* it did nothing at all */
	assert_int_equal(find(&job, &found, &which), 0);
	job.n = 0;
	assert_int_equal(find(&job, &found, &which), 0);
}

/* Where nodes differ from one another anyway, one that differs as much does not stand out. */
static void test_spread(void **state)
{
	struct slow_node found;
	struct job job;
	size_t which;

	(void)state;
	random_state = 4;
	job.n = 8;
	for (size_t i = 0; i < 8; i++)
		fill(&job.nodes[i], CALLS, 1, 1, 100000 * pow(2, (double)i));
	assert_int_equal(find(&job, &found, &which), 0);
}

/*
 * Undisturbed jobs: nodes that are up to a half slower by themselves, of whose calls most are
 * quick and the others slow, as chance will have it, around each of the percentiles.
 */
static void test_undisturbed(void **state)
{
	static const double quick[] = { 1, 0.9, 0.75, 0.5, 0.25 };
	struct slow_node found;
	struct job job;
	size_t which;

	(void)state;
	for (size_t k = 0; k < sizeof(quick) / sizeof(*quick); k++)
		for (__u64 seed = 0; seed < RUNS; seed++) {
			random_state = 1000 * k + seed;
			job.n = 3 + seed % 6;
			for (size_t i = 0; i < job.n; i++)
				fill(&job.nodes[i], 500, quick[k] + 0.1 * (uniform() - 0.5), 30,
				     50000 * (1 + 0.5 * uniform()));
			if (find(&job, &found, &which))
				fail_msg("a part of %.2f, run %llu: node %zu stands out", quick[k],
					 seed, which);
		}
}

/*
 * Recordings of three nodes, of which one reads slowly; all look at files far more often. It is the
 * function with most time that counts, and of the others nothing is said.
 */
static void test_function(void **state)
{
	static const char *const names[] = { "one", "two", "three" };
	struct sample samples[3];
	struct report_part parts[3];
	struct node nodes[3];
	const struct nodes_layer layer = { "vfs", nodes, 3 };
	struct slow_node found[3];
	struct merge merge;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct sample *sample = &samples[i];

		sample__open(sample);
		sample__begin(sample, &merge, 1001, TM_LAYER_VFS, "read");
		merge.total.key.where = WHERE_DATA;
		sample__calls(&merge, 200, i == 1 ? 40 * MS : 4 * MS, 4096);
		sample__add(sample, &merge);
		sample__begin(sample, &merge, 1001, TM_LAYER_VFS, "stat");
		sample__calls(&merge, 5000, 1000, 0);
		sample__add(sample, &merge);
		parts[i] = (struct report_part){ .name = names[i],
						 .run = &sample->run,
						 .snapshot = &sample->snapshot };
		nodes[i] = (struct node){ .part = &parts[i] };
	}
	assert_int_equal(slow_nodes__find(&layer, found), 1);
	assert_ptr_equal(found[0].node, &nodes[1]);
	assert_string_equal(names__function(&samples[1].run, &found[0].function), "read");
	assert_true(found[0].load == 1);
	assert_true(found[0].latency_ns > 35 * MS);
	for (int i = 0; i < 3; i++)
		sample__close(&samples[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow),	   cmocka_unit_test(test_load),
		cmocka_unit_test(test_few_others), cmocka_unit_test(test_few),
		cmocka_unit_test(test_spread),	   cmocka_unit_test(test_undisturbed),
		cmocka_unit_test(test_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

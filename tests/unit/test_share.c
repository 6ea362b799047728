// SPDX-License-Identifier: GPL-2.0-only
/* The part of the traced time that the probes caused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/figures.h"
#include "report/share.h"
#include "sample_run.h"

/* mstro_cdo_offer calls mstro_cdo_demand; a call costs 900 ns, 400 of it inside the measured time.
 */
static void open_two(struct sample *sample, __u64 outer, __u64 outer_self_ns, __u64 inner,
		     __u64 inner_self_ns)
{
	struct merge merge;

	sample__open(sample);
	sample__begin(sample, &merge, 7, LAYER_MSTRO, "mstro_cdo_offer");
	merge.total.count = outer;
	merge.total.self_ns = outer_self_ns;
	sample__add(sample, &merge);
	sample__begin(sample, &merge, 7, LAYER_MSTRO, "mstro_cdo_demand");
	merge.total.count = inner;
	merge.total.self_ns = inner_self_ns;
	sample__add(sample, &merge);
	sample->ledgers[TM_PROBE_USER + 0] = (struct tm_ledger){ .hits = outer, .recorded = outer };
	sample->ledgers[TM_PROBE_USER + 1] =
		(struct tm_ledger){ .hits = inner, .recorded = inner, .nested = inner };
}

static void check_share(const struct sample *sample, double expected)
{
	double share = share__of_probes(&sample->run, &sample->snapshot);

	if (share < expected - 1e-9 || share > expected + 1e-9)
		fail_msg("%g is not %g", share, expected);
}

/* One call takes 400 ns in the measured time, all by the probe, and 500 around it. */
static void test_empty_functions(void **state)
{
	struct sample sample;

	(void)state;
	open_two(&sample, 1000, 400000, 0, 0);
	check_share(&sample, 1);
	sample__close(&sample);
}

/* Of a sample, whatever else was counted; at the level `summary` no histogram says how large. */
static void test_sample(void **state)
{
	struct figures figures;
	struct sample sample;
	struct tm_series *total;

	(void)state;
	open_two(&sample, 1000, 100000, 0, 0);
	probe_table__add_counted(sample.probes, TM_PROBE_USER, 900);
	check_share(&sample, 0.6);
	total = (struct tm_series *)&sample.series[0]->total;
	total->summed = TM_SUMMED_BRIEFLY | TM_SUMMED_UNTIMED;
	total->total_ns = 100000;
	total->untimed = 900;
	figures__total(&figures, sample.series[0]);
	assert_int_equal(figures.count, 1000);
	assert_int_equal(figures.timed, 100);
	sample__close(&sample);
}

/* 600 ns of its own: 900 of 1,500. */
static void test_own_time(void **state)
{
	struct sample sample;

	(void)state;
	open_two(&sample, 1000, 1000000, 0, 0);
	check_share(&sample, 0.6);
	sample__close(&sample);
}

/*
 * Ten inner calls in each outer one. What lies around the inner ones is in the outer's self_ns
 * already: 100 * 400 + 1,000 * 500 ns; the inner ones have 1,000 * 400.
 */
static void test_nested(void **state)
{
	struct sample sample;

	(void)state;
	open_two(&sample, 100, 540000, 1000, 400000);
	check_share(&sample, 1);
	sample__close(&sample);
	/* The same with as much time of their own. */
	open_two(&sample, 100, 540000 + 990000, 1000, 400000);
	check_share(&sample, 0.5);
	sample__close(&sample);
}

/* Never above 1, be the calibration too high. */
static void test_bound(void **state)
{
	struct sample sample;

	(void)state;
	open_two(&sample, 1000, 1000, 0, 0);
	check_share(&sample, 1);
	sample__close(&sample);
}

static void test_unknown(void **state)
{
	struct sample sample;

	(void)state;
	open_two(&sample, 0, 0, 0, 0);
	check_share(&sample, -1);
	sample__close(&sample);
	open_two(&sample, 1000, 400000, 0, 0);
	sample.run.n_hit_costs = 0;
	check_share(&sample, -1);
	sample__close(&sample);
}

/* Calls that are only counted have no time that could be shared. */
static void test_counted(void **state)
{
	struct sample sample;

	(void)state;
	open_two(&sample, 1000, 1000000, 0, 0);
	sample.ledgers[TM_PROBE_USER + 7] = (struct tm_ledger){ .hits = 9999, .recorded = 9999 };
	check_share(&sample, 0.6);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_functions), cmocka_unit_test(test_sample),
		cmocka_unit_test(test_own_time),	cmocka_unit_test(test_nested),
		cmocka_unit_test(test_bound),		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

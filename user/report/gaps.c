// SPDX-License-Identifier: GPL-2.0-only
#include "report/gaps.h"

struct gaps gaps__find(const struct report_run *run, __u64 time_ns)
{
	struct gaps gaps = { .run = run, .time_ns = time_ns };

	for (size_t i = 0; i < run->n_probes; i++) {
		const struct probe *probe = &run->probes[i];

		if (!probe__parked_ns(probe, time_ns) && !probe__untimed_ns(probe, time_ns))
			continue;
		if (!gaps.end)
			gaps.first = i;
		gaps.end = i + 1;
	}
	return gaps;
}

static __u64 find_longest(const struct gaps *gaps, const struct tm_key *key,
			  __u64 (*gap_of)(const struct probe *probe, __u64 now_ns))
{
	__u64 longest = 0;

	for (size_t i = gaps->first; i < gaps->end; i++) {
		const struct probe *probe = &gaps->run->probes[i];
		__u64 ns;

		if (probe->layer_id != key->layer || probe->function_id != key->function)
			continue;
		ns = gap_of(probe, gaps->time_ns);
		if (ns > longest)
			longest = ns;
	}
	return longest;
}

__u64 gaps__of(const struct gaps *gaps, const struct tm_key *key)
{
	/* What is beside calls is counted by other probes, too; but for sums over records. */
	if (key__is_beside(key) && !key__is_addb(key))
		return 0;
	return find_longest(gaps, key, probe__parked_ns);
}

__u64 gaps__untimed(const struct gaps *gaps, const struct tm_key *key)
{
	return key__is_beside(key) ? 0 : find_longest(gaps, key, probe__untimed_ns);
}

static __u64 count_untimed(const struct probe *probe, __u64 now_ns)
{
	(void)now_ns;
	return probe->untimed.count;
}

__u64 gaps__times_untimed(const struct gaps *gaps, const struct tm_key *key)
{
	return find_longest(gaps, key, count_untimed);
}

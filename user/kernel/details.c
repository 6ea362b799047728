// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "kernel/details.h"
#include "kernel/grace.h"
#include "tmtrace/series.h"

void details__set_node(const struct details_maps *maps, const struct tm_details *details)
{
	*maps->node = *details;
}

int details__set_cgroup(const struct details_maps *maps, __u64 cgroup,
			const struct tm_details *details)
{
	return bpf_map_update_elem(maps->jobs, &cgroup, details, BPF_ANY) ? -errno : 0;
}

void details__drop_cgroup(const struct details_maps *maps, __u64 cgroup)
{
	bpf_map_delete_elem(maps->jobs, &cgroup);
}

void details__drop_all(const struct details_maps *maps)
{
	__u64 cgroup;

	while (!bpf_map_get_next_key(maps->jobs, NULL, &cgroup) &&
	       !bpf_map_delete_elem(maps->jobs, &cgroup))
		;
}

void details__set_any_job(const struct details_maps *maps, bool any)
{
	*maps->any_job = any;
}

int details__apply(const struct details_maps *maps, details_wanted wanted, void *context,
		   struct error *err)
{
	size_t bytes = maps->slots * sizeof(struct tm_series);
	struct tm_series *series;
	__u32 end;

	/* Who makes a series now may have asked before. */
	grace__wait();
	series = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, maps->series, 0);
	if (series == MAP_FAILED)
		return error__set(err, -errno, "cannot map the series: %s", strerror(errno));
	end = __atomic_load_n(maps->next_slot, __ATOMIC_RELAXED);
	for (__u32 i = 0; i < end && i < maps->slots; i++) {
		__u8 detail;

		if (!series__is_live(__atomic_load_n(&series[i].state, __ATOMIC_ACQUIRE)))
			continue;
		detail = wanted(context, series[i].key.job, series[i].key.layer);
		/* From then on its histograms are not all. */
		if (TM_DETAIL_LEVEL(detail) == TM_LEVEL_SUMMARY)
			__atomic_fetch_or(&series[i].summed, TM_SUMMED_BRIEFLY, __ATOMIC_RELEASE);
		if (series[i].detail != detail)
			__atomic_store_n(&series[i].detail, detail, __ATOMIC_RELAXED);
	}
	munmap(series, bytes);
	return 0;
}

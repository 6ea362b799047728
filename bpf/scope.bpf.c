// SPDX-License-Identifier: GPL-2.0-only
#include "number.bpf.h"
#include "scope.bpf.h"

/* Levels of a hierarchy that are looked through. */
#define TM_CGROUP_DEPTH 32

__attribute__((noinline)) bool scope__reaches(u64 address)
{
	struct cgroup *cgroup = (void *)address;

	for (int i = 0; i < TM_CGROUP_DEPTH && cgroup; i++) {
		if (scope__cgroup_id(cgroup) == tm_config.cgroup_id)
			return true;
		cgroup = BPF_CORE_READ(cgroup, self.parent, cgroup);
	}
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the names of cgroups (tmtrace/cgroup_name.h). The kernel makes and removes cgroups one at a
 * time (cgroup_mutex), so that the loader alone writes at the same time as these.
 */
#ifndef BPF_CGROUP_NAMES_BPF_H
#define BPF_CGROUP_NAMES_BPF_H

#include "scope.bpf.h"
#include "tmtrace/cgroup_name.h"

/* The element of a cgroup; NULL: it has none. Not inlined: it has a loop. */
static __attribute__((noinline)) struct tm_cgroup_name *cgroup_names__find(u64 id)
{
	for (u32 i = 0; i < TM_CGROUP_PLACES; i++) {
		u32 place = tm_cgroup_place(id, i);
		struct tm_cgroup_name *name = bpf_map_lookup_elem(&tm_cgroup_names, &place);

		if (name && name->id == id)
			return name;
	}
	return NULL;
}

/* One that is free, from now on taken; NULL: there is none where that cgroup may be. */
static __attribute__((noinline)) struct tm_cgroup_name *cgroup_names__claim(u64 id)
{
	for (u32 i = 0; i < TM_CGROUP_PLACES; i++) {
		u32 place = tm_cgroup_place(id, i);
		struct tm_cgroup_name *name = bpf_map_lookup_elem(&tm_cgroup_names, &place);

		if (name && !name->id &&
		    __sync_val_compare_and_swap(&name->id, 0, TM_CGROUP_CLAIMED) == 0)
			return name;
	}
	return NULL;
}

/* Users may have a part of the room. */
TM_INLINE bool cgroup_names__may_have(bool of_user)
{
	return !of_user || *(volatile u64 *)&tm_cgroup_names_of_users < TM_CGROUP_NAMES_OF_USERS;
}

TM_INLINE void cgroup_names__read(struct tm_cgroup_name *name, struct cgroup *cgroup)
{
	if (bpf_probe_read_kernel_str(name->name, sizeof(name->name),
				      BPF_CORE_READ(cgroup, kn, name)) < 0)
		name->name[0] = '\0';
}

/* A cgroup was made. */
TM_INLINE void cgroup_names__note(struct cgroup *cgroup)
{
	bool of_user = (u32)bpf_get_current_uid_gid() != 0;
	u64 id = scope__cgroup_id(cgroup);
	struct tm_cgroup_name *name;

	if (!tm_config.keep_names)
		return;
	name = cgroup_names__may_have(of_user) ? cgroup_names__claim(id) : NULL;
	if (!name) {
		__sync_fetch_and_add(&tm_cgroup_names_lost, 1);
		return;
	}
	name->parent = BPF_CORE_READ(cgroup, self.parent, cgroup, kn, id);
	name->made_ns = bpf_ktime_get_ns();
	name->gone_ns = 0;
	name->of_user = of_user;
	name->told[0] = '\0';
	name->step[0] = '\0';
	name->several_steps = 0;
	cgroup_names__read(name, cgroup);
	if (of_user)
		__sync_fetch_and_add(&tm_cgroup_names_of_users, 1);
	*(volatile u64 *)&name->id = id;
}

/* It got another name. */
TM_INLINE void cgroup_names__rename(struct cgroup *cgroup)
{
	struct tm_cgroup_name *name;

	name = tm_config.keep_names ? cgroup_names__find(scope__cgroup_id(cgroup)) : NULL;
	if (name)
		cgroup_names__read(name, cgroup);
}

/* It is gone: its name stays until the loader has no figures of it any more. */
TM_INLINE void cgroup_names__note_end(u64 id)
{
	struct tm_cgroup_name *name = tm_config.keep_names ? cgroup_names__find(id) : NULL;

	if (!name)
		return;
	name->gone_ns = bpf_ktime_get_ns();
	__sync_fetch_and_add(&tm_cgroup_names_gone, 1);
}

#endif

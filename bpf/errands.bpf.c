// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the loader wants changed in maps while it traces: it runs these programs for it. While a
 * task is in a system call on a map, the kernel runs no program at a kprobe on that processor
 * (bpf_disable_instrumentation()), and where it is preempted there, not for the next task either,
 * whose calls were missed. A program that is run so is not preempted (bpf_prog_test_run_raw_tp()).
 * They return what the map's operation does: 0 or a negative errno.
 */
#include "addb.bpf.h"
#include "env_maps.bpf.h"

#define KEY_WORDS 4
#define ENOSPC	  28

_Static_assert(sizeof(struct tm_key) == KEY_WORDS * sizeof(u64), "a key is that many arguments");
_Static_assert(sizeof(struct tm_object_key) == KEY_WORDS * sizeof(u64), "as is one of objects");

/* The entry of the key that the arguments are. */
TM_INLINE long forget(void *map, const u64 *args)
{
	const u64 key[KEY_WORDS] = { args[0], args[1], args[2], args[3] };

	return bpf_map_delete_elem(map, key);
}

/* The number that the first argument is may be used again. */
TM_INLINE long give_back(void *queue, const u64 *args)
{
	u32 number = args[0];

	return bpf_map_push_elem(queue, &number, BPF_ANY);
}

/* Its entry goes, unless the pid is another process's meanwhile. */
TM_INLINE long free_account(u64 freed)
{
	u32 number = freed >> 32, pid = freed;
	const u32 *found = bpf_map_lookup_elem(&tm_account_numbers, &pid);

	if (found && *found == number)
		bpf_map_delete_elem(&tm_account_numbers, &pid);
	return bpf_map_push_elem(&tm_free_accounts, &number, BPF_ANY);
}

/*
 * The accounts of those numbers (TM_FREED()) are empty, and the processes with those pids have them
 * no more; 0: no further ones. Arguments are read at offsets that are known beforehand.
 */
SEC("raw_tp")
int errand_free_accounts(const u64 *args)
{
	long rc = 0;

#pragma unroll
	for (int i = 0; i < TM_FREED_MAX; i++)
		if (!rc && args[i])
			rc = free_account(args[i]);
	return rc;
}

/* The series of that key has no slot any more. */
SEC("raw_tp")
int errand_forget_key(const u64 *args)
{
	return forget(&tm_slots, args);
}

/* There is to be a series of that key, in which the loader counts. */
SEC("raw_tp")
int errand_make_series(const u64 *args)
{
	u64 words[KEY_WORDS] = { args[0], args[1], args[2], args[3] };

	if (bpf_map_lookup_elem(&tm_slots, words))
		return 0;
	return series__create((struct tm_key *)words) == TM_NO_SLOT ? -ENOSPC : 0;
}

SEC("raw_tp")
int errand_free_slot(const u64 *args)
{
	return give_back(&tm_free_slots, args);
}

/* The same of files and objects. */
SEC("raw_tp")
int errand_forget_object(const u64 *args)
{
	return forget(&tm_object_slots, args);
}

SEC("raw_tp")
int errand_free_object(const u64 *args)
{
	return give_back(&tm_free_objects, args);
}

/* A probe that tells ADDB2 records comes back: what machines did meanwhile is not known. */
SEC("raw_tp")
int errand_forget_machines(const u64 *args)
{
	return addb__forget_machines();
}

/* That cgroup is of a job: nobody asks what the environment of its processes says. */
SEC("raw_tp")
int errand_job_cgroup(const u64 *args)
{
	u64 cgroup = args[0];
	u8 yes = 1;

	return bpf_map_update_elem(&tm_job_cgroups, &cgroup, &yes, BPF_ANY);
}

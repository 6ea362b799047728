// SPDX-License-Identifier: GPL-2.0-only
#include "session/missed.h"

/* What comes after the number in a note. */
struct amount {
	__u64 n;
	const char *what;
};

void missed__note(const struct kernel *kernel, struct note_list *notes)
{
	const struct amount all[] = {
		{ kernel__folded_series(kernel),
		  "times there was no room for a series of its job: others have what it counts; "
		  "--max-series makes room" },
		{ kernel__lost_environments(kernel),
		  "processes were started with an environment that is not known, and so neither "
		  "their job nor their rank" },
		{ kernel__lost_env_jobs(kernel, TM_ENV_CROWDED),
		  "processes of jobs that the environment names count for their cgroups: there "
		  "were too many at the same time" },
		{ kernel__lost_env_jobs(kernel, TM_ENV_UNREAD),
		  "processes count for their cgroups, whatever job their environment names: it "
		  "could not be read" },
		{ kernel__lost_env_jobs(kernel, TM_ENV_UNTIMED),
		  "threads' CPU time is not in that of the job that their environment names: the "
		  "kernel had no memory to note it" },
		{ kernel__lost_cgroups(kernel),
		  "times it was not seen that a cgroup came or went: there were too many at once; "
		  "paths and jobs of short ones may be missing" },
		{ kernel__lost_cgroup_names(kernel),
		  "cgroups were too many at once for their names to be kept: if they are gone when "
		  "the service is killed and started again, it does not know whose figures they "
		  "have" },
		{ kernel__missed(kernel, MISSED_BLOCK),
		  "block events were not seen: the kernel skips a BPF program that it has "
		  "interrupted on the same processor" },
		{ kernel__missed(kernel, MISSED_OPERATIONS),
		  "system calls were not seen: the kernel does not run a program that is under way "
		  "on the same CPU" },
		{ kernel__missed(kernel, MISSED_PROCESSES),
		  "forks, execs or ends of threads were not seen, so that what such a process does "
		  "may be of its parent's job: the kernel does not run a program that is under way "
		  "on the same CPU" },
		{ kernel__missed(kernel, MISSED_TIMES),
		  "system calls are missing in the times of calls of libraries around them: the "
		  "kernel does not run a program that is under way on the same CPU" },
		{ kernel__compat_calls(kernel),
		  "system calls of 32-bit programs are not in the figures" },
		{ kernel__lost_handles(kernel, TM_HANDLE_NO_ENTRY),
		  "times there was no room to note an object's name or size, or to count a call "
		  "by it: too many exist at the same time" },
		{ kernel__lost_handles(kernel, TM_HANDLE_UNREADABLE),
		  "times an object's handle, name or size could not be read" },
		{ kernel__lost_addb_sums(kernel, TM_ADDB_SUM_UNREADABLE),
		  "ADDB2 records are not in the sums over them: they could not be read" },
		{ kernel__lost_addb_sums(kernel, TM_ADDB_SUM_UNFOLLOWED),
		  "ADDB2 records of states are not in the sums over them: too many machines were "
		  "followed at the same time" },
		{ kernel__lost_addb_sums(kernel, TM_ADDB_SUM_NO_SLOT),
		  "times there was no room for a sum over ADDB2 records; --max-series makes room" },
		{ kernel__lost_addb_sums(kernel, TM_ADDB_SUM_NO_MEMORY),
		  "ADDB2 records are not in the sums over them: the kernel had no memory for "
		  "their thread" },
		{ kernel__lost_addb_sums(kernel, TM_ADDB_SUM_PARKED),
		  "state machines of ADDB2 records are not in the sums of the states that they "
		  "were "
		  "in while the probe of these records was parked" },
		{ kernel__stackless(kernel, TM_STACKLESS_ASYNC),
		  "calls were recorded without a stack: they were asynchronous, of no one thread" },
		{ kernel__stackless(kernel, TM_STACKLESS_MEMORY),
		  "calls were recorded without their stack: the kernel had no memory for it" },
	};

	if (kernel__folded(kernel))
		note_list__add(
			notes,
			"there was no room to tell all processes apart: what is of others is "
			"added up; --max-series makes room");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].n)
			note_list__add(notes, "%llu %s", all[i].n, all[i].what);
}

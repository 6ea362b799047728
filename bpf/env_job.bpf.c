// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which job a process is of by its environment. It is read here, when the program is executed: its
 * first operation counts for the job already, and /proc would be too late for a short one.
 */
#include "env_job.bpf.h"
#include "scope.bpf.h"

/* Variables that are looked at; longer ones count as several. */
#define VARIABLES 4096

struct reading {
	u64 at, end;
	struct tm_env_scratch *scratch;
	u32 kind;	/* the best that was found; TM_ENV_KINDS: none */
	bool is_inside; /* of a long one */
};

/* Eight characters as they lie in memory. */
#define WORD(a, b, c, d, e, f, g, h)                                                   \
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 | \
	 (u64)(f) << 40 | (u64)(g) << 48 | (u64)(h) << 56)
/* The first of eight. */
#define BYTES(word, n) ((word) & ((1ULL << 8 * (n)) - 1))

/* The kind of job that a variable names, and where its value begins; TM_ENV_KINDS: none. */
TM_INLINE u32 kind_of(const u64 text[2], u32 *value)
{
	u64 end = WORD('D', '=', 0, 0, 0, 0, 0, 0);

	if (text[0] == WORD('S', 'L', 'U', 'R', 'M', '_', 'J', 'O') &&
	    BYTES(text[1], 5) == WORD('B', '_', 'I', 'D', '=', 0, 0, 0)) {
		*value = 13;
		return TM_ENV_SLURM;
	}
	*value = 10;
	if (BYTES(text[1], 2) != end)
		return TM_ENV_KINDS;
	if (text[0] == WORD('P', 'B', 'S', '_', 'J', 'O', 'B', 'I'))
		return TM_ENV_PBS;
	if (text[0] == WORD('L', 'S', 'B', '_', 'J', 'O', 'B', 'I'))
		return TM_ENV_LSF;
	return TM_ENV_KINDS;
}

/* Takes the value; what is longer than a scheduler's is none. */
TM_INLINE void take_value(struct reading *reading, u32 kind, u32 value)
{
	char *jobid = reading->scratch->name.jobid;
	u64 *words = (u64 *)jobid;
	long n;

	for (u32 i = 0; i < TM_ENV_JOBID / sizeof(u64); i++)
		words[i] = 0;
	n = bpf_probe_read_user_str(jobid, TM_ENV_JOBID, (void *)(reading->at + value));
	/* The NUL counts. */
	if (n > 1 && n < TM_ENV_JOBID)
		reading->kind = kind;
}

static long read_variable(u32 i, struct reading *reading)
{
	struct tm_env_scratch *scratch = reading->scratch;
	u32 kind, value = 0;
	long n;

	if (!scratch || reading->at >= reading->end)
		return 1;
	n = bpf_probe_read_user_str(scratch->text, sizeof(scratch->text), (void *)reading->at);
	if (n <= 0)
		return 1;
	kind = reading->is_inside ? TM_ENV_KINDS : kind_of((const u64 *)scratch->text, &value);
	if (kind < reading->kind)
		take_value(reading, kind, value);
	/* One that just fits has its NUL left. */
	reading->is_inside = n == sizeof(scratch->text);
	reading->at += reading->is_inside ? n - 1 : n;
	return 0;
}

TM_INLINE struct tm_env_job *job_at(u64 job)
{
	u32 index = (u32)job;

	return tm_env_job_is(job) ? bpf_map_lookup_elem(&tm_env_jobs, &index) : NULL;
}

/* An index that nobody has; 0: there is none. */
TM_INLINE u32 take_index(void)
{
	u32 index = 0;

	if (!bpf_map_pop_elem(&tm_free_env_jobs, &index))
		return index;
	/* Without this, a full table would move the counter on and wrap it one day. */
	if (*(volatile u32 *)&tm_next_env_job >= TM_ENV_JOBS)
		return 0;
	index = __sync_fetch_and_add(&tm_next_env_job, 1);
	return index < TM_ENV_JOBS ? index : 0;
}

/* How many jobs a user has; NULL: no room for so many users. */
TM_INLINE u32 *share_of(u32 uid)
{
	u32 none = 0, *share = bpf_map_lookup_elem(&tm_env_users, &uid);

	if (share)
		return share;
	bpf_map_update_elem(&tm_env_users, &uid, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tm_env_users, &uid);
}

/* The number of the job of that name. */
static __attribute__((noinline)) u64 number_of(struct tm_env_name *name)
{
	u32 *found, *share, index;
	struct tm_env_job *job;

	if (!name)
		return TM_JOB_OTHERS;
	found = bpf_map_lookup_elem(&tm_env_names, name);
	if (found)
		return *found | TM_ENV_JOB_BIT;
	share = share_of(name->uid);
	if (!share || *(volatile u32 *)share >= TM_ENV_JOBS_OF_USER)
		return TM_JOB_OTHERS;
	index = take_index();
	job = index ? bpf_map_lookup_elem(&tm_env_jobs, &index) : NULL;
	if (!job)
		return TM_JOB_OTHERS;
	job->name = *name;
	job->live = 0;
	job->end_ns = 0;
	if (bpf_map_update_elem(&tm_env_names, name, &index, BPF_NOEXIST)) {
		/* Another CPU was faster. */
		bpf_map_push_elem(&tm_free_env_jobs, &index, BPF_ANY);
		found = bpf_map_lookup_elem(&tm_env_names, name);
		return found ? *found | TM_ENV_JOB_BIT : TM_JOB_OTHERS;
	}
	__sync_fetch_and_add(share, 1);
	asm volatile("" ::: "memory");
	job->state = 1;
	return index | TM_ENV_JOB_BIT;
}

static __attribute__((noinline)) int leave(u64 number)
{
	struct tm_env_job *job = job_at(number);

	if (job && __sync_fetch_and_add(&job->live, -1) == 1)
		job->end_ns = bpf_ktime_get_ns();
	return 0;
}

/* From now on a process is of that job. */
static __attribute__((noinline)) int join(u32 tgid, u64 number, u64 cgroup)
{
	struct tm_env_process process = { .job = number, .cgroup = cgroup };
	struct tm_env_job *job = job_at(number);

	/* Where there is no room, it is of its cgroup's job. */
	if (bpf_map_update_elem(&tm_env_processes, &tgid, &process, BPF_NOEXIST))
		return 0;
	if (job)
		__sync_fetch_and_add(&job->live, 1);
	__sync_fetch_and_add(&tm_env_members, 1);
	return 0;
}

/* The job that the current process's environment names; 0: none. */
TM_INLINE u64 named(struct task_struct *task, struct tm_env_scratch *scratch)
{
	struct reading reading = { .scratch = scratch, .kind = TM_ENV_KINDS };
	struct mm_struct *mm = task->mm;

	if (!mm)
		return 0;
	reading.at = BPF_CORE_READ(mm, env_start);
	reading.end = BPF_CORE_READ(mm, env_end);
	bpf_loop(VARIABLES, read_variable, &reading, 0);
	if (reading.kind >= TM_ENV_KINDS)
		return 0;
	scratch->name.cgroup = scope__cgroup();
	scratch->name.uid = BPF_CORE_READ(task, cred, uid.val);
	scratch->name.kind = reading.kind;
	return number_of(&scratch->name);
}

__attribute__((noinline)) int env_job__exec(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_env_scratch *scratch;
	u64 number, cgroup = scope__cgroup();
	u32 tgid = task->tgid;

	env_job__end(tgid);
	if (bpf_map_lookup_elem(&tm_job_cgroups, &cgroup))
		return 0;
	scratch =
		bpf_task_storage_get(&tm_env_scratches, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	number = scratch ? named(task, scratch) : 0;
	bpf_task_storage_delete(&tm_env_scratches, task);
	if (number)
		join(tgid, number, cgroup);
	return 0;
}

__attribute__((noinline)) int env_job__fork(u32 parent, u32 child)
{
	struct tm_env_process *process = bpf_map_lookup_elem(&tm_env_processes, &parent);

	if (process && !bpf_map_lookup_elem(&tm_env_processes, &child))
		join(child, process->job, process->cgroup);
	return 0;
}

__attribute__((noinline)) int env_job__end(u32 tgid)
{
	struct tm_env_process *process = bpf_map_lookup_elem(&tm_env_processes, &tgid);
	u64 number = process ? process->job : 0;

	if (process && !bpf_map_delete_elem(&tm_env_processes, &tgid)) {
		__sync_fetch_and_add(&tm_env_members, -1);
		leave(number);
	}
	return 0;
}

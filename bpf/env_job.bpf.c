// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which job a process is of by its environment. It is read here, when the program is executed: its
 * first operation counts for the job already, and /proc would be too late for a short one. Those
 * that ran before are looked for by env_walk.bpf.c.
 */
#include "env_job.bpf.h"
#include "env_text.bpf.h"
#include "exec.bpf.h"
#include "number.bpf.h"
#include "scope.bpf.h"
#include "series.bpf.h"
#include "task_io.bpf.h"

/* Tries to get a number while other processors take theirs. */
#define TRIES 2

struct reading {
	u64 at, end;
	struct tm_env_scratch *scratch;
	struct env_text text;
};

static long read_variable(u32 i, struct reading *reading)
{
	struct tm_env_scratch *scratch = reading->scratch;
	long n;

	if (!scratch || reading->at >= reading->end)
		return 1;
	n = bpf_probe_read_user_str(scratch->text, sizeof(scratch->text), (void *)reading->at);
	if (n <= 0) {
		ADD(tm_env_lost[TM_ENV_UNREAD], 1);
		return 1;
	}
	reading->at += env_text__look(&reading->text, scratch, n);
	return 0;
}

/* What the table has for one who wants a number. */
struct search {
	struct tm_env_scratch *scratch;
	u32 of_user; /* jobs that the user has */
	u32 free;    /* an index; 0: none */
	u64 sibling; /* the same job in another cgroup; 0: none */
};

/* Without branches: they would multiply what the verifier has to look at. */
TM_INLINE bool has_name(const struct tm_env_name *a, const struct tm_env_name *b)
{
	const u64 *left = (const u64 *)a->jobid, *right = (const u64 *)b->jobid;
	u64 other = a->kind ^ b->kind;

	for (u32 i = 0; i < TM_ENV_JOBID / sizeof(u64); i++)
		other |= left[i] ^ right[i];
	return !other;
}

static long look_at_job(u32 i, struct search *search)
{
	u32 index = i + 1;
	struct tm_env_job *job = bpf_map_lookup_elem(&tm_env_jobs, &index);
	const struct tm_env_name *name;

	if (!job || !search->scratch)
		return 1;
	if (*(volatile u32 *)&job->state == TM_ENV_FREE) {
		if (!search->free)
			search->free = index;
		return 0;
	}
	name = &search->scratch->name;
	if (job->name.uid != name->uid)
		return 0;
	search->of_user++;
	if (has_name(&job->name, name))
		search->sibling = tm_env_number(index, job->serial);
	return 0;
}

/* How much is told of it is as of the same job elsewhere, or of the job of its cgroup. */
TM_INLINE void inherit_details(u64 number, u64 sibling, u64 cgroup)
{
	struct tm_details *details;

	if (!*(volatile u32 *)&tm_any_job_detail)
		return;
	details = bpf_map_lookup_elem(&tm_job_details, &sibling);
	if (!details)
		details = bpf_map_lookup_elem(&tm_job_details, &cgroup);
	if (details)
		bpf_map_update_elem(&tm_job_details, &number, details, BPF_ANY);
}

/* Gives an element that was claimed its name; the job's number. */
TM_INLINE u64 take(struct tm_env_job *job, u32 index, struct tm_env_scratch *scratch, u64 start_ns)
{
	u64 number = tm_env_number(index, job->serial + 1), *found;

	job->name = scratch->name;
	job->serial++;
	job->start_ns = start_ns;
	job->end_ns = bpf_ktime_get_ns(); /* until somebody joins it */
	job->ended = job->running = (struct tm_env_usage){};
	job->live = 0;
	if (bpf_map_update_elem(&tm_env_names, &scratch->name, &number, BPF_NOEXIST)) {
		/* Another CPU was faster. */
		*(volatile u32 *)&job->state = TM_ENV_FREE;
		found = bpf_map_lookup_elem(&tm_env_names, &scratch->name);
		return found ? *found : 0;
	}
	/* x86 keeps stores in order; the barrier is for the compiler. */
	asm volatile("" ::: "memory");
	*(volatile u32 *)&job->state = TM_ENV_USED;
	return number;
}

/*
 * A number for the name in a scratch, 0: none. All are looked at, so that a user's share is what
 * the table has, whoever was killed when.
 */
static __attribute__((noinline)) u64 new_number(u64 start_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct search search = {
		.scratch = bpf_task_storage_get(&tm_env_scratches, task, NULL, 0),
	};
	u64 number, highest = *(volatile u64 *)&tm_env_highest;
	struct tm_env_job *job;

	if (!search.scratch)
		return 0;
	/* One more, which is free. */
	bpf_loop(highest + 1 < TM_ENV_JOBS - 1 ? highest + 1 : TM_ENV_JOBS - 1, look_at_job,
		 &search, 0);
	if (search.of_user >= TM_ENV_JOBS_OF_USER)
		return 0;
	atomic__max(&tm_env_highest, search.free);
	job = bpf_map_lookup_elem(&tm_env_jobs, &search.free);
	if (!job || !search.free || !search.scratch)
		return 0;
	if (__sync_val_compare_and_swap(&job->state, TM_ENV_FREE, TM_ENV_CLAIMED) != TM_ENV_FREE)
		return 0;
	number = take(job, search.free, search.scratch, start_ns);
	if (number)
		inherit_details(number, search.sibling, search.scratch->name.cgroup);
	return number;
}

__attribute__((noinline)) u64 env_job__number(u64 start_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_env_scratch *scratch = bpf_task_storage_get(&tm_env_scratches, task, NULL, 0);
	u64 number = 0, *found;

	if (!scratch)
		return 0;
	for (u32 i = 0; i < TRIES && !number; i++) {
		found = bpf_map_lookup_elem(&tm_env_names, &scratch->name);
		number = found ? *found : new_number(start_ns);
	}
	return number ?: tm_env_rest(scratch->name.cgroup);
}

TM_INLINE void end_one(u64 number)
{
	struct tm_env_job *job = env_job__at(number);

	if (job && __sync_fetch_and_add(&job->live, -1) == 1)
		job->end_ns = bpf_ktime_get_ns();
}

TM_INLINE void add_usage(struct tm_env_usage *sum, const struct tm_env_usage *used)
{
	ADD(sum->run_ns, used->run_ns);
	ADD(sum->user_ns, used->user_ns);
	ADD(sum->system_ns, used->system_ns);
}

/* What the current thread has used so far. */
TM_INLINE struct tm_env_usage usage_of(struct task_struct *task)
{
	return (struct tm_env_usage){
		.run_ns = task->se.sum_exec_runtime,
		.user_ns = task->utime,
		.system_ns = task->stime,
	};
}

/* Of one that ran before, what its threads used that are gone. */
TM_INLINE void add_gone(u64 address, u64 number)
{
	struct task_struct *task = (void *)address;
	struct tm_env_job *job = env_job__at(number);
	const struct tm_env_usage used = {
		.run_ns = BPF_CORE_READ(task, signal, sum_sched_runtime),
		.user_ns = BPF_CORE_READ(task, signal, utime),
		.system_ns = BPF_CORE_READ(task, signal, stime),
	};

	if (job)
		add_usage(&job->ended, &used);
}

__attribute__((noinline)) int env_job__join(u64 address, u64 number, u64 cgroup, u32 how)
{
	struct task_struct *task = (void *)address;
	u32 tgid = number__tgid_at(task);
	struct tm_env_process process = {
		.job = number,
		.cgroup = cgroup,
		.born_ns = BPF_CORE_READ(task, group_leader, start_time),
		.image = BPF_CORE_READ(task, self_exec_id),
	}, *old;
	struct tm_env_job *job = env_job__at(number);

	if (how == ENV_JOB_EXEC)
		process.before = usage_of(bpf_get_current_task_btf());
	old = bpf_map_lookup_elem(&tm_env_processes, &tgid);
	if (old && old->born_ns == process.born_ns)
		return 0;
	/* One that had the same pid, and whose end was not seen. */
	if (old)
		env_job__leave(tgid);
	if (job)
		ADD(job->live, 1);
	if (bpf_map_update_elem(&tm_env_processes, &tgid, &process, BPF_NOEXIST)) {
		/* Where there is no room, it is of its cgroup's job. */
		if (!bpf_map_lookup_elem(&tm_env_processes, &tgid))
			ADD(tm_env_lost[TM_ENV_CROWDED], 1);
		end_one(number);
		return 0;
	}
	ADD(tm_env_members, 1);
	if (how == ENV_JOB_FOUND)
		add_gone(address, number);
	return 1;
}

__attribute__((noinline)) int env_job__leave(u32 tgid)
{
	struct tm_env_process *process = bpf_map_lookup_elem(&tm_env_processes, &tgid);
	u64 number = process ? process->job : 0;

	if (process && !bpf_map_delete_elem(&tm_env_processes, &tgid)) {
		ADD(tm_env_members, -1);
		end_one(number);
	}
	return 0;
}

/* The job that the current process's environment names; 0: none. */
TM_INLINE u64 named(struct task_struct *task, struct tm_env_scratch *scratch, u64 cgroup)
{
	struct reading reading = { .scratch = scratch, .text.kind = TM_ENV_KINDS };
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	if (!mm)
		return 0;
	reading.at = BPF_CORE_READ(mm, env_start);
	reading.end = BPF_CORE_READ(mm, env_end);
	bpf_loop(ENV_VARIABLES, read_variable, &reading, 0);
	return env_job__named(scratch, task, cgroup, reading.text.kind, bpf_ktime_get_ns());
}

TM_INLINE struct tm_env_process *process_in(void *map, struct task_struct *task)
{
	u32 tgid = number__tgid(task);
	struct tm_env_process *process = bpf_map_lookup_elem(map, &tgid);

	/* As far as it is not another one that had the same pid. */
	return process && process->born_ns == BPF_CORE_READ(task, group_leader, start_time)
		       ? process
		       : NULL;
}

/* Whom the current process is of. */
TM_INLINE struct tm_env_process *process_of(struct task_struct *task)
{
	return process_in(&tm_env_processes, task);
}

/*
 * What the current thread has used in its process's job, until it ends or executes another program:
 * all but what the first one had used before.
 */
TM_INLINE void settle(struct task_struct *task, const struct tm_env_process *process)
{
	struct tm_env_job *job = env_job__at(process->job);
	struct tm_env_usage used = usage_of(task);

	if (task->pid == task->tgid) {
		used.run_ns -= process->before.run_ns;
		used.user_ns -= process->before.user_ns;
		used.system_ns -= process->before.system_ns;
	}
	if (job)
		add_usage(&job->ended, &used);
}

/* The current process leaves the job that it was of, and joins the one that it names now. */
TM_INLINE void follow_exec(struct task_struct *task)
{
	struct tm_env_process *process = process_of(task);
	struct tm_env_scratch *scratch;
	u64 number, cgroup = scope__cgroup();

	if (process)
		settle(task, process);
	env_job__leave(number__tgid(task));
	if (!scope__holds() || bpf_map_lookup_elem(&tm_job_cgroups, &cgroup))
		return;
	scratch =
		bpf_task_storage_get(&tm_env_scratches, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!scratch)
		ADD(tm_env_lost[TM_ENV_UNREAD], 1);
	number = scratch ? named(task, scratch, cgroup) : 0;
	bpf_task_storage_delete(&tm_env_scratches, task);
	if (number)
		env_job__join(bpf_get_current_task(), number, cgroup, ENV_JOB_EXEC);
}

__attribute__((noinline)) int env_job__exec(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (exec__is_followed(task, TM_EXEC_JOB))
		return 0;
	exec__note_followed(task, TM_EXEC_JOB);
	follow_exec(task);
	return task_io__exec();
}

__attribute__((noinline)) int env_job__fork(u64 child)
{
	struct tm_env_process *process;

	if (!*(volatile u32 *)&tm_env_members)
		return 0;
	process = process_of(bpf_get_current_task_btf());
	if (process)
		env_job__join(child, process->job, process->cgroup, ENV_JOB_FORK);
	return 0;
}

/*
 * The kernel counts a thread as ended some time before it tells so: another one, which was told
 * that it has (pthread_join(3)), may end the process in between.
 */
TM_INLINE void keep_late(struct task_struct *task, const struct tm_env_process *process)
{
	u32 tgid = number__tgid(task);

	if (BPF_CORE_READ(task, signal, nr_threads) < 2)
		return;
	bpf_map_update_elem(&tm_env_late, &tgid, process, BPF_ANY);
	tm_any_env_late = true;
}

__attribute__((noinline)) int env_job__exit(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_env_process *process = NULL;
	bool is_late = false;
	struct tm_env_end *end;

	if (*(volatile u32 *)&tm_env_members)
		process = process_of(task);
	if (!process && *(volatile bool *)&tm_any_env_late) {
		process = process_in(&tm_env_late, task);
		is_late = true;
	}
	if (!process)
		return 0;
	end = bpf_task_storage_get(&tm_env_ends, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!end)
		ADD(tm_env_lost[TM_ENV_UNTIMED], 1);
	if (end && !end->job) {
		settle(task, process);
		end->used = usage_of(task);
		end->job = process->job;
	}
	if (BPF_CORE_READ(task, signal, live.counter) == 0 && !is_late) {
		keep_late(task, process);
		env_job__leave(number__tgid(task));
	}
	return 0;
}

/*
 * What a thread has used of its last tick, and of its end, is known when it is gone for good: that
 * of a first thread when its parent has asked for it.
 */
SEC("tp_btf/sched_process_free")
int BPF_PROG(env_gone, struct task_struct *task)
{
	struct tm_env_end *end = bpf_task_storage_get(&tm_env_ends, task, NULL, 0);
	struct tm_env_job *job = end ? env_job__at(end->job) : NULL;
	struct tm_env_usage used = usage_of(task);

	if (!job)
		return 0;
	used.run_ns -= end->used.run_ns;
	used.user_ns -= end->used.user_ns;
	used.system_ns -= end->used.system_ns;
	add_usage(&job->ended, &used);
	return 0;
}

/*
 * Once more: a kernel that preempts programs at tracepoints (7.x) does not run the one for another
 * task meanwhile, and the job would never be over.
 */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(env_exit_again, struct task_struct *task)
{
	/* Else where they are, after they noted whose job it was. */
	if (!tm_config.accounts)
		env_job__exit();
	return 0;
}

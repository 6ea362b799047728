// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts of processes: one is opened when a process is forked, or first seen, and closed when its
 * last thread ends, whatever ended it. The loader tells those that are closed, and gives their
 * numbers back. The programs here are loaded only where accounts are kept.
 */
#include "account.bpf.h"
#include "env_job.bpf.h"
#include "environment.bpf.h"
#include "exec.bpf.h"
#include "number.bpf.h"
#include "path.bpf.h"
#include "ring.bpf.h"
#include "scope.bpf.h"
#include "thread.bpf.h"

#define PF_EXITING 0x00000004 /* linux/sched.h */
#define PF_KTHREAD 0x00200000

#define TASK_DEAD 0x00000080 /* linux/sched.h */

#define SIGNAL_GROUP_EXIT 0x00000004 /* linux/sched/signal.h */

TM_INLINE struct tm_account *account_at(u32 number)
{
	return bpf_map_lookup_elem(&tm_accounts, &number);
}

/* Nothing is kept of those that run before the counting, for a trial, or after it. */
TM_INLINE bool is_off(void)
{
	return *(volatile u32 *)&tm_trial || *(volatile u32 *)&tm_stopped;
}

/* Closes an account that is open: from here on it is the loader's. */
TM_INLINE void close(struct tm_account *account, u32 status)
{
	account->status = status;
	account->end_ns = bpf_ktime_get_ns();
	/* x86 keeps stores in order; the barrier is for the compiler. */
	asm volatile("" ::: "memory");
	account->state = TM_ACCOUNT_ENDED;
	ADD(tm_accounts_ended, 1);
}

/*
 * The number of the account of a task's process; 0: it has none. That of a process which had the
 * same pid before, and whose end was not seen, is closed.
 */
static __attribute__((noinline)) u32 find_account(u64 address)
{
	struct task_struct *task = (void *)address;
	u32 tgid = number__tgid_at_here(task);
	u32 *found = bpf_map_lookup_elem(&tm_account_numbers, &tgid), number;
	struct tm_account *account;

	if (!found)
		return 0;
	number = *found;
	account = account_at(number);
	if (!account)
		return 0;
	if (number == TM_ACCOUNT_OTHERS ||
	    account->born_ns == BPF_CORE_READ(task, group_leader, start_time))
		return number;
	if (account->state == TM_ACCOUNT_LIVE)
		close(account, TM_ACCOUNT_UNSEEN);
	bpf_map_delete_elem(&tm_account_numbers, &tgid);
	return 0;
}

/* A number that nobody has: one that was given back, or one never used. */
static __attribute__((noinline)) u32 take_number(void)
{
	u32 number = 0;

	if (!bpf_map_pop_elem(&tm_free_accounts, &number))
		return number;
	/* Without this, a full table would move the counter on and wrap it one day. */
	if (*(volatile u32 *)&tm_next_account >= tm_config.accounts)
		return TM_ACCOUNT_OTHERS;
	number = __sync_fetch_and_add(&tm_next_account, 1);
	return number < tm_config.accounts ? number : TM_ACCOUNT_OTHERS;
}

/* What may change while it lives. */
TM_INLINE void describe(struct tm_account *account, struct task_struct *task)
{
	BPF_CORE_READ_STR_INTO(&account->comm, task, group_leader, comm);
	account->uid = BPF_CORE_READ(task, cred, uid.val);
	account->job = scope__job();
}

/* An account for the process of a task, whose current thread opens it. */
static __attribute__((noinline)) u32 create_account(u64 address)
{
	struct task_struct *task = (void *)address;
	u32 number = take_number(), tgid;
	struct tm_account *account = account_at(number);

	if (!account)
		return 0;
	tgid = number__tgid_at(task);
	if (number != TM_ACCOUNT_OTHERS) {
		account->pid = tgid;
		account->ppid = number__parent_at(task);
		account->born_ns = BPF_CORE_READ(task, group_leader, start_time);
		account->start_ns = account->born_ns;
		account->user_ns = BPF_CORE_READ(task, signal, utime);
		account->system_ns = BPF_CORE_READ(task, signal, stime);
		account->run_ns = BPF_CORE_READ(task, signal, sum_sched_runtime);
		describe(account, task);
	}
	if (bpf_map_update_elem(&tm_account_numbers, &tgid, &number, BPF_NOEXIST)) {
		/* Another thread was faster, or there is no room. */
		if (number != TM_ACCOUNT_OTHERS)
			bpf_map_push_elem(&tm_free_accounts, &number, BPF_ANY);
		return find_account(address);
	}
	if (number == TM_ACCOUNT_OTHERS)
		ADD(tm_accounts_folded, 1);
	asm volatile("" ::: "memory");
	account->state = TM_ACCOUNT_LIVE;
	return number;
}

static long walk_up(u32 i, struct path_walk *walk)
{
	enum path_step step = path__step(walk);
	struct tm_account *account;

	if (step != PATH_NAME)
		return step;
	account = account_at(walk->slot);
	return path__copy(walk, account ? &account->program : NULL);
}

/* Notes what the current process executes. */
static __attribute__((noinline)) int note_program(u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct file *file = BPF_CORE_READ(task, mm, exe_file);
	struct tm_account *account = account_at(number);
	struct path_walk walk = { .slot = number };

	if (!account || !file || number == TM_ACCOUNT_OTHERS)
		return 0;
	path__begin(&walk, file);
	bpf_loop(PATH_PARTS, walk_up, &walk, 0);
	path__end(&walk, &account->program);
	account->is_cut = !walk.is_whole;
	return 0;
}

/* The loader looks twice a second, and when an eighth of the ring has come. */
static long send_piece(u32 i, struct environment *environment)
{
	u64 step = bpf_ringbuf_query(&tm_account_environments, BPF_RB_RING_SIZE) / 8;

	return environment__send(
		&tm_account_environments, i, environment,
		ring__wakeup(&tm_account_environments, step, sizeof(struct tm_environment)));
}

/* Notes what the current process was started with. */
static __attribute__((noinline)) int note_environment(u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_account *account = account_at(number);
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct environment environment = {};

	if (!account || !mm || number == TM_ACCOUNT_OTHERS)
		return 0;
	environment.id = __sync_fetch_and_add(&tm_account_environment, 1) + 1;
	account->environment = environment.id;
	if (environment__begin(&environment, mm))
		bpf_loop(environment__pieces(&environment), send_piece, &environment, 0);
	return 0;
}

__attribute__((noinline)) u32 account__number(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 number;

	if (is_off())
		return 0;
	number = find_account((u64)task);
	if (number || task->flags & (PF_EXITING | PF_KTHREAD))
		return number;
	return create_account((u64)task);
}

__attribute__((noinline)) u32 account__meet(void)
{
	u32 number = account__number();
	struct tm_account *account = account_at(number);

	if (account && !account->program.text[0]) {
		note_program(number);
		note_environment(number);
	}
	return number;
}

__attribute__((noinline)) int account__count_call(u32 probe, u64 ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_stack *stack = thread__find_stack_of(task);
	struct tm_thread *thread = thread__get_of(task);
	struct tm_probe *called = bpf_map_lookup_elem(&tm_probes, &probe);
	struct tm_account *account;
	u32 depth = 0;
	u16 around = 0;
	u64 place; /* 64 bits, as above */

	if (!called || !thread)
		return 0;
	if (stack)
		depth = stack->depth - (ns != 0);
	if (stack && depth)
		around = account__layers(stack, depth - 1);
	place = (u64)called->layer - TM_LAYER_USER;
	if (place >= TM_ACCOUNT_LAYERS || around & account__bit(called->layer))
		return 0;
	account = account__of(thread);
	if (!account)
		return 0;
	TM_PIN(place);
	if (place >= TM_ACCOUNT_LAYERS)
		return 0;
	if (ns)
		ADD(account->sums.layers[place].ns, ns);
	else
		ADD(account->sums.layers[place].count, 1);
	return 0;
}

/* A child executes what its parent does, in the same environment. */
TM_INLINE void inherit(u32 from, u32 to)
{
	struct tm_account *parent = account_at(from), *child = account_at(to);

	if (!parent || !child || from == TM_ACCOUNT_OTHERS || to == TM_ACCOUNT_OTHERS)
		return;
	bpf_probe_read_kernel(&child->program, sizeof(child->program), &parent->program);
	child->is_cut = parent->is_cut;
	child->environment = parent->environment;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(account_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 own, number;

	if (is_off() || child->flags & PF_KTHREAD || !scope__holds())
		return 0;
	own = account__meet();
	if (child->tgid == parent->tgid || find_account((u64)child))
		return 0;
	number = create_account((u64)child);
	inherit(own, number);
	return 0;
}

/*
 * The account goes on. Who is a child of the tracer itself, the command of the command line, has
 * waited until now.
 */
TM_INLINE void follow_exec(struct task_struct *task)
{
	struct tm_account *account;
	bool known;
	u32 number;

	env_job__exec();
	if (is_off() || !scope__holds())
		return;
	known = find_account((u64)task);
	number = account__number();
	account = account_at(number);
	if (!account || number == TM_ACCOUNT_OTHERS)
		return;
	note_program(number);
	note_environment(number);
	if (known) {
		describe(account, task);
	} else if (account->ppid == tm_self_tgid) {
		account->start_ns = bpf_ktime_get_ns();
	}
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(account_exec, struct task_struct *task)
{
	follow_exec(task);
	exec__note_followed(task, TM_EXEC_ACCOUNT);
	return 0;
}

/*
 * Once more: a kernel that preempts programs at tracepoints (7.x) does not run the one for another
 * task meanwhile, and the new program would count for its parent's job.
 */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(account_exec_again, struct task_struct *task)
{
	if (!exec__is_followed(task, TM_EXEC_ACCOUNT))
		follow_exec(task);
	return 0;
}

/* As wait4() tells it: that of the whole process where it ended as a whole, else its leader's. */
TM_INLINE u32 status_of(struct task_struct *task)
{
	if (BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT)
		return BPF_CORE_READ(task, signal, group_exit_code);
	return BPF_CORE_READ(task, group_leader, exit_code);
}

static __attribute__((noinline)) int end_process(u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_account *account = account_at(number);

	if (!account || account->state != TM_ACCOUNT_LIVE)
		return 0;
	describe(account, task);
	account->max_rss_pages = BPF_CORE_READ(task, signal, maxrss);
	account->was_oom = BPF_CORE_READ(task, signal, oom_mm) != NULL;
	close(account, status_of(task));
	return 0;
}

/* So much of the current thread, which ends, is in its account. */
TM_INLINE int note_end(struct task_struct *task)
{
	struct tm_thread *thread = thread__get_of(task);

	if (!thread)
		return 0;
	thread->ended_user_ns = task->utime;
	thread->ended_system_ns = task->stime;
	thread->ended_run_ns = task->se.sum_exec_runtime ?: 1;
	return 0;
}

/* What the current thread has used until its end, in the account of its process. */
static __attribute__((noinline)) int end_thread(u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_account *account = account_at(number);

	if (!account)
		return 0;
	ADD(account->threads, 1);
	ADD(account->user_ns, task->utime);
	ADD(account->system_ns, task->stime);
	ADD(account->run_ns, task->se.sum_exec_runtime);
	return note_end(task);
}

/* What a thread has used of its last tick is told when it leaves the processor for good. */
static __attribute__((noinline)) int add_rest(u64 address, u32 number)
{
	struct task_struct *task = (void *)address;
	struct tm_thread *thread = thread__find_of(bpf_get_current_task_btf());
	struct tm_account *account = account_at(number);

	if (!account || !thread || !thread->ended_run_ns)
		return 0;
	ADD(account->user_ns, BPF_CORE_READ(task, utime) - thread->ended_user_ns);
	ADD(account->system_ns, BPF_CORE_READ(task, stime) - thread->ended_system_ns);
	ADD(account->run_ns, BPF_CORE_READ(task, se.sum_exec_runtime) - thread->ended_run_ns);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(account_rest, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	u32 number;

	if (!(prev_state & TASK_DEAD) || is_off())
		return 0;
	number = find_account((u64)prev);
	if (number && number != TM_ACCOUNT_OTHERS)
		add_rest((u64)prev, number);
	return 0;
}

TM_INLINE void follow_exit(struct task_struct *task)
{
	struct tm_thread *thread = thread__find_of(task);
	bool is_last = BPF_CORE_READ(task, signal, live.counter) == 0;
	u32 number, tgid = number__tgid(task);

	if (is_off() || task->flags & PF_KTHREAD)
		return;
	number = find_account((u64)task);
	/* One that has counted is told already; this thread is late. */
	if (!number && !(thread && thread->account) && scope__holds())
		number = create_account((u64)task);
	if (!number)
		return;
	if (number == TM_ACCOUNT_OTHERS) {
		if (is_last)
			bpf_map_delete_elem(&tm_account_numbers, &tgid);
		return;
	}
	end_thread(number);
	if (is_last)
		end_process(number);
}

/* A thread has ended, the last one or not. What it had to count is counted. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(account_exit, struct task_struct *task)
{
	follow_exit(task);
	env_job__exit();
	return 0;
}

/* Once more, as above: the process would seem to live. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(account_exit_again, struct task_struct *task)
{
	struct tm_account *account = NULL;
	u32 number = 0;

	if (!is_off() && !(task->flags & PF_KTHREAD) &&
	    BPF_CORE_READ(task, signal, live.counter) == 0)
		number = find_account((u64)task);
	if (number && number != TM_ACCOUNT_OTHERS)
		account = account_at(number);
	if (account && account->state == TM_ACCOUNT_LIVE) {
		end_thread(number);
		end_process(number);
	}
	env_job__exit();
	return 0;
}

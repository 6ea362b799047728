// SPDX-License-Identifier: GPL-2.0-only
#include "series.bpf.h"
#include "task_io.bpf.h"

#define PF_EXITING 0x00000004 /* linux/sched.h */
#define PF_KTHREAD 0x00200000

/* Another one that moves a mark meanwhile has moved it as far, or nearly: a few tries suffice. */
#define TRIES 4
/* Threads of a process that are told apart when it is moved. */
#define THREADS_MAX 4096

__attribute__((noinline)) u64 task_io__job_of(u64 address)
{
	struct task_struct *task = (void *)address;
	u32 tgid = number__tgid_at(task);
	struct tm_env_process *process;
	u64 cgroup;

	if (!scope__holds_any(task))
		return 0;
	cgroup = scope__cgroup_id_of(task);
	if (!*(volatile u32 *)&tm_env_members)
		return cgroup;
	process = bpf_map_lookup_elem(&tm_env_processes, &tgid);
	return process && process->cgroup == cgroup &&
			       process->born_ns == BPF_CORE_READ(task, group_leader, start_time)
		       ? process->job
		       : cgroup;
}

TM_INLINE void read_counts(struct task_struct *task, struct tm_task_io *io)
{
	if (!TASK_IO_HAS_CALLS)
		return;
	io->count[TM_TASK_IO_RCHAR] = task->ioac.rchar;
	io->count[TM_TASK_IO_WCHAR] = task->ioac.wchar;
	io->count[TM_TASK_IO_SYSCR] = task->ioac.syscr;
	io->count[TM_TASK_IO_SYSCW] = task->ioac.syscw;
	if (!TASK_IO_HAS_STORAGE)
		return;
	io->count[TM_TASK_IO_READ_BYTES] = task->ioac.read_bytes;
	io->count[TM_TASK_IO_WRITE_BYTES] = task->ioac.write_bytes;
	io->count[TM_TASK_IO_CANCELLED_BYTES] = task->ioac.cancelled_write_bytes;
}

/* The same by any pointer. */
TM_INLINE void read_counts_at(struct task_struct *task, struct tm_task_io *io)
{
	if (!TASK_IO_HAS_CALLS)
		return;
	io->count[TM_TASK_IO_RCHAR] = BPF_CORE_READ(task, ioac.rchar);
	io->count[TM_TASK_IO_WCHAR] = BPF_CORE_READ(task, ioac.wchar);
	io->count[TM_TASK_IO_SYSCR] = BPF_CORE_READ(task, ioac.syscr);
	io->count[TM_TASK_IO_SYSCW] = BPF_CORE_READ(task, ioac.syscw);
	if (!TASK_IO_HAS_STORAGE)
		return;
	io->count[TM_TASK_IO_READ_BYTES] = BPF_CORE_READ(task, ioac.read_bytes);
	io->count[TM_TASK_IO_WRITE_BYTES] = BPF_CORE_READ(task, ioac.write_bytes);
	io->count[TM_TASK_IO_CANCELLED_BYTES] = BPF_CORE_READ(task, ioac.cancelled_write_bytes);
}

/* All counts only grow, and so does their sum: it is looked at without a branch for each. */
TM_INLINE bool has_moved(const struct tm_task_io_mark *mark, const struct tm_task_io *io)
{
	u64 by = 0;

	for (int i = 0; i < TM_TASK_IO_COUNTS; i++)
		by += io->count[i] - *(volatile u64 *)&mark->seen.count[i];
	return by;
}

TM_INLINE bool is_nothing(const struct tm_task_io *io)
{
	u64 all = 0;

	for (int i = 0; i < TM_TASK_IO_COUNTS; i++)
		all |= io->count[i];
	return !all;
}

/* Moves one mark as far as the count is; how far that was. */
TM_INLINE u64 advance(u64 *mark, u64 count)
{
	u64 old = *(volatile u64 *)mark, seen;

	for (int i = 0; i < TRIES && count > old; i++) {
		seen = __sync_val_compare_and_swap(mark, old, count);
		if (seen == old)
			return count - old;
		old = seen;
	}
	return 0;
}

/* All processors count into one slot: it is rare. TM_NO_SLOT: the table is full. */
TM_INLINE u32 slot_of(u64 job)
{
	struct tm_key key = { .job = job, .layer = TM_LAYER_VFS, .flags = TM_KEY_TASK_IO };
	u32 *slot = bpf_map_lookup_elem(&tm_slots, &key);

	return slot ? *slot : series__create(&key);
}

TM_INLINE struct tm_account *account_of(u32 tgid)
{
	u32 *number;

	if (!tm_config.accounts)
		return NULL;
	number = bpf_map_lookup_elem(&tm_account_numbers, &tgid);
	return number ? bpf_map_lookup_elem(&tm_accounts, number) : NULL;
}

/* What a thread has done goes there. */
struct settling {
	struct tm_task_io_mark *mark;
	const struct tm_task_io *io;
	struct tm_series *series;   /* NULL: to nobody */
	struct tm_account *account; /* NULL: no process has one */
};

TM_INLINE void add_missed(struct settling *settling, enum tm_missed missed, u64 more)
{
	if (settling->series)
		ADD(*series__missed(settling->series, missed), more);
	if (settling->account)
		ADD(settling->account->sums.missed[missed], more);
}

/* Some operations on files are not counted now: of these, what is counted is a sample of it. */
TM_INLINE void miss(struct settling *settling, u32 count, u64 more)
{
	u64 missing = *(volatile u64 *)&tm_task_io.missing;

	if (count == TM_TASK_IO_RCHAR && missing & TM_MISSING_READS)
		add_missed(settling, TM_MISSED_RCHAR, more);
	if (count == TM_TASK_IO_SYSCR && missing & TM_MISSING_READS)
		add_missed(settling, TM_MISSED_SYSCR, more);
	if (count == TM_TASK_IO_WCHAR && missing & TM_MISSING_WRITES)
		add_missed(settling, TM_MISSED_WCHAR, more);
	if (count == TM_TASK_IO_SYSCW && missing & TM_MISSING_WRITES)
		add_missed(settling, TM_MISSED_SYSCW, more);
	if ((count == TM_TASK_IO_SYSCR || count == TM_TASK_IO_SYSCW) && missing & TM_MISSING_OTHERS)
		add_missed(settling, TM_MISSED_CALLS, more);
}

/* One count of it. In a loop of the kernel's, whose body the verifier looks at once. */
static long settle_count(u32 i, struct settling *settling)
{
	u64 more;

	if (i >= TM_TASK_IO_COUNTS || !settling->mark || !settling->io)
		return 1;
	more = advance(&settling->mark->seen.count[i], settling->io->count[i]);
	if (!more)
		return 0;
	if (settling->series)
		ADD(*series__task_io(settling->series, i), more);
	if (settling->account)
		ADD(settling->account->sums.task_io.count[i], more);
	if (*(volatile u64 *)&tm_task_io.missing)
		miss(settling, i, more);
	return 0;
}

/*
 * What came since the mark was moved last is of that job, 0: of nobody's. Where there is no room
 * for it, the mark stays, and it is tried again when the thread is met again.
 */
__attribute__((noinline)) int task_io__settle(struct tm_task_io_mark *mark,
					      const struct tm_task_io *io, u64 job, u32 tgid,
					      bool ends)
{
	struct settling settling = { .mark = mark, .io = io };

	if (!mark || !io || !has_moved(mark, io))
		return 0;
	if (job)
		settling.series = series__at(slot_of(job));
	if (job && !settling.series) {
		if (ends)
			ADD(tm_task_io.lost[TM_TASK_IO_NO_ROOM], 1);
		return 0;
	}
	if (job)
		settling.account = account_of(tgid);
	bpf_loop(TM_TASK_IO_COUNTS, settle_count, &settling, 0);
	return 0;
}

/* Its process was moved meanwhile: what it had done by then was for the job that it was of. */
__attribute__((noinline)) int task_io__catch_up(struct tm_task_io_mark *mark, u64 address)
{
	struct task_struct *task = (void *)address;
	u32 thread = BPF_CORE_READ(task, pid);
	struct tm_task_io_move *move = bpf_map_lookup_elem(&tm_task_io_moves, &thread);

	if (!move || !mark)
		return 0;
	if (move->born_ns == BPF_CORE_READ(task, start_time)) {
		task_io__settle(mark, &move->seen, move->before, number__tgid_at(task), false);
		*(volatile u64 *)&mark->job = move->job;
	}
	if (!bpf_map_delete_elem(&tm_task_io_moves, &thread))
		ADD(tm_task_io.n_moves, -1);
	return 0;
}

/*
 * The mark of a thread that has none. One that ran before the counting has it where it is now. So
 * has one that comes into a traced cgroup; but its children are met before they do anything.
 */
static __attribute__((noinline)) struct tm_task_io_mark *make_mark(struct task_struct *task,
								   const struct tm_task_io *io,
								   bool arrives)
{
	struct tm_task_io_mark mark = { .job = task_io__job_of(task_io__address(task)) };

	if (!mark.job)
		return NULL;
	if (arrives || task->start_time < tm_task_io.since_ns)
		mark.seen = *io;
	return bpf_task_storage_get(&tm_task_io_marks, task, &mark, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* What a thread that has a mark has by now is its job's. */
TM_INLINE void bring_up(struct task_struct *task, struct tm_task_io_mark *mark,
			const struct tm_task_io *io, bool ends)
{
	if (*(volatile u64 *)&tm_task_io.n_moves)
		task_io__catch_up(mark, task_io__address(task));
	task_io__settle(mark, io, *(volatile u64 *)&mark->job, number__tgid(task), ends);
}

/* A thread is met: its mark, which it gets if it has none; NULL: it is not traced. */
TM_INLINE struct tm_task_io_mark *meet(struct task_struct *task, bool ends)
{
	struct tm_task_io_mark *mark = bpf_task_storage_get(&tm_task_io_marks, task, NULL, 0);
	struct tm_task_io io = {};

	read_counts(task, &io);
	if (!mark)
		mark = make_mark(task, &io, false);
	if (mark)
		bring_up(task, mark, &io, ends);
	return mark;
}

/* It is of the job that it is in now, unless another one has said so meanwhile. */
TM_INLINE void choose_job(struct task_struct *task, struct tm_task_io_mark *mark)
{
	u64 before = *(volatile u64 *)&mark->job, now = task_io__job_of(task_io__address(task));

	if (now != before)
		__sync_val_compare_and_swap(&mark->job, before, now);
}

__attribute__((noinline)) int task_io__exec(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_task_io_mark *mark;

	if (task_io__is_off())
		return 0;
	mark = meet(task, false);
	if (mark)
		choose_job(task, mark);
	return 0;
}

/* Has it done anything since the counting began, and is it to be told? */
TM_INLINE bool is_missing(struct task_struct *task)
{
	struct tm_task_io io = {};

	read_counts(task, &io);
	return !is_nothing(&io) && task->start_time >= tm_task_io.since_ns &&
	       scope__holds_any(task);
}

__attribute__((noinline)) int task_io__exit(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task_io__is_off() || task->flags & PF_KTHREAD)
		return 0;
	if (!meet(task, true) && is_missing(task))
		ADD(tm_task_io.lost[TM_TASK_IO_NO_MARK], 1);
	return 0;
}

/* Once more: a kernel that preempts programs at tracepoints (7.x) may not have run the other. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_io_exit_again, struct task_struct *task)
{
	return task_io__exit();
}

/*
 * What a thread does at its end, such as giving back files that were removed, is known now; and all
 * of one whose end was not seen. Up to 6.1 no storage can be had where this interrupts somebody who
 * is looking into his (bpf_task_storage_trylock()): then it is done without.
 */
SEC("tp_btf/sched_process_free")
int BPF_PROG(task_io_gone, struct task_struct *task)
{
	if (!task_io__is_off() && !(task->flags & PF_KTHREAD))
		meet(task, false);
	return 0;
}

/* Once more, as above. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(task_io_gone_again, struct task_struct *task)
{
	if (!task_io__is_off() && !(task->flags & PF_KTHREAD))
		meet(task, false);
	return 0;
}

/* Going through the threads of a process that was moved. */
struct threads {
	u64 head, at; /* of the list */
	u64 first;    /* the one that is known by the tracepoint */
	u64 before, job;
};

TM_INLINE void note_thread(struct task_struct *task, const struct threads *threads)
{
	struct tm_task_io_move move = { .before = threads->before, .job = threads->job }, *old;
	u32 thread = BPF_CORE_READ(task, pid);

	move.born_ns = BPF_CORE_READ(task, start_time);
	read_counts_at(task, &move.seen);
	if (!bpf_map_update_elem(&tm_task_io_moves, &thread, &move, BPF_NOEXIST)) {
		ADD(tm_task_io.n_moves, 1);
		return;
	}
	/* It was moved before, and not met since; or there is no room. */
	old = bpf_map_lookup_elem(&tm_task_io_moves, &thread);
	if (old && old->born_ns != move.born_ns) {
		*old = move; /* of a thread that is gone */
		return;
	}
	if (old)
		old->job = move.job;
	ADD(tm_task_io.lost[TM_TASK_IO_UNSPLIT], 1);
}

static long visit_thread(u32 i, struct threads *threads)
{
	struct list_head *node = (void *)threads->at;
	struct task_struct *task;

	if (!node || threads->at == threads->head)
		return 1;
	task = (void *)(threads->at - bpf_core_field_offset(struct task_struct, thread_node));
	if ((u64)task != threads->first)
		note_thread(task, threads);
	threads->at = (u64)BPF_CORE_READ(node, next);
	return 0;
}

/*
 * The threads of a process but the one that the kernel tells of: no program may reach their marks
 * by a pointer that it has followed. What they have by now is noted until they are met.
 */
static __attribute__((noinline)) int note_threads(u64 address, u64 before, u64 job)
{
	struct task_struct *task = (void *)address;
	struct signal_struct *signal = BPF_CORE_READ(task, signal);
	struct threads threads = {
		.head = (u64)signal + bpf_core_field_offset(struct signal_struct, thread_head),
		.first = address,
		.before = before,
		.job = job,
	};

	if (BPF_CORE_READ(signal, nr_threads) < 2)
		return 0;
	threads.at = (u64)BPF_CORE_READ(signal, thread_head.next);
	bpf_loop(THREADS_MAX, visit_thread, &threads, 0);
	if (threads.at != threads.head)
		ADD(tm_task_io.lost[TM_TASK_IO_UNSPLIT], 1);
	return 0;
}

/* A thread is in another cgroup. */
TM_INLINE void follow_move(struct task_struct *task, bool whole_process)
{
	struct tm_task_io_mark *mark = bpf_task_storage_get(&tm_task_io_marks, task, NULL, 0);
	u64 job, before = mark ? *(volatile u64 *)&mark->job : 0;
	struct tm_task_io io = {};

	if (mark) {
		mark = meet(task, false);
	} else {
		read_counts(task, &io);
		mark = make_mark(task, &io, tm_config.scope == TM_SCOPE_CGROUP);
	}
	job = task_io__job_of(task_io__address(task));
	if (job == before)
		return;
	if (mark)
		*(volatile u64 *)&mark->job = job;
	if (whole_process && (before || tm_config.scope == TM_SCOPE_CGROUP))
		note_threads((u64)task, before, job);
}

SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(task_io_moved, struct cgroup *to, const char *path, struct task_struct *task,
	     bool whole_process)
{
	if (!task_io__is_off() && to->root->hierarchy_id == tm_config.cgroup_hierarchy)
		follow_move(task, whole_process);
	return 0;
}

/* Once more, as above: then its job is the new one already, and nothing is left to do. */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(task_io_moved_again, struct cgroup *to, const char *path, struct task_struct *task,
	     bool whole_process)
{
	if (!task_io__is_off() && to->root->hierarchy_id == tm_config.cgroup_hierarchy)
		follow_move(task, whole_process);
	return 0;
}

/*
 * A pass through all tasks, of which most have done nothing since the last one. Who was moved and
 * not told of is of the other job from here on.
 */
SEC("iter/task")
int task_io_pass(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct tm_task_io_mark *mark;
	struct tm_task_io io = {};

	if (!task || task->flags & PF_KTHREAD || task_io__is_off())
		return 0;
	tm_task_io.tasks++;
	mark = bpf_task_storage_get(&tm_task_io_marks, task, NULL, 0);
	read_counts(task, &io);
	if (mark && !*(volatile u64 *)&tm_task_io.n_moves && !has_moved(mark, &io))
		return 0;
	/* One that is just being forked is among the tasks before it is in its cgroup. */
	if (!mark && is_nothing(&io) && task->start_time >= tm_task_io.since_ns)
		return 0;
	mark = meet(task, false);
	if (mark && !(task->flags & PF_EXITING))
		choose_job(task, mark);
	return 0;
}

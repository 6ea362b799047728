// SPDX-License-Identifier: GPL-2.0-only
#include "account.bpf.h"
#include "block_record.bpf.h"
#include "number.bpf.h"
#include "processes.bpf.h"

#define PF_KTHREAD 0x00200000 /* linux/sched.h */

/*
 * The job that data is charged to by the io controller, where that is another one than the current
 * task's; 0: none is known. The root is charged with what the kernel does on its own account
 * (journals, metadata), and with everything where nobody else can be.
 */
static __attribute__((noinline)) u64 block__charged(u64 address)
{
	struct cgroup *cgroup = (void *)address, *own;
	u64 id;

	if (tm_config.cgroup_io < 0 || !cgroup || !BPF_CORE_READ(cgroup, level))
		return 0;
	id = scope__cgroup_id(cgroup);
	/* The task's own cgroup may have no io controller: the one above it is charged then. */
	own = scope__cgroup_of((void *)bpf_get_current_task(), tm_config.cgroup_io);
	return id == scope__cgroup() || cgroup == own ? 0 : id;
}

/*
 * What a kernel thread writes is writeback: it is of those who are charged with it, or of nobody,
 * job 0. By process nobody can be told.
 */
__attribute__((noinline)) int block__own(struct block_io *io)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool kernel = task->flags & PF_KTHREAD, traced = true;
	bool writes;

	if (!io)
		return 0;
	writes = io->function != TM_BLOCK_READ;
	if (tm_config.scope != TM_SCOPE_PROCESSES)
		io->job = block__charged(io->cgroup);
	if (writes && (kernel || io->job))
		io->flags |= TM_KEY_WRITEBACK;
	if (io->job) {
		traced = tm_config.scope == TM_SCOPE_ALL || scope__reaches(io->cgroup);
	} else if (!kernel || !writes) {
		traced = scope__holds();
		io->job = scope__job();
		io->by_task = traced && !kernel;
		if (io->by_task)
			io->process = process__of(NULL);
		if (account__is_on() && traced && !kernel && account__number())
			io->tgid = number__tgid(task);
	}
	io->owned = traced ? BLOCK_TRACED : BLOCK_FOREIGN;
	return 0;
}

TM_INLINE bool block__is_metadata(struct block_io *io)
{
	return (io->function == TM_BLOCK_READ || io->function == TM_BLOCK_WRITE) &&
	       (io->marked || block__holds_metadata(io->bio));
}

/* It is in flight no more. False: somebody else has seen to that. */
TM_INLINE bool block__forget(struct tm_block_key *key, u32 slot)
{
	struct tm_series *series;

	if (bpf_map_delete_elem(&tm_requests, key))
		return false;
	series = series__at(slot);
	if (series)
		ADD(series->in_flight, -1ULL);
	return true;
}

/* The same, and nothing will be told of it. */
TM_INLINE bool block__give_up(struct tm_block_key *key, u32 slot, u64 id)
{
	if (!block__forget(key, slot))
		return false;
	block_record__drop(id);
	return true;
}

/*
 * A request that starts where another still seems to be in flight: that one's completion was not
 * seen. On some kernels no BPF program runs in some completion interrupts.
 */
TM_INLINE void block__heal(struct tm_block_key *key)
{
	struct tm_block_request *old = bpf_map_lookup_elem(&tm_requests, key);
	struct tm_ledger *ledger;
	u32 slot;

	if (!old)
		return;
	ledger = ledger__of(TM_PROBE_BLOCK + old->function);
	slot = old->slot;
	/* Its completion may be under way just now: then that counts it. */
	if (block__give_up(key, slot, old->id) && ledger && slot != TM_NO_SLOT)
		ledger__lose(ledger, TM_LOSS_UNSEEN);
}

/* In flight from now on. False: there is no room. */
TM_INLINE bool block__insert(struct tm_block_key *key, struct tm_block_request *request)
{
	if (!key->place) {
		block__heal(key);
		return !bpf_map_update_elem(&tm_requests, key, request, BPF_ANY);
	}
	/* Two may be under way at one place. */
	for (int i = 0; i < BLOCK_TWINS; i++) {
		if (!bpf_map_update_elem(&tm_requests, key, request, BPF_NOEXIST))
			return true;
		key->place += BLOCK_TWIN;
	}
	return false;
}

/*
 * What is met first at its issue, or at its completion, starts then. So that what is not traced is
 * not taken for what was not seen, it is remembered, too; not by place, where others may be.
 */
TM_INLINE void block__disown(struct tm_block_key *key)
{
	struct tm_block_request request = { .slot = TM_NO_SLOT };

	if (!key->place)
		bpf_map_update_elem(&tm_requests, key, &request, BPF_ANY);
}

/* Is nothing counted of it now? */
TM_INLINE bool block__is_off(u32 function)
{
	return *(volatile u32 *)&tm_off >> ((TM_PROBE_BLOCK + function) & 31) & 1;
}

__attribute__((noinline)) int block__start(struct block_io *io)
{
	struct tm_key key = { .layer = TM_LAYER_BLOCK };
	struct tm_block_request request = {};
	struct tm_block_key place;
	struct tm_ledger *ledger;
	struct tm_series *series;

	if (!io || io->function >= TM_BLOCK_FUNCTIONS || scope__is_over())
		return 0;
	if (block__is_off(io->function))
		io->owned = BLOCK_FOREIGN;
	if (io->owned == BLOCK_NOT_ASKED)
		block__own(io);
	if (io->owned != BLOCK_TRACED) {
		place = io->key;
		block__disown(&place);
		return 0;
	}
	key.function = io->function;
	key.flags = io->flags | (block__is_metadata(io) ? TM_KEY_METADATA : 0);
	key.job = io->job;
	key.process = io->process;
	key.where = io->device;
	ledger = ledger__of(TM_PROBE_BLOCK + key.function);
	if (!ledger)
		return 0;
	ADD(ledger->hits, 1);
	request.slot = series__find(&key);
	series = series__at(request.slot);
	if (!series) {
		ledger__lose(ledger, TM_LOSS_NO_SLOT);
		return 0;
	}
	if (series__level(series) == TM_LEVEL_OFF) {
		ADD(ledger->filtered, 1);
		place = io->key;
		block__disown(&place);
		return 0;
	}
	if (!series->label[0] && io->name)
		bpf_probe_read_kernel_str(series->label, sizeof(series->label), (void *)io->name);
	request.start_ns = io->start_ns ?: bpf_ktime_get_ns();
	request.function = key.function;
	request.left = io->bytes;
	request.tgid = io->tgid;
	if (recorder__records(series))
		request.id = block_record__begin(io, &request);
	ADD(series->in_flight, 1);
	place = io->key;
	if (!block__insert(&place, &request)) {
		ledger__lose(ledger, TM_LOSS_NO_ENTRY);
		ADD(series->in_flight, -1ULL);
		block_record__drop(request.id);
	}
	io->key = place;
	return 0;
}

/*
 * All of these copy the key that they are given: up to 6.2 the argument of a global function
 * cannot be the key of a map.
 */
__attribute__((noinline)) bool block__issue(struct tm_block_key *wanted, u32 bytes, u64 sector)
{
	struct tm_block_request *request;
	struct tm_block_key key;

	if (!wanted)
		return true;
	key = *wanted;
	request = bpf_map_lookup_elem(&tm_requests, &key);
	if (!request)
		return false;
	if (!request->issue_ns) { /* it may be issued again */
		request->issue_ns = bpf_ktime_get_ns();
		request->left = bytes;
		block_record__place(request->id, sector);
	}
	return true;
}

__attribute__((noinline)) bool block__rename(struct tm_block_key *from, struct tm_block_key *to)
{
	struct tm_block_request *old, request;
	struct tm_block_key key;

	if (!from || !to)
		return false;
	key = *from;
	old = bpf_map_lookup_elem(&tm_requests, &key);
	if (!old)
		return false;
	request = *old;
	if (bpf_map_delete_elem(&tm_requests, &key))
		return false;
	key = *to;
	return !bpf_map_update_elem(&tm_requests, &key, &request, BPF_ANY);
}

__attribute__((noinline)) int block__merge(struct tm_block_key *wanted)
{
	struct tm_block_request *request;
	struct tm_ledger *ledger;
	struct tm_block_key key;
	u32 slot, function;
	u64 id;

	if (!wanted)
		return 0;
	key = *wanted;
	request = bpf_map_lookup_elem(&tm_requests, &key);
	if (!request || scope__is_over())
		return 0;
	slot = request->slot;
	function = request->function;
	id = request->id;
	if (!block__give_up(&key, slot, id) || slot == TM_NO_SLOT)
		return 0;
	ledger = ledger__of(TM_PROBE_BLOCK + function);
	if (ledger)
		ADD(ledger->filtered, 1);
	return 0;
}

TM_INLINE void block__count(struct tm_block_request *request)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_BLOCK + request->function);
	struct tm_series *series = series__at(request->slot);
	u64 now = bpf_ktime_get_ns(), issue_ns = request->issue_ns;

	if (!ledger || !series)
		return;
	/* After its data, a flush sequence ends without any: then the data's end was not seen. */
	if (!request->bytes && !request->error && request->left) {
		block_record__drop(request->id);
		return ledger__lose(ledger, TM_LOSS_UNSEEN);
	}
	if (!issue_ns)
		issue_ns = request->start_ns; /* never queued: ended before its issue */
	ADD(series->queue_ns, issue_ns > request->start_ns ? issue_ns - request->start_ns : 0);
	series__time(series, request->slot, now - issue_ns);
	series__size(series, request->slot, request->bytes);
	if (request->error)
		series__fail(series, request->error, false);
	if (account__is_on())
		account__count_request(&request->tgid, request->function, request->bytes);
	ADD(ledger->recorded, 1);
	if (recorder__is_on() && (request->id || recorder__records(series)))
		block_record__end(request, issue_ns, now);
}

__attribute__((noinline)) bool block__complete(struct tm_block_key *wanted, u32 bytes, u32 error,
					       bool last)
{
	struct tm_block_request *request, ended;
	struct tm_block_key key;

	if (!wanted)
		return false;
	key = *wanted;
	request = bpf_map_lookup_elem(&tm_requests, &key);
	if (!request || scope__is_over())
		return false;
	if (!error)
		request->bytes += bytes;
	else if (!request->error)
		request->error = error;
	if (!last)
		return true;
	ended = *request;
	if (!block__forget(&key, ended.slot))
		return false;
	block__count(&ended);
	return true;
}

__attribute__((noinline)) bool block__complete_all(struct tm_block_key *wanted, u32 error)
{
	struct tm_block_request *request;
	struct tm_block_key key;

	if (!wanted)
		return false;
	key = *wanted;
	request = bpf_map_lookup_elem(&tm_requests, &key);
	return request && block__complete(&key, request->left, error, true);
}

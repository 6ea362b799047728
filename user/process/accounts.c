// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "object/object_name.h"
#include "process/account_source.h"
#include "process/live_usage.h"

/* A thread that ends before the last one has added its times so much later at the latest. */
#define SETTLED_NS 100000000ULL

struct ended {
	__u64 end_ns;
	__u32 number;
};

struct accounts {
	struct account_source source;
	__u64 looked;	     /* how many had ended when it was looked */
	__u64 interrupted;   /* those that were being told when the loader was killed */
	bool left;	     /* there may be some that ended before and are not taken */
	struct ended *ended; /* room for all */
	__u64 *ids;	     /* of environments; the same */
	__u64 *told;	     /* by number: how much of it was told while it lives */
	/* Of the one that is shown: */
	char comm[sizeof(((struct tm_account *)0)->comm) + 1];
	char program[OBJECT_NAME_ROOM];
};

void accounts__close(struct accounts *accounts)
{
	if (!accounts)
		return;
	if (accounts->source.close)
		accounts->source.close(accounts->source.context);
	free(accounts->ended);
	free(accounts->told);
	free(accounts->ids);
	free(accounts);
}

/* Numbers from here on were never used. */
static __u32 used(const struct account_source *source)
{
	__u32 next = __atomic_load_n(source->next, __ATOMIC_RELAXED);

	return grown_map__show(source->map, next < source->n ? next : source->n,
			       sizeof(struct tm_account));
}

static int compare_by_end(const void *left, const void *right)
{
	const struct ended *a = left, *b = right;

	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* Those that ended before a time, in that order; how many. Others are left. */
static size_t find_ended(struct accounts *accounts, __u64 before_ns)
{
	const struct account_source *source = &accounts->source;
	size_t n = 0;

	accounts->left = false;
	for (__u32 number = TM_ACCOUNT_FIRST; number < used(source); number++) {
		const struct tm_account *account = &source->accounts[number];

		if (__atomic_load_n(&account->state, __ATOMIC_ACQUIRE) != TM_ACCOUNT_ENDED)
			continue;
		if (account->end_ns < before_ns)
			accounts->ended[n++] = (struct ended){ account->end_ns, number };
		else
			accounts->left = true;
	}
	qsort(accounts->ended, n, sizeof(*accounts->ended), compare_by_end);
	return n;
}

/* From the kernel's clocks to those of records. */
static void show_account(struct accounts *accounts, const struct tm_account *from,
			 struct process_account *out)
{
	__u64 offset_ns = clock__ns(CLOCK_REALTIME) - clock__ns(CLOCK_MONOTONIC);
	bool has_program = object_name__path(&from->program, from->is_cut, accounts->program);

	memcpy(accounts->comm, from->comm, sizeof(from->comm));
	*out = (struct process_account){
		.info = { .pid = from->pid,
			  .ppid = from->ppid,
			  .uid = from->uid,
			  .rank = -1,
			  .start_ns = from->start_ns + offset_ns,
			  .end_ns = from->end_ns ? from->end_ns + offset_ns : 0,
			  .comm = accounts->comm },
		.job = from->job,
		.processes = 1,
		.user_ns = from->user_ns,
		.system_ns = from->system_ns,
		.max_rss_bytes = from->max_rss_pages * (__u64)sysconf(_SC_PAGESIZE),
		.threads = from->threads,
		.status = from->status,
		.was_oom = from->was_oom,
		.program = has_program ? accounts->program : NULL,
		.sums = from->sums,
	};
	if (accounts->source.env)
		account_env__describe(accounts->source.env, from->environment, out);
	out->time_ns = out->info.end_ns ? out->info.end_ns : clock__ns(CLOCK_REALTIME);
	process_account__scale(&out->user_ns, &out->system_ns, from->run_ns);
}

/* Nobody counts there any more: the next process finds it empty. */
static void give_back(struct accounts *accounts, __u32 number)
{
	const struct account_source *source = &accounts->source;
	struct tm_account *account = &source->accounts[number];
	__u32 pid = account->pid;

	accounts->told[number] = 0;
	/* First: whoever is killed from here on has told it. */
	__atomic_store_n(&account->state, TM_ACCOUNT_FREE, __ATOMIC_RELEASE);
	memset(account, 0, sizeof(*account));
	source->give_back(source->context, number, pid);
}

static void flush(const struct account_source *source)
{
	if (source->flush)
		source->flush(source->context);
}

int accounts__fd(const struct accounts *accounts)
{
	return accounts->source.fd;
}

/* Nothing is told twice. */
static void drop_interrupted(struct accounts *accounts)
{
	for (__u32 number = TM_ACCOUNT_FIRST; number < used(&accounts->source); number++) {
		if (accounts->source.accounts[number].state != TM_ACCOUNT_TELLING)
			continue;
		give_back(accounts, number);
		accounts->interrupted++;
	}
	flush(&accounts->source);
}

int accounts__open_from(struct accounts **out, const struct account_source *source)
{
	struct accounts *accounts = calloc(1, sizeof(*accounts));

	if (!accounts)
		return -ENOMEM;
	/* Until it has the source, closing it leaves that open. */
	accounts->ended = calloc(source->n, sizeof(*accounts->ended));
	accounts->told = calloc(source->n, sizeof(*accounts->told));
	accounts->ids = calloc(source->n, sizeof(*accounts->ids));
	if (!accounts->ended || !accounts->told || !accounts->ids) {
		accounts__close(accounts);
		return -ENOMEM;
	}
	accounts->source = *source;
	accounts->left = true; /* they may have waited for us */
	drop_interrupted(accounts);
	*out = accounts;
	return 0;
}

__u64 accounts__interrupted(const struct accounts *accounts)
{
	return accounts->interrupted;
}

/* More environments than processes have are forgotten at some time. */
#define SPARE_ENVIRONMENTS 1024

static void follow(struct accounts *accounts)
{
	const struct account_source *source = &accounts->source;
	size_t n = 0;

	if (!source->env)
		return;
	if (source->follow)
		source->follow(source->context);
	if (account_env__n(source->env) < 2 * (size_t)used(source) + SPARE_ENVIRONMENTS)
		return;
	for (__u32 number = TM_ACCOUNT_FIRST; number < used(source); number++)
		if (source->accounts[number].state != TM_ACCOUNT_FREE)
			accounts->ids[n++] = source->accounts[number].environment;
	account_env__keep(source->env, accounts->ids, n);
}

void accounts__take_ended(struct accounts *accounts, bool over,
			  void (*take)(void *context, const struct process_account *account),
			  void *context)
{
	__u64 ended = __atomic_load_n(accounts->source.ended, __ATOMIC_RELAXED);
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	struct process_account shown;
	size_t n;

	follow(accounts);
	if (ended == accounts->looked && !accounts->left)
		return;
	n = find_ended(accounts, over ? now : now - SETTLED_NS);
	for (size_t i = 0; i < n; i++) {
		__u32 number = accounts->ended[i].number;

		show_account(accounts, &accounts->source.accounts[number], &shown);
		__atomic_store_n(&accounts->source.accounts[number].state, TM_ACCOUNT_TELLING,
				 __ATOMIC_RELEASE);
		take(context, &shown);
		give_back(accounts, number);
	}
	flush(&accounts->source);
	accounts->looked = ended;
}

/* How much a process did: it only grows. */
static __u64 amount(const struct tm_account_sums *sums)
{
	__u64 sum =
		sums->storage_bytes[TM_DIRECTION_READ] + sums->storage_bytes[TM_DIRECTION_WRITE];

	for (int i = 0; i <= TM_DIRECTIONS; i++)
		sum += sums->vfs[i].count;
	for (int i = 0; i < TM_ACCOUNT_LAYERS; i++)
		sum += sums->layers[i].count;
	return sum;
}

void accounts__each_live(struct accounts *accounts,
			 void (*take)(void *context, const struct process_account *account),
			 void *context)
{
	const struct account_source *source = &accounts->source;
	struct process_account shown;

	follow(accounts);
	for (__u32 number = TM_ACCOUNT_FIRST; number < used(source); number++) {
		const struct tm_account *account = &source->accounts[number];
		__u64 now = amount(&account->sums);

		if (__atomic_load_n(&account->state, __ATOMIC_ACQUIRE) != TM_ACCOUNT_LIVE ||
		    now == accounts->told[number])
			continue;
		accounts->told[number] = now;
		show_account(accounts, account, &shown);
		/* What it has of itself is of threads that ended. */
		live_usage__read(&shown);
		take(context, &shown);
	}
}

void accounts__each_untold(struct accounts *accounts,
			   void (*take)(void *context, const struct process_account *account),
			   void *context)
{
	const struct account_source *source = &accounts->source;
	struct process_account shown;

	follow(accounts);
	for (__u32 number = TM_ACCOUNT_FIRST; number < used(source); number++) {
		const struct tm_account *account = &source->accounts[number];

		if (__atomic_load_n(&account->state, __ATOMIC_ACQUIRE) == TM_ACCOUNT_FREE)
			continue;
		show_account(accounts, account, &shown);
		take(context, &shown);
	}
}

bool accounts__others(struct accounts *accounts, struct process_account *out)
{
	const struct tm_account *others = &accounts->source.accounts[TM_ACCOUNT_OTHERS];
	__u64 folded = __atomic_load_n(accounts->source.folded, __ATOMIC_RELAXED);

	if (!folded || used(&accounts->source) <= TM_ACCOUNT_OTHERS)
		return false;
	*out = (struct process_account){
		.info = { .rank = -1 },
		.time_ns = clock__ns(CLOCK_REALTIME),
		.processes = folded,
		.status = TM_ACCOUNT_UNSEEN,
		.sums = others->sums,
	};
	return true;
}

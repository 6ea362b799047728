// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "process/rank_sums.h"

/* All sums are numbers. */
#define SUMS (sizeof(struct tm_account_sums) / sizeof(__u64))

struct rank_entry {
	__u64 job; /* first: the tree compares these two */
	__s64 rank;
	struct process_account sum; /* its strings are the entry's own */
	struct rank_entry *older, *newer;
};

struct rank_sums {
	size_t n, max;
	void *tree; /* of struct rank_entry, tsearch(3) */
	struct rank_entry *oldest, *newest;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct rank_entry *a = left, *b = right;

	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

struct rank_sums *rank_sums__new(size_t max)
{
	struct rank_sums *sums = calloc(1, sizeof(*sums));

	if (sums)
		sums->max = max;
	return sums;
}

static void take_out(struct rank_sums *sums, struct rank_entry *entry)
{
	*(entry->older ? &entry->older->newer : &sums->oldest) = entry->newer;
	*(entry->newer ? &entry->newer->older : &sums->newest) = entry->older;
	entry->older = entry->newer = NULL;
}

static void put_newest(struct rank_sums *sums, struct rank_entry *entry)
{
	entry->older = sums->newest;
	*(sums->newest ? &sums->newest->newer : &sums->oldest) = entry;
	sums->newest = entry;
}

static void free_entry(void *node)
{
	struct rank_entry *entry = node;

	free((char *)entry->sum.info.comm);
	free((char *)entry->sum.info.jobid);
	free((char *)entry->sum.info.step);
	free(entry);
}

static void drop(struct rank_sums *sums, struct rank_entry *entry)
{
	take_out(sums, entry);
	tdelete(entry, &sums->tree, compare_ranks);
	free_entry(entry);
	sums->n--;
}

void rank_sums__free(struct rank_sums *sums)
{
	if (!sums)
		return;
	tdestroy(sums->tree, free_entry);
	free(sums);
}

/* NULL of NULL, and without memory: it is a name, not a figure. */
static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

static struct rank_entry *new_entry(__u64 job, const struct process_account *account)
{
	struct rank_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->job = job;
	entry->rank = account->info.rank;
	entry->sum = (struct process_account){
		.info = { .uid = account->info.uid,
			  .rank = account->info.rank,
			  .start_ns = account->info.start_ns,
			  .end_ns = account->info.end_ns,
			  .comm = copy_of(account->info.comm),
			  .jobid = copy_of(account->info.jobid),
			  .step = copy_of(account->info.step) },
		.job = job,
		.status = TM_ACCOUNT_UNSEEN,
	};
	return entry;
}

/* NULL: no memory. */
static struct rank_entry *find_or_add(struct rank_sums *sums, __u64 job,
				      const struct process_account *account)
{
	const struct rank_entry wanted = { .job = job, .rank = account->info.rank };
	struct rank_entry **node = tfind(&wanted, &sums->tree, compare_ranks), *entry;

	if (node) {
		take_out(sums, *node);
		put_newest(sums, *node);
		return *node;
	}
	if (sums->n >= sums->max && sums->oldest)
		drop(sums, sums->oldest);
	entry = new_entry(job, account);
	if (!entry)
		return NULL;
	if (!tsearch(entry, &sums->tree, compare_ranks)) {
		free_entry(entry);
		return NULL;
	}
	put_newest(sums, entry);
	sums->n++;
	return entry;
}

static void add_account(struct process_account *sum, const struct process_account *more)
{
	const __u64 *from = (const __u64 *)&more->sums;
	__u64 *to = (__u64 *)&sum->sums;

	for (size_t i = 0; i < SUMS; i++)
		to[i] += from[i];
	if (more->info.start_ns < sum->info.start_ns)
		sum->info.start_ns = more->info.start_ns;
	/* It goes on as long as one of them does. */
	if (!more->info.end_ns || (sum->info.end_ns && more->info.end_ns > sum->info.end_ns))
		sum->info.end_ns = more->info.end_ns;
	if (more->time_ns > sum->time_ns)
		sum->time_ns = more->time_ns;
	if (more->max_rss_bytes > sum->max_rss_bytes)
		sum->max_rss_bytes = more->max_rss_bytes;
	sum->processes += more->processes;
	sum->user_ns += more->user_ns;
	sum->system_ns += more->system_ns;
	sum->threads += more->threads;
	sum->was_oom |= more->was_oom;
}

/* Of several steps it is of none. */
static void keep_step(struct process_info *sum, const struct process_info *more)
{
	if (!sum->step || (more->step && !strcmp(sum->step, more->step)))
		return;
	free((char *)sum->step);
	sum->step = NULL;
}

int rank_sums__add(struct rank_sums *sums, __u64 job, const struct process_account *account)
{
	struct rank_entry *entry;

	if (account->info.rank < 0)
		return 0;
	entry = find_or_add(sums, job, account);
	if (!entry)
		return -ENOMEM;
	add_account(&entry->sum, account);
	keep_step(&entry->sum.info, &account->info);
	return 0;
}

void rank_sums__forget(struct rank_sums *sums, __u64 job)
{
	struct rank_entry *next;

	for (struct rank_entry *entry = sums->oldest; entry; entry = next) {
		next = entry->newer;
		if (entry->job == job)
			drop(sums, entry);
	}
}

int rank_sums__each(const struct rank_sums *sums,
		    int (*take)(void *context, const struct process_account *account),
		    void *context)
{
	int ret = 0;

	for (const struct rank_entry *entry = sums->oldest; entry && !ret; entry = entry->newer)
		ret = take(context, &entry->sum);
	return ret;
}

size_t rank_sums__n(const struct rank_sums *sums)
{
	return sums->n;
}

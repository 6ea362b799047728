// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "recording/account_code.h"

/* All sums are numbers: further ones come at the end. */
#define SUMS (sizeof(struct tm_account_sums) / sizeof(__u64))
_Static_assert(SUMS == 3 * (TM_DIRECTIONS + 1) + 1 + TM_DIRECTIONS + 2 * TM_ACCOUNT_LAYERS +
			       TM_TASK_IO_COUNTS + TM_MISSED,
	       "what is in struct tm_account_sums is written as it stands there");

void account_code__pack(struct pack *pack, const struct process_account *account)
{
	const struct process_info *info = &account->info;

	pack__u64(pack, account->time_ns);
	pack__u64(pack, info->pid);
	pack__u64(pack, info->ppid);
	pack__u64(pack, info->uid);
	pack__u64(pack, info->start_ns);
	pack__u64(pack, info->end_ns);
	pack__u64(pack, account->job);
	pack__u64(pack, account->processes);
	pack__u64(pack, account->user_ns);
	pack__u64(pack, account->system_ns);
	pack__u64(pack, account->max_rss_bytes);
	pack__u64(pack, account->threads);
	pack__u64(pack, account->status);
	pack__u64(pack, account->was_oom);
	pack__string(pack, info->comm);
	pack__string(pack, account->program);
	pack__s64(pack, info->rank);
	pack__string(pack, info->jobid);
	pack__string(pack, info->workflow);
	pack__string(pack, info->component);
	pack__numbers(pack, (const __u64 *)&account->sums, SUMS);
	pack__u64(pack, account->n_variables);
	for (size_t i = 0; i < account->n_variables; i++) {
		pack__string(pack, account->variables[i].name);
		pack__string(pack, account->variables[i].value);
	}
	pack__string(pack, info->step);
	pack__numbers(pack, account->unseen_ns, TM_ACCOUNT_LAYERS);
}

static void unpack_variables(struct process_account *account, struct unpack *unpack)
{
	/* Each takes two bytes at least. */
	__u64 n = unpack__below(unpack, (__u64)(unpack->end - unpack->at) / 2 + 2);
	struct process_variable *variables = n ? calloc(n, sizeof(*variables)) : NULL;

	account->variables = variables;
	for (; variables && account->n_variables < n && !unpack->failed; account->n_variables++) {
		struct process_variable *variable = &variables[account->n_variables];

		variable->name = unpack__string(unpack);
		variable->value = unpack__string(unpack);
		unpack->failed |= !variable->name || !variable->value;
	}
	unpack->failed |= n && !variables;
}

int account_code__unpack(struct process_account *account, struct unpack *unpack)
{
	const __u64 limit = 1ULL << 32;

	*account = (struct process_account){ .time_ns = unpack__u64(unpack) };
	account->info.pid = (__u32)unpack__below(unpack, limit);
	account->info.ppid = (__u32)unpack__below(unpack, limit);
	account->info.uid = (__u32)unpack__below(unpack, limit);
	account->info.start_ns = unpack__u64(unpack);
	account->info.end_ns = unpack__u64(unpack);
	account->job = unpack__u64(unpack);
	account->processes = unpack__u64(unpack);
	account->user_ns = unpack__u64(unpack);
	account->system_ns = unpack__u64(unpack);
	account->max_rss_bytes = unpack__u64(unpack);
	account->threads = (__u32)unpack__below(unpack, limit);
	account->status = (__u32)unpack__below(unpack, limit);
	account->was_oom = unpack__below(unpack, 2);
	account->info.comm = unpack__string(unpack);
	account->program = unpack__string(unpack);
	account->info.rank = unpack__s64(unpack);
	account->info.jobid = unpack__string(unpack);
	account->info.workflow = unpack__string(unpack);
	account->info.component = unpack__string(unpack);
	unpack__numbers(unpack, (__u64 *)&account->sums, SUMS);
	unpack_variables(account, unpack);
	/* Not there in older recordings. */
	if (!unpack->failed && unpack->at < unpack->end)
		account->info.step = unpack__string(unpack);
	if (!unpack->failed && unpack->at < unpack->end)
		unpack__numbers(unpack, account->unseen_ns, TM_ACCOUNT_LAYERS);
	if (!unpack->failed)
		return 0;
	account_code__free(account);
	return -EBADMSG;
}

void account_code__free(struct process_account *account)
{
	free((char *)account->info.comm);
	free((char *)account->program);
	free((char *)account->info.jobid);
	free((char *)account->info.step);
	free((char *)account->info.workflow);
	free((char *)account->info.component);
	for (size_t i = 0; account->variables && i < account->n_variables; i++) {
		free((char *)account->variables[i].name);
		free((char *)account->variables[i].value);
	}
	free((void *)account->variables);
	*account = (struct process_account){ 0 };
}

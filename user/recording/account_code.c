// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "recording/account_code.h"
#include "recording/archive.h"

/* All sums are numbers: further ones come at the end. */
#define SUMS (sizeof(struct tm_account_sums) / sizeof(__u64))
_Static_assert(SUMS == 3 * (TM_DIRECTIONS + 1) + 1 + TM_DIRECTIONS + 2 * TM_ACCOUNT_LAYERS +
			       TM_TASK_IO_COUNTS + TM_MISSED,
	       "what is in struct tm_account_sums is written as it stands there");

static void pack_variables(struct pack *pack, const struct process_account *account)
{
	pack__u64(pack, account->n_variables);
	for (size_t i = 0; i < account->n_variables; i++) {
		pack__string(pack, account->variables[i].name);
		pack__string(pack, account->variables[i].value);
	}
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

static void archive_account(struct archive *archive, struct process_account *account)
{
	struct process_info *info = &account->info;

	archive__number(archive, account->time_ns);
	archive__number(archive, info->pid);
	archive__number(archive, info->ppid);
	archive__number(archive, info->uid);
	archive__number(archive, info->start_ns);
	archive__number(archive, info->end_ns);
	archive__number(archive, account->job);
	archive__number(archive, account->processes);
	archive__number(archive, account->user_ns);
	archive__number(archive, account->system_ns);
	archive__number(archive, account->max_rss_bytes);
	archive__number(archive, account->threads);
	archive__number(archive, account->status);
	archive__below(archive, account->was_oom, 2);
	archive__string(archive, &info->comm);
	archive__string(archive, &account->program);
	archive__signed(archive, &info->rank);
	archive__string(archive, &info->jobid);
	archive__string(archive, &info->workflow);
	archive__string(archive, &info->component);
	archive__numbers(archive, (__u64 *)&account->sums, SUMS);
	if (archive->to)
		pack_variables(archive->to, account);
	else
		unpack_variables(account, archive->from);
	if (archive__ends(archive))
		return;
	archive__string(archive, &info->step);
	if (archive__ends(archive))
		return;
	archive__numbers(archive, account->unseen_ns, TM_ACCOUNT_LAYERS);
}

void account_code__pack(struct pack *pack, const struct process_account *account)
{
	archive_account(ARCHIVE_TO(pack), (struct process_account *)account);
}

int account_code__unpack(struct process_account *account, struct unpack *unpack)
{
	*account = (struct process_account){ 0 };
	archive_account(ARCHIVE_FROM(unpack), account);
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

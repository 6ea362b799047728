// SPDX-License-Identifier: GPL-2.0-only
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "report/account_figures.h"
#include "report/names.h"

static bool is_traced(const struct report_run *run, const char *layer)
{
	for (size_t i = 0; i < run->n_mechanisms; i++)
		if (!strcmp(run->mechanisms[i].layer, layer))
			return true;
	return false;
}

struct account_figure account_figures__files(const struct report_run *run,
					     const struct process_account *account)
{
	struct account_figure figure = { .is_known = is_traced(run, "vfs") };

	for (int i = 0; i <= TM_DIRECTIONS; i++) {
		figure.count += account->sums.vfs[i].count;
		figure.ns += account->sums.vfs[i].ns;
	}
	return figure;
}

struct account_figure account_figures__access(const struct report_run *run,
					      const struct process_account *account,
					      enum tm_direction direction)
{
	return (struct account_figure){
		.count = account->sums.vfs[direction].count,
		.ns = account->sums.vfs[direction].ns,
		.is_known = is_traced(run, "vfs"),
	};
}

struct account_figure account_figures__layer(const struct report_run *run,
					     const struct process_account *account,
					     const char *layer)
{
	struct account_figure figure = { 0 };

	if (!is_traced(run, layer))
		return figure;
	for (__u8 i = 0; i < TM_ACCOUNT_LAYERS; i++) {
		const char *name = names__layer(run, TM_LAYER_USER + i);

		if (!name)
			break;
		if (strcmp(name, layer) != 0)
			continue;
		figure.count = account->sums.layers[i].count;
		figure.ns = account->sums.layers[i].ns;
		figure.is_known = true;
		break;
	}
	return figure;
}

bool account_figures__has_storage(const struct report_run *run)
{
	return is_traced(run, "block");
}

const char *account_figures__user(__u32 uid)
{
	static char name[64];
	static __u32 known;
	static bool is_looked_up;
	const struct passwd *entry;

	if (!is_looked_up || known != uid) {
		entry = getpwuid(uid);
		snprintf(name, sizeof(name), "%s", entry ? entry->pw_name : "");
		known = uid;
		is_looked_up = true;
	}
	return name[0] ? name : NULL;
}

int account_figures__exit_code(const struct process_account *account)
{
	int status = (int)account->status;

	if (!account->info.end_ns || account->status == TM_ACCOUNT_UNSEEN || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

int account_figures__signal(const struct process_account *account)
{
	int status = (int)account->status;

	if (!account->info.end_ns || account->status == TM_ACCOUNT_UNSEEN || !WIFSIGNALED(status))
		return -1;
	return WTERMSIG(status);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "report/account_figures.h"
#include "report/estimate.h"
#include "report/kernel_io.h"
#include "report/names.h"
#include "sink/json_process.h"
#include "sink/series_text.h"

/* A quotient with six decimals, as selFIe's seconds and GiB have two; units: of one. */
static void add_decimal(struct record *record, const char *name, __u64 value, __u64 units,
			bool measured)
{
	if (measured)
		record__fixed(record, name, (double)value / (double)units, 6);
	else
		record__null(record, name);
}

/* NAME_time in seconds, and NAME_count. */
static void add_figure(struct record *record, const char *name, struct account_figure figure)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_time", name);
	add_decimal(record, key, figure.ns, NS_PER_S, figure.is_known);
	snprintf(key, sizeof(key), "%s_count", name);
	record__measured(record, key, figure.count, figure.is_known);
}

/* By the environment, if that is asked for; else by its number. */
static const char *user_of(const struct process_account *account)
{
	for (size_t i = account->n_variables; i > 0; i--)
		if (!strcmp(account->variables[i - 1].name, "USER"))
			return account->variables[i - 1].value;
	return account->info.pid ? account_figures__user(account->info.uid) : NULL;
}

/* What selFIe tells, under its names and in its units. */
static void add_selfie(struct record *record, const struct report_run *run,
		       const struct process_account *account)
{
	const struct process_info *info = &account->info;
	bool is_one = info->pid, has_ended = info->end_ns;
	__u64 end_ns = has_ended ? info->end_ns : account->time_ns;

	add_decimal(record, "utime", account->user_ns, NS_PER_S, is_one);
	add_decimal(record, "stime", account->system_ns, NS_PER_S, is_one);
	add_decimal(record, "maxmem", account->max_rss_bytes, 1ULL << 30, is_one);
	add_figure(record, "posixio", account_figures__files(run, account));
	add_figure(record, "mio", account_figures__layer(run, account, "mio"));
	add_figure(record, "maestro", account_figures__layer(run, account, "mstro"));
	record__string(record, "USER", user_of(account));
	record__u64(record, "timestamp", end_ns / NS_PER_S);
	add_decimal(record, "wtime", end_ns - info->start_ns, NS_PER_S, is_one);
	record__string(record, "command", account->program);
}

/*
 * Of what part of its life all functions of the layer were counted. How many of its calls were of
 * those that were not is not known, and so nothing is estimated.
 */
static void add_unseen(struct record *record, const struct process_account *account, __u8 i)
{
	const struct process_info *info = &account->info;
	__u64 end_ns = info->end_ns ? info->end_ns : account->time_ns,
	      unseen = account->unseen_ns[i];
	__u64 life = end_ns > info->start_ns ? end_ns - info->start_ns : 0;

	if (!unseen)
		return;
	add_decimal(record, "coverage", unseen < life ? life - unseen : 0, life ? life : 1, true);
	record__null(record, "estimated");
}

/* Each library that is traced, and was called. */
static void add_layers(struct record *record, const struct report_run *run,
		       const struct process_account *account)
{
	record__open(record, "layers");
	for (__u8 i = 0; i < TM_ACCOUNT_LAYERS; i++) {
		const char *name = names__layer(run, TM_LAYER_USER + i);

		if (!name || !account->sums.layers[i].count)
			continue;
		record__open(record, name);
		record__u64(record, "count", account->sums.layers[i].count);
		record__u64(record, "total_ns", account->sums.layers[i].ns);
		add_unseen(record, account, i);
		record__close(record);
	}
	record__close(record);
}

static void add_io(struct record *record, const struct report_run *run,
		   const struct process_account *account)
{
	struct account_figure reads = account_figures__access(run, account, TM_DIRECTION_READ);
	struct account_figure writes = account_figures__access(run, account, TM_DIRECTION_WRITE);
	const struct tm_account_sums *sums = &account->sums;
	bool has_storage = account_figures__has_storage(run);

	add_figure(record, "posix_read", reads);
	add_figure(record, "posix_write", writes);
	record__measured(record, "vfs_read_bytes", sums->vfs[TM_DIRECTION_READ].bytes,
			 reads.is_known);
	record__measured(record, "vfs_write_bytes", sums->vfs[TM_DIRECTION_WRITE].bytes,
			 reads.is_known);
	record__measured(record, "vfs_errors", sums->vfs_errors, reads.is_known);
	record__measured(record, "storage_read_bytes", sums->storage_bytes[TM_DIRECTION_READ],
			 has_storage);
	record__measured(record, "storage_write_bytes", sums->storage_bytes[TM_DIRECTION_WRITE],
			 has_storage);
	add_layers(record, run, account);
}

static void add_kernel_io(struct record *record, const struct tm_task_io *io)
{
	/* Executing a program reads already. */
	if (!kernel_io__any(io)) {
		record__null(record, "kernel_io");
		return;
	}
	record__open(record, "kernel_io");
	for (int i = 0; i < TM_TASK_IO_COUNTS; i++)
		record__u64(record, kernel_io_names[i], io->count[i]);
	record__close(record);
}

/* What of all there was its operations on files are, where they were not all counted. */
static void add_estimate(struct record *record, const struct tm_account_sums *sums)
{
	struct estimate estimate;

	if (!estimate__of_process(&estimate, sums))
		return;
	add_decimal(record, "coverage", (__u64)(estimate.coverage * 1e6 + 0.5), 1000000, true);
	if (!estimate.known) {
		record__null(record, "estimated");
		return;
	}
	record__open(record, "estimated");
	record__u64(record, "count", estimate.count.value);
	record__u64(record, "bytes", estimate.bytes.value);
	record__u64(record, "total_ns", estimate.total_ns.value);
	record__close(record);
}

static void add_end(struct record *record, const struct process_account *account)
{
	bool is_one = account->info.pid, has_ended = account->info.end_ns;
	int code = account_figures__exit_code(account), signal = account_figures__signal(account);

	record__measured(record, "start_ns", account->info.start_ns, is_one);
	record__measured(record, "end_ns", account->info.end_ns, has_ended);
	record__measured(record, "exit_code", (__u64)code, code >= 0);
	record__measured(record, "signal", (__u64)signal, signal >= 0);
	if (signal < 0)
		record__null(record, "oom_killed");
	else
		record__bool(record, "oom_killed", account->was_oom);
	record__measured(record, "threads", account->threads, has_ended);
	record__bool(record, "final", has_ended || !is_one);
}

/* Which process it is; info: NULL: of several. */
static void begin_record(struct record *record, const struct report_run *run,
			 const struct process_account *account, const struct process_info *info)
{
	const char *hostname = info && info->node ? info->node : run->hostname;

	record__begin(record, run, "process", account->time_ns, hostname);
	record__string(record, "cgroup", names__cgroup(run, account->job));
	record__cgroup(record, account->job, account->job != 0);
	record__string(record, "step", names__step_of(run, account->job, &account->info));
	/* Several together may be those of a rank. */
	series_text__add_who(record, info, account->info.rank,
			     names__jobid_of(run, account->job, &account->info));
}

static void add_members(struct record *record, const struct report_run *run,
			const struct process_account *account)
{
	const struct process_info *info = account->info.pid ? &account->info : NULL;

	begin_record(record, run, account, info);
	record__number(record, "ppid", info ? info->ppid : 0, info);
	record__u64(record, "processes", account->processes);
	add_selfie(record, run, account);
	add_io(record, run, account);
	add_kernel_io(record, &account->sums.task_io);
	add_estimate(record, &account->sums);
	add_end(record, account);
}

/* A record that only looks for a member. */
struct search {
	struct record record;
	const char *name;
	bool found;
};

static void look(struct record *record, const char *name, const struct record_value *value)
{
	struct search *search = (struct search *)record;

	(void)value;
	search->found |= record->depth == 1 && name && !strcmp(name, search->name);
}

/* Has the record a member of the name of variable i, of its own or of a variable before? */
static bool has_name(const struct report_run *run, const struct process_account *account, size_t i)
{
	struct search search = { { .put = look }, .name = account->variables[i].name };

	add_members(&search.record, run, account);
	for (size_t k = 0; k < i && !search.found; k++)
		search.found = !strcmp(account->variables[k].name, search.name);
	return search.found;
}

void json_process__add(struct record *record, const struct report_run *run,
		       const struct process_account *account)
{
	add_members(record, run, account);
	for (size_t i = 0; i < account->n_variables; i++)
		if (!has_name(run, account, i))
			record__string(record, account->variables[i].name,
				       account->variables[i].value);
	record__end(record);
}

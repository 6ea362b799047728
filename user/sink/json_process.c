// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "report/account_figures.h"
#include "report/estimate.h"
#include "report/kernel_io.h"
#include "report/names.h"
#include "sink/json_process.h"
#include "sink/json_value.h"
#include "sink/series_text.h"

/* A quotient with six decimals, as selFIe's seconds and GiB have two; units: of one. */
static void add_decimal(struct json_object *record, const char *name, __u64 value, __u64 units,
			bool measured)
{
	double number = (double)value / (double)units;
	char text[32];

	snprintf(text, sizeof(text), "%.6f", number);
	json_value__add(record, name, measured ? json_object_new_double_s(number, text) : NULL);
}

/* NAME_time in seconds, and NAME_count. */
static void add_figure(struct json_object *record, const char *name, struct account_figure figure)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_time", name);
	add_decimal(record, key, figure.ns, NS_PER_S, figure.is_known);
	snprintf(key, sizeof(key), "%s_count", name);
	json_value__add_measured(record, key, figure.count, figure.is_known);
}

/* What selFIe tells, under its names and in its units. */
static void add_selfie(struct json_object *record, const struct report_run *run,
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
	json_value__add_string(record, "USER", is_one ? account_figures__user(info->uid) : NULL);
	json_value__add_u64(record, "timestamp", end_ns / NS_PER_S);
	add_decimal(record, "wtime", end_ns - info->start_ns, NS_PER_S, is_one);
	json_value__add_string(record, "command", account->program);
}

/*
 * Of what part of its life all functions of the layer were counted. How many of its calls were of
 * those that were not is not known, and so nothing is estimated.
 */
static void add_unseen(struct json_object *layer, const struct process_account *account, __u8 i)
{
	const struct process_info *info = &account->info;
	__u64 end_ns = info->end_ns ? info->end_ns : account->time_ns,
	      unseen = account->unseen_ns[i];
	__u64 life = end_ns > info->start_ns ? end_ns - info->start_ns : 0;

	if (!unseen)
		return;
	add_decimal(layer, "coverage", unseen < life ? life - unseen : 0, life ? life : 1, true);
	json_value__add(layer, "estimated", NULL);
}

/* Each library that is traced, and was called. */
static struct json_object *layers_of(const struct report_run *run,
				     const struct process_account *account)
{
	struct json_object *layers = json_object_new_object(), *layer;

	for (__u8 i = 0; layers && i < TM_ACCOUNT_LAYERS; i++) {
		const char *name = names__layer(run, TM_LAYER_USER + i);

		if (!name || !account->sums.layers[i].count)
			continue;
		layer = json_object_new_object();
		if (!layer)
			continue;
		json_value__add_u64(layer, "count", account->sums.layers[i].count);
		json_value__add_u64(layer, "total_ns", account->sums.layers[i].ns);
		add_unseen(layer, account, i);
		json_value__add(layers, name, layer);
	}
	return layers;
}

static void add_io(struct json_object *record, const struct report_run *run,
		   const struct process_account *account)
{
	struct account_figure reads = account_figures__access(run, account, TM_DIRECTION_READ);
	struct account_figure writes = account_figures__access(run, account, TM_DIRECTION_WRITE);
	const struct tm_account_sums *sums = &account->sums;
	bool has_storage = account_figures__has_storage(run);

	add_figure(record, "posix_read", reads);
	add_figure(record, "posix_write", writes);
	json_value__add_measured(record, "vfs_read_bytes", sums->vfs[TM_DIRECTION_READ].bytes,
				 reads.is_known);
	json_value__add_measured(record, "vfs_write_bytes", sums->vfs[TM_DIRECTION_WRITE].bytes,
				 reads.is_known);
	json_value__add_measured(record, "vfs_errors", sums->vfs_errors, reads.is_known);
	json_value__add_measured(record, "storage_read_bytes",
				 sums->storage_bytes[TM_DIRECTION_READ], has_storage);
	json_value__add_measured(record, "storage_write_bytes",
				 sums->storage_bytes[TM_DIRECTION_WRITE], has_storage);
	json_value__add(record, "layers", layers_of(run, account));
}

static void add_kernel_io(struct json_object *record, const struct tm_task_io *io)
{
	struct json_object *object = NULL;

	/* Executing a program reads already. */
	if (kernel_io__any(io))
		object = json_object_new_object();
	for (int i = 0; object && i < TM_TASK_IO_COUNTS; i++)
		json_value__add_u64(object, kernel_io_names[i], io->count[i]);
	json_value__add(record, "kernel_io", object);
}

/* What of all there was its operations on files are, where they were not all counted. */
static void add_estimate(struct json_object *record, const struct tm_account_sums *sums)
{
	struct estimate estimate;
	struct json_object *object = NULL;

	if (!estimate__of_process(&estimate, sums))
		return;
	add_decimal(record, "coverage", (__u64)(estimate.coverage * 1e6 + 0.5), 1000000, true);
	if (estimate.known)
		object = json_object_new_object();
	if (object) {
		json_value__add_u64(object, "count", estimate.count.value);
		json_value__add_u64(object, "bytes", estimate.bytes.value);
		json_value__add_u64(object, "total_ns", estimate.total_ns.value);
	}
	json_value__add(record, "estimated", object);
}

static void add_end(struct json_object *record, const struct process_account *account)
{
	bool is_one = account->info.pid, has_ended = account->info.end_ns;
	int code = account_figures__exit_code(account), signal = account_figures__signal(account);

	json_value__add_measured(record, "start_ns", account->info.start_ns, is_one);
	json_value__add_measured(record, "end_ns", account->info.end_ns, has_ended);
	json_value__add_measured(record, "exit_code", (__u64)code, code >= 0);
	json_value__add_measured(record, "signal", (__u64)signal, signal >= 0);
	json_value__add(record, "oom_killed",
			signal < 0 ? NULL : json_object_new_boolean(account->was_oom));
	json_value__add_measured(record, "threads", account->threads, has_ended);
	json_value__add(record, "final", json_object_new_boolean(has_ended || !is_one));
}

/* What a record has by that name already stays, but for who the environment says that it is. */
static void add_variables(struct json_object *record, const struct process_account *account)
{
	for (size_t i = 0; i < account->n_variables; i++) {
		const struct process_variable *variable = &account->variables[i];

		if (!strcmp(variable->name, "USER") ||
		    !json_object_object_get_ex(record, variable->name, NULL))
			json_value__add_string(record, variable->name, variable->value);
	}
}

/* Which process it is; info: NULL: of several. */
static struct json_object *begin(const struct report_run *run,
				 const struct process_account *account,
				 const struct process_info *info)
{
	const char *hostname = info && info->node ? info->node : run->hostname;
	struct json_text text = { 0 };
	struct record_text record = record_text__begin(&text);

	record_text__head(&record, run, "process", account->time_ns, hostname);
	record_text__string(&record, "cgroup", names__cgroup(run, account->job));
	record_text__cgroup(&record, account->job, account->job != 0);
	record_text__string(&record, "step", names__step_of(run, account->job, &account->info));
	series_text__add_who(&record, info, names__jobid_of(run, account->job, &account->info));
	record_text__end(&record);
	return json_text__take_object(&text);
}

struct json_object *json_process__record(const struct report_run *run,
					 const struct process_account *account)
{
	const struct process_info *info = account->info.pid ? &account->info : NULL;
	struct json_object *record = begin(run, account, info);

	if (!record)
		return NULL;
	/* Several together may be those of a rank. */
	if (!info && account->info.rank >= 0)
		json_value__add_u64(record, "rank", (__u64)account->info.rank);
	json_value__add_number(record, "ppid", info ? info->ppid : 0, info);
	json_value__add_u64(record, "processes", account->processes);
	add_selfie(record, run, account);
	add_io(record, run, account);
	add_kernel_io(record, &account->sums.task_io);
	add_estimate(record, &account->sums);
	add_end(record, account);
	add_variables(record, account);
	return record;
}

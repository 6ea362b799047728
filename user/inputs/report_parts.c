// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/utf8.h"
#include "inputs/folder_files.h"
#include "inputs/report_parts.h"

/* More ranks than jobs have. */
#define RANKS_MAX (1U << 20)

static void close_file(struct report_file *file)
{
	filter__release(&file->filtered);
	recording__close(file->recording);
	rank_sums__free(file->ranks);
	free(file->name);
	free(file->path);
}

void report_parts__close(struct report_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		close_file(&parts->files[i]);
	free(parts->files);
	free(parts->at);
	*parts = (struct report_parts){ 0 };
}

/* Of one that lives on there may be several, each with all that it did. */
static int take_account(const struct report_input *input, struct recording *recording,
			struct rank_sums *ranks)
{
	const struct process_account *account = recording__account(recording);

	if (!account || (account->info.pid && !account->info.end_ns) ||
	    !filter__passes_account(input->filter, recording__run(recording), account))
		return 0;
	return rank_sums__add(ranks, account->job, account);
}

/* Goes through what is no state, and back to the totals. */
static int take_events(const struct report_input *input, struct recording *recording,
		       struct rank_sums *ranks, struct error *err)
{
	struct recording_state state;
	struct call_batch batch;
	int ret;

	recording__state(recording, &state);
	if (!input->slowest && !input->volumes && !state.accounts)
		return 0;
	recording__rewind(recording);
	while ((ret = recording__next(recording, err)) > 0) {
		if (ret == RECORDING_STEP_CALLS && input->slowest &&
		    !recording__calls(recording, &batch))
			slowest__take(input->slowest, recording__run(recording), &batch);
		else if (ret == RECORDING_STEP_SNAPSHOT && input->volumes)
			volumes__take(input->volumes, recording__run(recording),
				      recording__snapshot(recording), input->filter);
		else if (ret == RECORDING_STEP_ACCOUNT && take_account(input, recording, ranks) < 0)
			return error__set(err, -ENOMEM, "no memory");
	}
	return ret < 0 ? ret : recording__total(recording, err);
}

static int read_file(struct report_file *file, const struct report_input *input, struct error *err)
{
	const struct report_run *run;
	int ret = recording__open(&file->recording, file->path, err);

	if (ret < 0)
		return ret;
	file->ranks = rank_sums__new(RANKS_MAX);
	if (!file->ranks)
		return error__set(err, -ENOMEM, "no memory");
	ret = take_events(input, file->recording, file->ranks, err);
	if (ret < 0)
		return ret;
	run = recording__run(file->recording);
	file->name = strdup(run->hostname);
	ret = filter__apply(input->filter, run, recording__snapshot(file->recording),
			    &file->filtered);
	return ret < 0 || !file->name ? error__set(err, -ENOMEM, "%s: no memory", file->path) : 0;
}

static int open_file(struct report_parts *parts, const struct report_input *input, const char *path,
		     struct error *err)
{
	struct report_file *file;
	int ret;

	if (array__grow((void **)&parts->files, &parts->room, parts->n, sizeof(*file)) < 0)
		return error__set(err, -ENOMEM, "no memory");
	file = &parts->files[parts->n];
	*file = (struct report_file){ .path = strdup(path) };
	ret = file->path ? read_file(file, input, err) : error__set(err, -ENOMEM, "no memory");
	if (ret < 0)
		close_file(file);
	else
		parts->n++;
	return ret;
}

static const char *hostname_of(const struct report_parts *parts, size_t i)
{
	return recording__run(parts->files[i].recording)->hostname;
}

/* Parts are called after their nodes; several of a node after their files, too. */
static int name_parts(struct report_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		struct report_file *file = &parts->files[i];
		const char *hostname = hostname_of(parts, i);
		size_t of_node = 0;
		char *name;

		for (size_t j = 0; j < parts->n; j++)
			of_node += !strcmp(hostname_of(parts, j), hostname);
		if (of_node == 1)
			continue;
		if (asprintf(&name, "%s %s", hostname, file->path) < 0)
			return -ENOMEM;
		free(file->name);
		file->name = name;
	}
	return 0;
}

/* The files stay where they are from here on. */
static int make_parts(struct report_parts *parts)
{
	parts->at = calloc(parts->n + 1, sizeof(*parts->at));
	if (!parts->at || name_parts(parts) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < parts->n; i++) {
		const struct report_file *file = &parts->files[i];

		parts->at[i] = (struct report_part){
			.name = file->name,
			.run = recording__run(file->recording),
			.snapshot = &file->filtered,
			.ranks = file->ranks,
		};
	}
	return 0;
}

/* Why a file in a folder is not shown: it may be called anything. */
static void tell_left_out(const struct error *why)
{
	char *line = utf8__printable(why->text);

	fprintf(stderr, "tmtrace: %s; it is left out\n", line ? line : "no memory");
	free(line);
}

static bool has_job(const struct snapshot *snapshot, __u64 job)
{
	for (size_t i = 0; i < snapshot->n_series; i++)
		if (snapshot->series[i]->total.key.job == job)
			return true;
	return false;
}

/* Two readings of the same counters, of which the later one has all that the earlier one has. */
static bool is_same(const struct report_file *a, const struct report_file *b)
{
	const struct snapshot *left = &a->filtered, *right = &b->filtered;

	if (strcmp(recording__run(a->recording)->epoch, recording__run(b->recording)->epoch) != 0)
		return false;
	for (size_t i = 0; i < left->n_series; i++)
		if (has_job(right, left->series[i]->total.key.job))
			return true;
	return false;
}

static void exchange(struct report_file *a, struct report_file *b)
{
	const struct report_file file = *a;

	*a = *b;
	*b = file;
}

static void leave_out(struct report_parts *parts, size_t i, const struct report_file *whole)
{
	struct report_file *file = &parts->files[i];
	struct error why;

	error__set(&why, 0, "%s: has figures that are in %s, too, as far as they go", file->path,
		   whole->path);
	tell_left_out(&why);
	close_file(file);
	memmove(file, file + 1, (--parts->n - i) * sizeof(*file));
}

/* Copies, and what was written of a job before it went on. */
static void leave_out_copies(struct report_parts *parts, size_t first)
{
	for (size_t i = first; i < parts->n; i++) {
		struct report_file *file = &parts->files[i];

		for (size_t j = parts->n - 1; j > i; j--) {
			struct report_file *other = &parts->files[j];

			if (!is_same(file, other))
				continue;
			if (file->filtered.time_ns < other->filtered.time_ns)
				exchange(file, other);
			leave_out(parts, j, file);
		}
	}
}

static int open_folder(struct report_parts *parts, const struct report_input *input,
		       const char *folder, struct error *err)
{
	struct path_list files = { 0 };
	size_t first = parts->n;
	int ret = folder_files__add(&files, folder, err);

	for (size_t i = 0; i < files.n && ret == 0; i++) {
		ret = open_file(parts, input, files.at[i], err);
		if (ret == -ENOMEM || ret == 0)
			continue;
		tell_left_out(err);
		ret = 0;
	}
	path_list__free(&files);
	leave_out_copies(parts, first);
	if (ret == 0 && parts->n == first)
		ret = error__set(err, -ENODATA, "%s: no recording is in this folder", folder);
	return ret;
}

int report_parts__open(struct report_parts *parts, const struct report_input *input,
		       struct error *err)
{
	int ret = 0;

	*parts = (struct report_parts){ 0 };
	for (size_t i = 0; i < input->n_files && ret == 0; i++) {
		const char *file = input->files[i];

		if (folder_files__is_folder(file))
			ret = open_folder(parts, input, file, err);
		else
			ret = open_file(parts, input, file, err);
	}
	if (ret == 0 && make_parts(parts) < 0)
		ret = error__set(err, -ENOMEM, "no memory");
	return ret;
}

bool report_parts__are_at(const struct report_parts *parts, const char *path)
{
	struct stat out, in;

	if (!strcmp(path, "-") || stat(path, &out) < 0)
		return false;
	for (size_t i = 0; i < parts->n; i++) {
		if (stat(parts->files[i].path, &in) == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return true;
	}
	return false;
}

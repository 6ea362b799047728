// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/process_output.h"
#include "command/output_file.h"
#include "job/unseen.h"
#include "sink/selfie.h"

/* Ranks of jobs that are kept, those of jobs that are over included. */
#define RANKS_MAX 8192

struct process_output {
	const struct options_processes *options;
	const struct report_run *run;
	struct accounts *accounts;    /* NULL before the start */
	struct sink_json *json;	      /* NULL: none */
	struct sink_syslog *syslog;   /* the same */
	struct recorder *recorder;    /* the same */
	struct output_file *file;     /* of selfie; NULL: standard output */
	FILE *selfie;		      /* the same */
	struct rank_sums *ranks;      /* the same */
	struct job_map jobs;	      /* of these */
	struct unseen *const *unseen; /* NULL: no probe is ever parked */
};

static void close_selfie(struct process_output *output)
{
	struct error ignored;

	output_file__close(output->file, &ignored);
	output->selfie = NULL;
	output->file = NULL;
}

static int open_selfie(struct process_output *output, const char *user, struct error *err)
{
	const char *path = output->options->selfie;
	int rc;

	if (!path)
		return 0;
	if (!strcmp(path, "-")) {
		output->selfie = stdout;
		return 0;
	}
	rc = output_file__open(&output->file, path, user, true, err);
	if (rc == 0)
		output->selfie = output_file__stream(output->file);
	return rc;
}

int process_output__open(struct process_output **out, const struct options *options,
			 struct sink_json *json, const struct report_run *run, struct error *err)
{
	struct process_output *output;
	int rc;

	*out = NULL;
	if (!options->processes.on)
		return 0;
	output = calloc(1, sizeof(*output));
	if (!output)
		return error__set(err, -ENOMEM, "no memory");
	output->options = &options->processes;
	output->json = json;
	output->run = run;
	rc = open_selfie(output, options->user, err);
	if (rc < 0)
		process_output__close(output);
	else
		*out = output;
	return rc;
}

int process_output__start(struct process_output *output, const struct kernel *kernel,
			  struct sink_syslog *syslog, struct recorder *recorder, struct error *err)
{
	struct account_maps maps;

	if (!output || !kernel__accounts(kernel, &maps))
		return 0;
	output->syslog = syslog;
	output->recorder = recorder;
	return accounts__open(&output->accounts, &maps, &output->options->variables, err);
}

void process_output__know_unseen(struct process_output *output, struct unseen *const *unseen)
{
	if (output)
		output->unseen = unseen;
}

int process_output__begin(struct process_output *output, struct error *err)
{
	return output && output->file ? output_file__begin(output->file, err) : 0;
}

void process_output__note_interrupted(const struct process_output *output, struct note_list *notes)
{
	__u64 n = output && output->accounts ? accounts__interrupted(output->accounts) : 0;

	if (n)
		note_list__add(notes,
			       "the service before was killed when it told of %llu processes that "
			       "ended: their records may be missing",
			       n);
}

/* A line at once, so that those of several writers do not mix. What fails is told, once. */
static void put_selfie(struct process_output *output, const struct process_account *account)
{
	char *line = selfie__line(output->run, account, SIZE_MAX);
	bool failed = !line || fprintf(output->selfie, "%s\n", line) < 0 || fflush(output->selfie);

	free(line);
	if (!failed)
		return;
	fprintf(stderr, "tmtrace: %s: %s: processes from here on are not written\n",
		output->options->selfie, strerror(errno ? errno : EIO));
	close_selfie(output);
}

/* Of the whole process, what it called is not known by function: so the longest gaps count. */
static void add_unseen(const struct process_output *output, struct process_account *account)
{
	__u64 end_ns = account->info.end_ns ? account->info.end_ns : account->time_ns;

	for (__u8 i = 0; output->unseen && *output->unseen && i < TM_ACCOUNT_LAYERS; i++)
		if (account->sums.layers[i].count)
			account->unseen_ns[i] = unseen__missed_ns(
				*output->unseen, TM_LAYER_USER + i, account->info.start_ns, end_ns);
}

/* A failure is told with the next figures, or at the end. */
static void tell(void *context, const struct process_account *told)
{
	struct process_output *output = context;
	struct process_account copy = *told;
	const struct process_account *account = &copy;
	struct error err;

	add_unseen(output, &copy);
	/* Of ranks, those are left out that there is no memory for. */
	if (output->ranks && account->info.end_ns)
		rank_sums__add(output->ranks, job_map__of(&output->jobs, account->job), account);
	if (output->options->filter && !process_filter__lets(output->options->filter, account))
		return;
	if (output->json)
		sink_json__process(output->json, account, &err);
	if (output->syslog)
		sink_syslog__process(output->syslog, account);
	/* Of the recording, a failure is told at once, and only then. */
	if (output->recorder && recorder__account(output->recorder, account, &err) < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	/* selFIe tells of a process when it ends. */
	if (output->selfie && account->info.end_ns)
		put_selfie(output, account);
}

int process_output__fd(const struct process_output *output)
{
	return output->accounts ? accounts__fd(output->accounts) : -1;
}

void process_output__drain(struct process_output *output, bool over)
{
	if (output && output->accounts)
		accounts__take_ended(output->accounts, over, tell, output);
}

void process_output__interval(struct process_output *output)
{
	if (output && output->accounts)
		accounts__each_live(output->accounts, tell, output);
}

int process_output__keep_ranks(struct process_output *output, struct job_map jobs)
{
	if (!output)
		return 0;
	output->jobs = jobs;
	output->ranks = rank_sums__new(RANKS_MAX);
	return output->ranks ? 0 : -ENOMEM;
}

struct ranks_taker {
	const struct job_map *jobs;
	void (*take)(void *context, const struct process_account *account);
	void *context;
};

static void take_untold(void *context, const struct process_account *account)
{
	const struct ranks_taker *taker = context;
	struct process_account rank = *account;

	if (rank.info.rank < 0)
		return;
	rank.job = job_map__of(taker->jobs, rank.job);
	taker->take(taker->context, &rank);
}

static int take_sum(void *context, const struct process_account *account)
{
	const struct ranks_taker *taker = context;

	taker->take(taker->context, account);
	return 0;
}

void process_output__each_rank(struct process_output *output,
			       void (*take)(void *context, const struct process_account *account),
			       void *context)
{
	struct ranks_taker taker = { .take = take, .context = context };

	if (!output || !output->accounts || !output->ranks)
		return;
	taker.jobs = &output->jobs;
	process_output__drain(output, false);
	rank_sums__each(output->ranks, take_sum, &taker);
	accounts__each_untold(output->accounts, take_untold, &taker);
}

void process_output__finish(struct process_output *output, struct note_list *notes)
{
	struct process_account others;

	if (!output || !output->accounts || !accounts__others(output->accounts, &others))
		return;
	tell(output, &others);
	note_list__add(notes,
		       "%llu processes have no record of their own, but one together: too many ran "
		       "at the same time",
		       others.processes);
}

void process_output__close(struct process_output *output)
{
	if (!output)
		return;
	accounts__close(output->accounts);
	rank_sums__free(output->ranks);
	close_selfie(output);
	free(output);
}

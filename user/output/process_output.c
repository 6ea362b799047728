// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "job/unseen.h"
#include "output/process_output.h"

/* Ranks of jobs that are kept, those of jobs that are over included. */
#define RANKS_MAX 8192

struct process_output {
	const struct options_processes *options;
	struct sinks *sinks;
	struct accounts *accounts;
	struct rank_sums *ranks;      /* NULL: they are not kept */
	struct job_map jobs;	      /* of these */
	struct unseen *const *unseen; /* NULL: no probe is ever parked */
};

int process_output__start(struct process_output **out, const struct kernel *kernel,
			  struct sinks *sinks, struct error *err)
{
	struct process_output *output;
	struct account_maps maps;

	if (!sinks->options->processes.on || !kernel__accounts(kernel, &maps))
		return 0;
	output = calloc(1, sizeof(*output));
	if (!output)
		return error__set(err, -ENOMEM, "no memory");
	*out = output;
	output->options = &sinks->options->processes;
	output->sinks = sinks;
	return accounts__open(&output->accounts, &maps, &output->options->variables, err);
}

void process_output__know_unseen(struct process_output *output, struct unseen *const *unseen)
{
	if (output)
		output->unseen = unseen;
}

void process_output__note_interrupted(const struct process_output *output, struct note_list *notes)
{
	__u64 n = output ? accounts__interrupted(output->accounts) : 0;

	if (n)
		note_list__add(notes,
			       "the service before was killed when it told of %llu processes that "
			       "ended: their records may be missing",
			       n);
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

	add_unseen(output, &copy);
	/* Of ranks, those are left out that there is no memory for. */
	if (output->ranks && account->info.end_ns)
		rank_sums__add(output->ranks, job_map__of(&output->jobs, account->job), account);
	if (output->options->filter && !process_filter__lets(output->options->filter, account))
		return;
	SINKS_TELL(output->sinks, process, account);
}

int process_output__fd(const struct process_output *output)
{
	return accounts__fd(output->accounts);
}

void process_output__drain(struct process_output *output, bool over)
{
	if (output)
		accounts__take_ended(output->accounts, over, tell, output);
}

void process_output__interval(struct process_output *output)
{
	if (output)
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

	if (!output || !output->ranks)
		return;
	taker.jobs = &output->jobs;
	process_output__drain(output, false);
	rank_sums__each(output->ranks, take_sum, &taker);
	accounts__each_untold(output->accounts, take_untold, &taker);
}

void process_output__finish(struct process_output *output, struct note_list *notes)
{
	struct process_account others;

	if (!output || !accounts__others(output->accounts, &others))
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
	free(output);
}

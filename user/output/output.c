// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "host/process_list.h"
#include "output/addb_output.h"
#include "output/output.h"
#include "output/process_output.h"
#include "output/recorder.h"
#include "output/sinks.h"
#include "session/live_run.h"
#include "sink/syslog.h"

struct output {
	const struct options *options;
	struct session *session;
	struct live_run *live;
	struct calls *calls;		  /* NULL: single calls are not recorded */
	struct addb_output *addb;	  /* NULL: no ADDB2 records */
	struct process_output *processes; /* NULL: no records of processes */
	struct sinks sinks;
	bool failed; /* the user knows already */
};

int output__open(struct output **out, const struct options *options, struct session *session,
		 char **argv, struct error *err)
{
	struct output *output = calloc(1, sizeof(*output));
	int ret;

	if (!output)
		return error__set(err, -ENOMEM, "no memory");
	*out = output;
	output->options = options;
	ret = live_run__open(&output->live, session, argv, err);
	if (ret < 0)
		return ret;
	output->session = session;
	output->sinks = (struct sinks){
		.options = options,
		.session = session,
		.live = output->live,
	};
	if (!options->json && !options->record)
		output->sinks.tables = options->scope == SCOPE_COMMAND ? stderr : stdout;
	return sinks__open(&output->sinks, err);
}

static void take_calls(void *context, const struct call_batch *batch)
{
	const struct output *output = context;

	SINKS_TELL(&output->sinks, calls, batch);
}

/* Whose stacks are to be expected. */
static void meet_processes(struct output *output)
{
	const struct options *options = output->options;
	pid_t *pids = NULL;
	struct error err;
	size_t n;

	if (!options->calls.stacks || options->scope == SCOPE_COMMAND)
		return;
	if (options->scope == SCOPE_PIDS) {
		calls__meet(output->calls, options->pids, options->n_pids);
		return;
	}
	if (process_list__all(&pids, &n, &err) == 0)
		calls__meet(output->calls, pids, n);
	free(pids);
}

static int open_calls(struct output *output, struct error *err)
{
	struct drain_maps maps;
	const struct calls_options options = {
		.maps = &maps,
		.drain = output->session->drain,
		.stacks = output->options->calls.stacks,
		.catalogue = output->session->catalogue,
		.probes = output->session->probes,
		.notes = &output->session->notes,
		/* Small ones where there may never be any. */
		.batch_bytes = output->sinks.recorder && !output->options->calls.quiet
				       ? recorder__batch_max(output->sinks.recorder)
				       : 0,
		.jobs = live_run__jobs(output->live),
		.take = take_calls,
		.context = output,
	};

	int ret;

	if (!output->options->calls.on)
		return 0;
	kernel__maps(output->session->kernel, &maps);
	ret = calls__open(&output->calls, &options, err);
	if (!ret)
		meet_processes(output);
	return ret;
}

int output__start(struct output *output, struct error *err)
{
	int ret;

	ret = live_run__start(output->live, err);
	if (!ret)
		ret = open_calls(output, err);
	if (!ret)
		ret = addb_output__start(&output->addb, output->session->kernel, &output->sinks,
					 err);
	if (!ret)
		ret = process_output__start(&output->processes, output->session->kernel,
					    &output->sinks, err);
	process_output__know_unseen(output->processes, &output->session->unseen);
	if (!ret)
		process_output__note_interrupted(output->processes, &output->session->notes);
	/* What is there is replaced once nothing else can fail. */
	if (!ret)
		ret = sinks__start(&output->sinks, err);
	output->failed |= ret < 0;
	return ret;
}

static void on_calls(void *context)
{
	struct output *output = context;
	struct error err;

	live_run__follow(output->live); /* who makes calls is known before they are told */
	calls__drain(output->calls, false, &err);
}

static void on_addb(void *context)
{
	struct output *output = context;
	struct error err;

	if (addb_output__drain(output->addb, false, &err) < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
}

static void on_processes(void *context)
{
	struct output *output = context;

	process_output__drain(output->processes, false);
}

/* What comes through a ring buffer: when it has filled, and from time to time. */
static int watch_ring(struct output *output, struct loop *loop, int fd, double period_s,
		      void (*take)(void *context))
{
	int ret = loop__watch_ring(loop, fd, take, output);

	return ret ? ret : loop__tend(loop, period_s, take, output, NULL);
}

static void on_log(void *context)
{
	struct output *output = context;

	sink_syslog__flush(output->sinks.syslog);
}

static void on_objects(void *context)
{
	struct output *output = context;

	object_table__tend(output->session->objects);
}

int output__watch(struct output *output, struct loop *loop)
{
	int addb = addb_output__fd(output->addb), ret = live_run__watch(output->live, loop);
	bool live = output->options->json || output->sinks.syslog;

	if (!ret && output->calls)
		ret = watch_ring(output, loop, calls__fd(output->calls),
				 live ? CALLS_PERIOD_S : CALLS_RECORDED_S, on_calls);
	if (!ret && addb >= 0)
		ret = watch_ring(output, loop, addb, ADDB_PERIOD_S, on_addb);
	if (!ret && output->processes)
		ret = watch_ring(output, loop, process_output__fd(output->processes),
				 ACCOUNTS_PERIOD_S, on_processes);
	if (!ret && output->sinks.syslog)
		ret = loop__watch(loop, sink_syslog__fd(output->sinks.syslog), on_log, output);
	if (!ret && output->sinks.syslog)
		ret = loop__tend(loop, SYSLOG_PERIOD_S, on_log, output, NULL);
	if (!ret && output->session->objects)
		ret = loop__tend(loop, OBJECT_TABLE_TEND_S, on_objects, output, NULL);
	return ret;
}

void output__finish_log(struct output *output)
{
	if (output->sinks.syslog)
		sink_syslog__finish(output->sinks.syslog);
}

/* What is missing in the stacks of calls. */
static void note_stacks(const struct output *output)
{
	struct note_list *notes = &output->session->notes;
	struct calls_stack_losses losses;

	calls__stack_losses(output->calls, &losses);
	if (losses.unknown)
		note_list__add(notes,
			       "%llu stacks show addresses alone: their processes were gone before "
			       "it was known what they had mapped",
			       losses.unknown);
	if (losses.mapped)
		note_list__add(notes,
			       "stacks may show addresses alone: %llu newly mapped files were not "
			       "seen, there were too many at once",
			       losses.mapped);
	if (losses.large)
		note_list__add(notes,
			       "%llu calls were recorded without their stack: it was too large for "
			       "a block of the recording, or there was no memory",
			       losses.large);
}

static int print_snapshot(struct output *output, bool final, struct error *err)
{
	const struct snapshot *snapshot;
	struct snapshot shown;
	int ret = 0;

	if (final)
		live_run__finish(output->live);
	live_run__follow(output->live);
	if (output->calls)
		ret = calls__drain(output->calls, final, err);
	if (!ret)
		ret = addb_output__drain(output->addb, final, err);
	process_output__drain(output->processes, final);
	if (output->options->interval_s)
		process_output__interval(output->processes);
	if (!ret && final) {
		addb_output__finish(output->addb, &output->session->notes);
		process_output__finish(output->processes, &output->session->notes);
	}
	if (ret < 0)
		return ret;
	if (final && output->calls)
		note_stacks(output);
	ret = live_run__read(output->live, &snapshot, err);
	if (ret < 0)
		return ret;
	shown = *snapshot;
	if (final)
		ret = live_run__show_timelines(output->live, &shown, err);
	if (ret < 0)
		return ret;
	live_run__note_told(output->live, shown.time_ns);
	return sinks__figures(&output->sinks, &shown, final, err);
}

int output__record(struct output *output, bool asked, struct error *err)
{
	addb_output__record(output->addb);
	return recorder__write(output->sinks.recorder, asked, err);
}

struct output_state *output__history_state(const struct output *output)
{
	return output->sinks.recorder ? recorder__state(output->sinks.recorder) : NULL;
}

struct output_state *output__log_state(const struct output *output)
{
	return output->sinks.syslog ? sink_syslog__state(output->sinks.syslog) : NULL;
}

void output__hurry(struct output *output)
{
	if (output->sinks.recorder)
		output_state__hurry(recorder__state(output->sinks.recorder));
	if (output->sinks.syslog)
		output_state__hurry(sink_syslog__state(output->sinks.syslog));
}

void output__choose_log(struct output *output, unsigned int types, unsigned int rate)
{
	if (output->sinks.syslog)
		sink_syslog__choose(output->sinks.syslog, types, rate);
}

void output__log_counts(const struct output *output, struct syslog_counts *out)
{
	*out = (struct syslog_counts){ 0 };
	if (output->sinks.syslog)
		sink_syslog__counts(output->sinks.syslog, out);
}

const struct snapshot *output__recorded(const struct output *output)
{
	return output->sinks.recorder ? recorder__latest(output->sinks.recorder) : NULL;
}

struct drain *output__recorder_drain(const struct output *output)
{
	return output->sinks.recorder ? recorder__drain(output->sinks.recorder) : NULL;
}

int output__keep_ranks(struct output *output)
{
	return process_output__keep_ranks(output->processes, live_run__jobs(output->live));
}

void output__each_rank(struct output *output,
		       void (*take)(void *context, const struct process_account *account),
		       void *context)
{
	live_run__follow(output->live); /* whose cgroups are new */
	process_output__each_rank(output->processes, take, context);
}

struct live_run *output__live(const struct output *output)
{
	return output->live;
}

void output__tell(const struct output *output)
{
	if (output->sinks.recorder)
		recorder__tell(output->sinks.recorder);
}

int output__print(struct output *output, bool final, struct error *err)
{
	int ret = print_snapshot(output, final, err);

	output->failed |= ret < 0;
	return ret;
}

int output__close(struct output *output)
{
	int ret;

	if (!output)
		return 0;
	ret = sinks__close(&output->sinks, output->failed);
	addb_output__close(output->addb);
	process_output__close(output->processes);
	calls__close(output->calls);
	live_run__close(output->live);
	free(output);
	return ret;
}

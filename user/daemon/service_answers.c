// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/service_answers.h"
#include "daemon/service_files.h"
#include "daemon/service_levels.h"
#include "daemon/service_metrics.h"
#include "governor/node_cost.h"
#include "output/recorder.h"
#include "report/job_names.h"
#include "report/jobs.h"
#include "report/names.h"
#include "service/answer.h"
#include "service/server.h"
#include "service/status.h"
#include "session/continuity.h"
#include "sink/record_tree.h"

/* How often clients are looked at that take too long, in seconds. */
#define TEND_S 5

struct service_answers {
	const struct service_config *config;
	struct server *server;
	struct owners *owners;
	struct session *session;
	struct output *output;
	struct service_levels *levels;
	struct service_metrics *metrics;
	struct drain *drain; /* NULL: what is recorded is read along with it */
	struct drain *jobs;  /* from which single jobs are read: this one, or what is recorded */
	struct node_cost cost;
	double history_s;	      /* so often the history is written; 0: there is none */
	struct recording_about about; /* of recordings that are answers */
	char boot_id[RECORDER_BOOT_ID];
	bool unread; /* the figures could not be read for files, which was told */
	struct service_files *files;
};

/* Of the node, what was read a moment ago is good enough, however many ask. */
#define FRESH_NS (20 * NS_PER_MS)

/*
 * With a history there is no further copy of all figures for those who ask: they get what is
 * recorded, now. fresh: a moment ago is not enough.
 */
static int read_figures(struct service_answers *answers, bool fresh, const struct snapshot **out,
			struct error *err)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	int ret;

	if (answers->drain)
		return live_run__read_from(output__live(answers->output), answers->drain, true, out,
					   err);
	*out = output__recorded(answers->output);
	if (*out && !fresh && now - (*out)->monotonic_ns < FRESH_NS)
		return 0;
	ret = output__record(answers->output, true, err);
	*out = output__recorded(answers->output);
	/* There are those of before. */
	if (ret < 0 && *out)
		fprintf(stderr, "tmtrace: %s\n", err->text);
	return *out ? 0 : ret;
}

/* The jobs that are asked for. */
struct wanted {
	struct live_run *live;
	const struct answer_source *source;
	const struct request *request;
	uid_t uid;
	__u64 marks; /* of the name */
};

/* One that awaits its name may be called anything; to ask what it is called brings the name. */
static __u64 marks_of(const struct wanted *wanted, __u64 job)
{
	if (live_run__awaits_name(wanted->live, job))
		return ~0ULL;
	return job_names__marks(wanted->source->run, job);
}

/* Most jobs are called otherwise, as their marks tell. */
static bool is_called(const struct wanted *wanted, __u64 job, struct job_note *note)
{
	__u64 renames = live_run__renames(wanted->live);

	if (!note->marks || note->stamp != renames)
		*note = (struct job_note){ marks_of(wanted, job), renames };
	return (note->marks & wanted->marks) == wanted->marks &&
	       job_names__has(wanted->source->run, job, wanted->request->job);
}

static bool is_chosen(void *context, __u64 job, struct job_note *note)
{
	const struct wanted *wanted = context;

	if (wanted->request->job[0])
		return is_called(wanted, job, note);
	return answer__may_see(wanted->source, wanted->request, wanted->uid, job);
}

/*
 * The figures of the jobs that are named, or that a user may see: nothing is recorded, however
 * often that is asked for. What probes have seen is told to root alone.
 */
static int read_jobs(struct service_answers *answers, const struct answer_source *source,
		     const struct request *request, uid_t uid, const struct snapshot **out,
		     struct error *err)
{
	struct live_run *live = output__live(answers->output);
	struct wanted wanted = {
		.live = live,
		.source = source,
		.request = request,
		.uid = uid,
		.marks = job_names__marks_of(request->job),
	};
	const struct drain_choice choice = {
		.chosen = is_chosen,
		.context = &wanted,
		.probes = uid == 0 ? source->run->n_probes : 0,
	};

	return live_run__read_jobs(live, answers->jobs, &choice, out, err);
}

static struct service_outputs outputs_of(const struct service_answers *answers)
{
	struct service_outputs outputs = { 0 };

	outputs.at[OUTPUT_HISTORY] = output__history_state(answers->output);
	outputs.at[OUTPUT_LOG] = output__log_state(answers->output);
	service_files__states(answers->files, &outputs);
	return outputs;
}

/* All that is known now. */
static int read_status(struct service_answers *answers, bool fresh, struct service_status *out,
		       struct error *err)
{
	struct live_run *live = output__live(answers->output);
	const struct snapshot *snapshot;
	int ret = read_figures(answers, fresh, &snapshot, err);

	if (ret < 0)
		return ret;
	*out = (struct service_status){
		.run = live_run__report(live),
		.snapshot = snapshot,
		.config = answers->config,
		.cost = node_cost__interval(&answers->cost),
		.own_ns = clock__ns(CLOCK_PROCESS_CPUTIME_ID),
		.history_s = answers->history_s,
		.hierarchy = answers->session->hierarchy,
		.passes = answers->session->passes,
		.outputs = outputs_of(answers),
	};
	output__log_counts(answers->output, &out->log);
	if (answers->session->continuity) {
		const struct continuity_epoch epoch =
			continuity__epoch(answers->session->continuity);

		out->restarts = epoch.restarts;
		out->adopted = epoch.continued ? epoch.links : 0;
	}
	return 0;
}

static void each_rank(void *context, answer_take_rank take, void *take_context)
{
	struct service_answers *answers = context;

	output__each_rank(answers->output, take, take_context);
}

/* What was counted: of one job, or of all. */
static int tell_figures(struct service_answers *answers, const struct request *request, uid_t uid,
			FILE *body, struct error *err)
{
	struct answer_source source = { .run = live_run__report(output__live(answers->output)),
					.about = &answers->about,
					.owners = answers->owners,
					.each_rank = each_rank,
					.context = answers };
	struct snapshot with_timelines;
	int ret = 0;

	/* What is recorded now is in the timelines, too. */
	if (request->timelines && !answers->drain)
		ret = read_figures(answers, true, &source.snapshot, err);
	if (ret < 0)
		return ret;
	if (request->job[0] || uid != 0)
		ret = read_jobs(answers, &source, request, uid, &source.snapshot, err);
	else
		/* Anew: who asks when the own job has ended is to see it. */
		ret = read_figures(answers, true, &source.snapshot, err);
	if (ret < 0)
		return ret;
	if (request->timelines) {
		with_timelines = *source.snapshot;
		live_run__show_coarse(output__live(answers->output), &with_timelines);
		source.snapshot = &with_timelines;
	}
	return request->kind == REQUEST_DUMP ? answer__dump(&source, request, uid, body, err)
					     : answer__report(&source, request, uid, body, err);
}

/* How it fares, or is to go on. */
static int tell_status(struct service_answers *answers, const struct request *request, uid_t uid,
		       FILE *body, struct error *err)
{
	struct answer_source source = { .owners = answers->owners };
	struct record_tree levels = record_tree__new(NULL);
	struct service_status status;
	int ret = read_status(answers, request->kind == REQUEST_SET, &status, err);

	if (ret < 0)
		return ret;
	source.run = status.run;
	source.snapshot = status.snapshot;
	if (request->kind == REQUEST_SET)
		return service_levels__set(answers->levels, &source, request, uid, body, err);
	if (request->probes && uid != 0)
		return error__set(err, -EPERM, "single probes are shown to root only");
	status.names_jobs = uid == 0;
	service_levels__add(&levels.record, NULL, answers->levels, &source, uid);
	status.levels = record_tree__take(&levels);
	status__write(&status, request->probes, body);
	json_object_put(status.levels);
	return 0;
}

/* What all jobs did, for Prometheus. */
static int tell_metrics(struct service_answers *answers, const struct request *request, uid_t uid,
			FILE *body, struct error *err)
{
	struct service_status status;
	int ret = service_metrics__may_see(answers->metrics, uid, err);

	if (!ret)
		ret = read_status(answers, false, &status, err);
	return ret < 0 ? ret : service_metrics__tell(answers->metrics, &status, request, body, err);
}

static int make_answer(void *context, const struct request *request, uid_t uid, FILE *body,
		       struct error *err)
{
	bool of_figures = request->kind == REQUEST_DUMP || request->kind == REQUEST_REPORT;

	if (request->kind == REQUEST_METRICS)
		return tell_metrics(context, request, uid, body, err);
	return (of_figures ? tell_figures : tell_status)(context, request, uid, body, err);
}

/* Whose a job is can be found only while it is there. */
static void find_owners(struct service_answers *answers, const struct service_status *status)
{
	const struct report_run *run = status->run;
	struct jobs jobs;

	jobs__start(&jobs, status->snapshot);
	while (jobs__next(&jobs))
		if (jobs__id(&jobs) && !tm_env_job_is(jobs__id(&jobs)))
			answer__owner(answers->owners, run, jobs__id(&jobs));
}

static void on_snapshot(void *context)
{
	struct service_answers *answers = context;
	struct service_status status;
	struct error err = { 0 };
	int ret = read_status(answers, false, &status, &err);

	if (ret >= 0) {
		node_cost__read(&answers->cost, answers->session->kernel, status.run,
				status.snapshot);
		status.cost = node_cost__interval(&answers->cost);
		find_owners(answers, &status);
		service_files__write(answers->files, &status);
	}
	/* Once, until it goes again. */
	if (ret < 0 && !answers->unread)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	answers->unread = ret < 0;
}

static int read_for_files(void *context, struct service_status *out, struct error *err)
{
	return read_status(context, false, out, err);
}

static void on_client(void *context)
{
	struct service_answers *answers = context;

	server__serve(answers->server);
}

static void on_tend(void *context)
{
	struct service_answers *answers = context;

	server__tend(answers->server);
	service_levels__tend(answers->levels);
}

int service_answers__open(struct service_answers **out, const struct service_config *config,
			  struct error *err)
{
	struct service_answers *answers = calloc(1, sizeof(*answers));
	int ret;

	if (!answers)
		return error__set(err, -ENOMEM, "no memory");
	answers->config = config;
	answers->history_s = config->history ? RECORDER_INTERVAL_S : 0;
	ret = server__open(&answers->server, config->socket, make_answer, answers, err);
	if (ret < 0)
		free(answers);
	else
		*out = answers;
	return ret;
}

/* Are the counters older than this process? */
static bool is_continued(const struct continuity *continuity)
{
	return continuity && continuity__epoch(continuity).continued;
}

int service_answers__start(struct service_answers *answers, struct session *session,
			   struct output *output, struct error *err)
{
	const struct cgroup *root = session->hierarchy.root;
	struct job_map jobs = live_run__jobs(output__live(output));
	const struct traced_layers layers = {
		.probes = session->probes,
		.catalogue = session->catalogue,
		.libraries = session->layers,
		.vfs = session->vfs,
		.block = session->block,
	};
	int ret = 0;

	if (!answers->config->history)
		ret = session__new_drain(session, &answers->drain, err);
	if (ret < 0)
		return ret;
	if (answers->drain)
		drain__map_jobs(answers->drain, &jobs);
	answers->session = session;
	answers->output = output;
	answers->about = recorder__about(answers->boot_id);
	answers->jobs = answers->drain ? answers->drain : output__recorder_drain(output);
	ret = live_run__index_jobs(output__live(output), answers->jobs, err);
	if (ret < 0)
		return ret;
	answers->owners = owners__new(root ? root->mount : NULL);
	answers->levels = service_levels__new(session->kernel, &layers, jobs,
					      root ? root->mount : NULL, answers->config->calls);
	if (!answers->owners || !answers->levels)
		return error__set(err, -ENOMEM, "no memory");
	if (output__keep_ranks(output) < 0)
		return error__set(err, -ENOMEM, "no memory");
	ret = service_metrics__open(&answers->metrics, answers->config,
				    is_continued(session->continuity), err);
	if (!ret && is_continued(session->continuity))
		ret = service_levels__renew(answers->levels, err);
	if (ret < 0)
		return ret;
	answers->files =
		service_files__new(answers->config, answers->metrics, read_for_files, answers);
	if (!answers->files)
		return error__set(err, -ENOMEM, "no memory");
	on_snapshot(answers);
	return 0;
}

int service_answers__watch(struct service_answers *answers, struct loop *loop)
{
	int ret = loop__watch(loop, server__fd(answers->server), on_client, answers);

	if (!ret)
		ret = loop__tend(loop, TEND_S, on_tend, answers, NULL);
	if (!ret)
		ret = loop__tend(loop, answers->config->snapshot_s, on_snapshot, answers, NULL);
	if (!ret)
		ret = service_files__watch(answers->files, loop);
	return ret;
}

void service_answers__tell_history(struct service_answers *answers, double seconds)
{
	answers->history_s = seconds;
}

const struct node_cost *service_answers__cost(const struct service_answers *answers)
{
	return &answers->cost;
}

void service_answers__choose_metrics(struct service_answers *answers,
				     const struct service_config *config)
{
	service_metrics__choose(answers->metrics, config);
}

void service_answers__hurry(struct service_answers *answers)
{
	service_files__hurry(answers->files);
}

void service_answers__close(struct service_answers *answers)
{
	if (!answers)
		return;
	server__close(answers->server);
	service_levels__free(answers->levels);
	service_files__free(answers->files);
	service_metrics__close(answers->metrics);
	owners__free(answers->owners);
	drain__free(answers->drain);
	free(answers);
}

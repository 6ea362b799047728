// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/recording_writer.h"
#include "report/filter.h"
#include "report/job_names.h"
#include "report/names.h"
#include "ring/format.h"
#include "service/answer.h"
#include "service/probe_view.h"
#include "sink/json.h"

/* More ranks than a node has. */
#define RANKS_MAX 65536

/* Who asks for what. */
struct asked {
	const struct answer_source *source;
	const struct request *request;
	uid_t uid;
	bool vouched; /* root says that the job is this user's */
	/* What was found out last: */
	bool is_known, may_see;
	__u64 job;
};

/* What that user gets to see: of others but root, nothing of the node as a whole. */
struct view {
	struct filter *filter;
	bool of_jobs; /* of some, or of a user's */
	struct report_run run;
	struct probe_view probes;
	struct snapshot snapshot;
	struct rank_sums *ranks;
};

/* By its scheduler. */
static bool is_job(const struct report_run *run, __u64 job, const char *name)
{
	const struct job_info *info = job ? names__job(run, job) : NULL;

	return job_info__is_job(info) && !strcmp(info->jobid, name);
}

uid_t answer__owner(struct owners *owners, const struct report_run *run, __u64 job)
{
	const struct job_info *info = job ? names__job(run, job) : NULL;
	bool is_job = job_info__is_job(info);

	if (info && info->is_named)
		return info->uid;
	return job ? owners__of(owners, job, names__cgroup(run, job), is_job) : OWNERS_NOBODY;
}

static bool find_out(const struct asked *asked, const struct report_run *run, __u64 job)
{
	const char *wanted = asked->request->job;
	uid_t owner;

	if (wanted[0] && !job_names__has(run, job, wanted))
		return false;
	if (asked->uid == 0)
		return true;
	owner = answer__owner(asked->source->owners, run, job);
	return owner == asked->uid ||
	       (asked->vouched && owner == OWNERS_NOBODY && is_job(run, job, wanted));
}

/* Of series that are in order it is found out but once for each job. */
static bool may_see(void *context, const struct report_run *run, __u64 job)
{
	struct asked *asked = context;

	if (!asked->is_known || asked->job != job)
		asked->may_see = find_out(asked, run, job);
	asked->is_known = true;
	asked->job = job;
	return asked->may_see;
}

bool answer__may_see(const struct answer_source *source, const struct request *request, uid_t uid,
		     __u64 job)
{
	struct asked asked = { source, request, uid };

	return may_see(&asked, source->run, job);
}

static void view__close(struct view *view)
{
	rank_sums__free(view->ranks);
	filter__release(&view->snapshot);
	filter__free(view->filter);
	probe_view__clear(&view->probes);
}

struct rank_taker {
	struct view *view;
	struct asked *asked;
	bool failed;
};

static void take_rank(void *context, const struct process_account *account)
{
	struct rank_taker *taker = context;

	if (may_see(taker->asked, taker->asked->source->run, account->job))
		taker->failed |= rank_sums__add(taker->view->ranks, account->job, account) < 0;
}

/* Those of the jobs that are seen. */
static int take_ranks(struct view *view, struct asked *asked)
{
	struct rank_taker taker = { .view = view, .asked = asked };

	view->ranks = rank_sums__new(RANKS_MAX);
	if (!view->ranks)
		return -ENOMEM;
	if (asked->source->each_rank)
		asked->source->each_rank(asked->source->context, take_rank, &taker);
	return taker.failed ? -ENOMEM : 0;
}

static int choose_probes(struct view *view, const struct asked *asked)
{
	if (asked->uid != 0)
		return probe_view__hide_node(&view->probes, &view->run, &view->snapshot);
	if (asked->request->job[0])
		return probe_view__choose_called(&view->probes, &view->run, &view->snapshot);
	return 0;
}

/* Who the answer is for. */
static int find_asker(struct asked *asked, struct error *err)
{
	const struct request *request = asked->request;

	if (!request->has_uid || request->uid == asked->uid)
		return 0;
	if (asked->uid != 0)
		return error__set(err, -EPERM, "only root may ask as another user");
	asked->uid = request->uid;
	asked->vouched = true;
	return 0;
}

static int view__open(struct view *view, struct asked *asked, struct error *err)
{
	const struct answer_source *source = asked->source;
	const char *job = asked->request->job;
	int ret = find_asker(asked, err);

	if (ret < 0)
		return ret;
	*view = (struct view){
		.run = *source->run,
		.filter = filter__new(),
		.of_jobs = job[0] || asked->uid != 0,
	};
	if (!view->filter)
		return error__set(err, -ENOMEM, "no memory");
	filter__choose_jobs(view->filter, may_see, asked);
	ret = filter__apply(view->filter, source->run, source->snapshot, &view->snapshot);
	if (ret < 0) {
		view__close(view);
		return error__set(err, ret, "no memory");
	}
	if (job[0] && !view->snapshot.n_series) {
		view__close(view);
		return error__set(err, -ENOENT, "there is no job %s that user %u may see", job,
				  asked->uid);
	}
	if (take_ranks(view, asked) < 0 || choose_probes(view, asked) < 0) {
		view__close(view);
		return error__set(err, -ENOMEM, "no memory");
	}
	return 0;
}

/* Where what is told of a rank goes: the one or the other. */
struct rank_writer {
	struct record_sink *sink;
	struct recording_writer *recording;
	const struct report_run *run;
	struct error *err;
};

static int put_rank(void *context, const struct process_account *account)
{
	const struct rank_writer *to = context;

	return to->sink ? SINK_CALL(&to->sink->sink, process, account, to->err)
			: recording_writer__account(to->recording, to->run, account, to->err);
}

/* Bytes of records that are written to an answer at once. */
#define GATHERED (64 << 10)

static int put_records(const struct view *view, FILE *body, struct error *err)
{
	struct rank_writer to = { .err = err };
	struct record_sink *sink;
	int ret = sink_json__new(&sink, body, "the answer", &view->run, err);

	if (ret < 0)
		return ret;
	sink_json__gather(sink, GATHERED);
	sink->all_jobs = true;
	sink->called_probes = view->of_jobs;
	to.sink = sink;
	ret = SINK_CALL(&sink->sink, start, err);
	if (ret == 0)
		ret = SINK_CALL(&sink->sink, snapshot, &view->snapshot, true, err);
	if (ret == 0)
		ret = rank_sums__each(view->ranks, put_rank, &to);
	if (ret == 0)
		ret = SINK_CALL(&sink->sink, end, &view->snapshot, err);
	if (ret == 0)
		return SINK_CALL(&sink->sink, close, err);
	SINK_CALL(&sink->sink, close, NULL);
	return ret;
}

int answer__dump(const struct answer_source *source, const struct request *request, uid_t uid,
		 FILE *body, struct error *err)
{
	struct asked asked = { .source = source, .request = request, .uid = uid };
	struct view view;
	int ret = view__open(&view, &asked, err);

	if (ret < 0)
		return ret;
	/* The last reading was for whatever reason: since then is no interval of the asker's. */
	view.snapshot.before_ns = 0;
	ret = put_records(&view, body, err);
	view__close(&view);
	return ret;
}

/* More than any number, name or path takes in a recording. */
#define ENTRY_BYTES  1024
#define BUCKET_BYTES 12
#define RUN_BYTES    (256 << 10)
#define RANK_BYTES   2048

/* What is surely enough: states have half of a file. */
static __u64 recording_size(const struct view *view)
{
	__u64 bytes = RUN_BYTES + view->run.n_probes * ENTRY_BYTES;

	for (size_t i = 0; i < view->snapshot.n_series; i++) {
		const struct snapshot_series *series = view->snapshot.series[i];

		bytes += ENTRY_BYTES + (series->latency.n + series->size.n) * BUCKET_BYTES;
	}
	/* Of what is no state, the oldest would go. */
	bytes += rank_sums__n(view->ranks) * RANK_BYTES;
	return RING_FILE_MIN + 2 * bytes;
}

static int write_recording(struct recording_writer *writer, struct view *view,
			   const struct recording_about *about, struct error *err)
{
	struct rank_writer to = { .recording = writer, .run = &view->run, .err = err };
	int ret = recording_writer__start(writer, &view->run, about, err);

	if (ret >= 0)
		ret = rank_sums__each(view->ranks, put_rank, &to);

	/* All of it is new to this recording. */
	for (size_t i = 0; i < view->snapshot.n_series; i++)
		view->snapshot.before[i] = NULL;
	if (ret >= 0)
		ret = recording_writer__snapshot(writer, &view->run, &view->snapshot, true, err);
	return ret;
}

static int put_recording(struct view *view, const struct recording_about *about, FILE *body,
			 struct error *err)
{
	int fd = fcntl(fileno(body), F_DUPFD_CLOEXEC, 0), ret, closed;
	struct recording_writer *writer;
	struct error later;

	if (fd < 0)
		return error__set(err, -errno, "the answer: %s", strerror(errno));
	ret = recording_writer__create(&writer, fd, "the answer", recording_size(view), err);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	ret = write_recording(writer, view, about, err);
	closed = recording_writer__close(writer, ret < 0 ? &later : err);
	return ret < 0 ? ret : closed;
}

int answer__report(const struct answer_source *source, const struct request *request, uid_t uid,
		   FILE *body, struct error *err)
{
	struct asked asked = { .source = source, .request = request, .uid = uid };
	struct view view;
	int ret = view__open(&view, &asked, err);

	if (ret < 0)
		return ret;
	ret = put_recording(&view, source->about, body, err);
	view__close(&view);
	return ret;
}

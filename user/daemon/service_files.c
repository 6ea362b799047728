// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "daemon/service_files.h"
#include "service/exposition.h"
#include "service/replace.h"

/* Root alone may read them. */
#define PAIRS_MODE 0600

#define FOLDER_GONE "make its folder again, or mount what it is on"

static const struct output_kind pairs_kind = {
	.name = "snapshot",
	.lost = "versions of the file",
	.again = "it has all sums",
	.no_peer = FOLDER_GONE,
};

static const struct output_kind prometheus_kind = {
	.name = "prometheus",
	.lost = "versions of the file",
	.again = "it has all sums",
	.no_peer = FOLDER_GONE,
};

struct service_files {
	const struct service_config *config;
	struct service_metrics *metrics;
	service_files_read read;
	void *context;
	struct output_state pairs, prometheus;
	struct loop *loop; /* NULL: not yet */
	int retry;	   /* its timer for those that fail */
};

struct service_files *service_files__new(const struct service_config *config,
					 struct service_metrics *metrics, service_files_read read,
					 void *context)
{
	struct service_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->config = config;
	files->metrics = metrics;
	files->read = read;
	files->context = context;
	files->pairs.kind = &pairs_kind;
	files->prometheus.kind = &prometheus_kind;
	return files;
}

void service_files__free(struct service_files *files)
{
	free(files);
}

static int write_pairs(const struct service_config *config, const struct service_status *status,
		       struct error *err)
{
	struct exposition *exposition = exposition__new(status);
	int ret;

	if (!exposition)
		return error__set(err, -ENOMEM, "no memory");
	ret = replace__file(config->snapshot, PAIRS_MODE, exposition__write_pairs, exposition, err);
	exposition__free(exposition);
	return ret;
}

/* What became of a file of which a version was due. */
static void note_written(struct output_state *state, int ret, const struct error *err)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);

	if (ret < 0)
		output_state__fail(state, err, now);
	else
		output_state__work(state, now);
}

/* regular: not tried again, but as often as the configuration says. */
static void write_all(struct service_files *files, const struct service_status *status,
		      bool regular)
{
	const struct service_config *config = files->config;
	struct output_state *pairs = &files->pairs, *prometheus = &files->prometheus;
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	struct error err;

	if (config->snapshot && (regular || pairs->fails) && output_state__is_due(pairs, now))
		note_written(pairs, write_pairs(config, status, &err), &err);
	if (config->prometheus && (regular || prometheus->fails) &&
	    output_state__is_due(prometheus, now))
		note_written(prometheus,
			     service_metrics__write_file(files->metrics, status, config->prometheus,
							 &err),
			     &err);
	pairs->lost += regular && pairs->fails;
	prometheus->lost += regular && prometheus->fails;
}

/* Seconds until the next try; 0: none fails. */
static double retry_s(const struct service_files *files)
{
	const struct output_state *states[] = { &files->pairs, &files->prometheus };
	__u64 now = clock__ns(CLOCK_MONOTONIC), least = OUTPUT_PAUSE_MIN_NS / 1000;
	double first = 0;

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		__u64 due = states[i]->due_ns;
		double s = (double)(due > now + least ? due - now : least) / NS_PER_S;

		if (states[i]->fails && (!first || s < first))
			first = s;
	}
	return first;
}

static void arm_retry(struct service_files *files)
{
	if (files->loop)
		loop__reset(files->loop, files->retry, retry_s(files));
}

/* Is one due that fails, and can its file be made now? What is put into it takes far longer. */
static bool can_retry(struct output_state *state, const char *path)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	struct error err;

	if (!path || !state->fails || !output_state__is_due(state, now))
		return false;
	if (replace__try(path, &err) == 0)
		return true;
	output_state__fail(state, &err, now);
	return false;
}

/* For those that fail, alone. */
static void on_retry(void *context)
{
	struct service_files *files = context;
	bool pairs = can_retry(&files->pairs, files->config->snapshot),
	     prometheus = can_retry(&files->prometheus, files->config->prometheus);
	struct service_status status;
	struct error err;

	if ((pairs || prometheus) && files->read(files->context, &status, &err) >= 0)
		write_all(files, &status, false);
	arm_retry(files);
}

int service_files__watch(struct service_files *files, struct loop *loop)
{
	int ret =
		loop__timer(loop, files->config->snapshot_s, true, on_retry, files, &files->retry);

	if (ret < 0)
		return ret;
	files->loop = loop;
	arm_retry(files);
	return 0;
}

void service_files__write(struct service_files *files, const struct service_status *status)
{
	write_all(files, status, true);
	arm_retry(files);
}

void service_files__hurry(struct service_files *files)
{
	output_state__hurry(&files->pairs);
	output_state__hurry(&files->prometheus);
	arm_retry(files);
}

void service_files__states(const struct service_files *files, struct service_outputs *out)
{
	if (!files)
		return;
	if (files->config->snapshot)
		out->at[OUTPUT_SNAPSHOT] = &files->pairs;
	if (files->config->prometheus)
		out->at[OUTPUT_PROMETHEUS] = &files->prometheus;
}

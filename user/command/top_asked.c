// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>

#include "base/clock.h"
#include "base/path.h"
#include "command/top_asked.h"
#include "drain/key_order.h"
#include "recording/recording_reader.h"
#include "service/client.h"

/* A recording that was an answer. */
struct answer {
	FILE *file;
	struct recording *recording; /* NULL: there is none */
	__u64 bytes;
	double seconds; /* that it took */
};

struct top_asked {
	const char *socket;
	struct request request;
	struct answer now, before;
	/* The answer, with the one before. */
	struct report_run run;
	struct snapshot snapshot;
	size_t room; /* of snapshot.before */
	__u64 own_ns;
};

bool top_asked__is_needed(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, caps) < 0)
		return geteuid() != 0;
	return !(caps[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN));
}

int top_asked__open(struct top_asked **out, const char *socket, const char *job, struct error *err)
{
	struct top_asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return error__set(err, -ENOMEM, "no memory");
	asked->socket = socket;
	asked->request.kind = REQUEST_REPORT;
	snprintf(asked->request.job, sizeof(asked->request.job), "%s", job ? job : "");
	*out = asked;
	return 0;
}

static void answer__close(struct answer *answer)
{
	recording__close(answer->recording);
	if (answer->file)
		fclose(answer->file);
	*answer = (struct answer){ 0 };
}

void top_asked__close(struct top_asked *asked)
{
	if (!asked)
		return;
	answer__close(&asked->now);
	answer__close(&asked->before);
	free((void *)asked->snapshot.before);
	free(asked);
}

static int ask(const struct top_asked *asked, struct answer *out, struct error *err)
{
	__u64 start_ns = clock__ns(CLOCK_MONOTONIC);
	char path[PATH_OF_FD];
	int ret;

	*out = (struct answer){ 0 };
	ret = client__ask(&out->file, asked->socket, &asked->request, err);
	if (ret < 0)
		return ret;
	out->seconds = (double)(clock__ns(CLOCK_MONOTONIC) - start_ns) / NS_PER_S;
	path__of_fd(path, fileno(out->file));
	ret = recording__open(&out->recording, path, err);
	if (ret < 0)
		answer__close(out);
	return ret;
}

/* Do the counters of the two go on? */
static bool is_same_epoch(const struct answer *a, const struct answer *b)
{
	const char *left = recording__run(a->recording)->epoch;
	const char *right = recording__run(b->recording)->epoch;

	return left && right && !strcmp(left, right);
}

/* Jobs that are over go among the others: what came there meanwhile cannot be told from that. */
static bool is_told(const struct snapshot_series *series)
{
	return series->total.key.job != TM_JOB_OTHERS;
}

/*
 * The series of the answer before, or none; the series itself where nothing came. Both are in the
 * order of their keys.
 */
static int pair(struct top_asked *asked, const struct snapshot *before)
{
	struct snapshot *now = &asked->snapshot;
	size_t j = 0;

	if (now->n_series >= asked->room) {
		free((void *)now->before);
		asked->room = 2 * now->n_series + 1;
		now->before = calloc(asked->room, sizeof(*now->before));
		if (!now->before) {
			asked->room = 0;
			return -ENOMEM;
		}
	}
	for (size_t i = 0; i < now->n_series; i++) {
		const struct tm_series *total = &now->series[i]->total;
		int order = 1;

		while (before && j < before->n_series &&
		       (order = key_order(&before->series[j]->total.key, &total->key)) < 0)
			j++;
		now->before[i] = order ? NULL : before->series[j];
		if (!is_told(now->series[i]) ||
		    (now->before[i] && !memcmp(&now->before[i]->total, total, sizeof(*total))))
			now->before[i] = now->series[i];
	}
	return 0;
}

/* The newer answer takes the place of the one before. */
static int take_answer(struct top_asked *asked, struct answer *answer, struct error *err)
{
	const struct snapshot_series **room = asked->snapshot.before;
	const struct snapshot *before = NULL;

	answer__close(&asked->before);
	asked->before = asked->now;
	asked->now = *answer;
	asked->run = *recording__run(answer->recording);
	asked->snapshot = *recording__snapshot(answer->recording);
	asked->snapshot.before = room;
	/* Counters that began anew did so since the last answer. */
	if (asked->before.recording && is_same_epoch(&asked->before, &asked->now))
		before = recording__snapshot(asked->before.recording);
	asked->snapshot.before_ns = before ? before->time_ns : 0;
	return pair(asked, before) < 0 ? error__set(err, -ENOMEM, "no memory") : 0;
}

static bool is_traced(const struct report_run *run, const char *layer)
{
	for (size_t i = 0; i < run->n_mechanisms; i++)
		if (!strcmp(run->mechanisms[i].layer, layer))
			return true;
	return false;
}

static double seconds_between(const struct answer *before, const struct answer *now)
{
	const struct snapshot *a, *b = recording__snapshot(now->recording);

	if (!before->recording)
		return 0;
	a = recording__snapshot(before->recording);
	return b->monotonic_ns > a->monotonic_ns
		       ? (double)(b->monotonic_ns - a->monotonic_ns) / NS_PER_S
		       : 0;
}

static struct top_cost cost_of(struct top_asked *asked, double seconds)
{
	struct top_cost cost = top_meter__own(&asked->own_ns,
					      (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), seconds);

	cost.is_asked = true;
	cost.answer_bytes = asked->now.bytes;
	cost.answer_s = asked->now.seconds;
	return cost;
}

int top_asked__read(struct top_asked *asked, struct top_source *out, struct error *err)
{
	struct answer answer;
	int ret = ask(asked, &answer, err);

	if (!ret) {
		fseek(answer.file, 0, SEEK_END);
		answer.bytes = (__u64)ftell(answer.file);
		ret = take_answer(asked, &answer, err);
	}
	if (ret < 0)
		return ret;
	asked->run.scope = geteuid() ? "your jobs" : "all jobs";
	*out = (struct top_source){
		.run = &asked->run,
		.snapshot = &asked->snapshot,
		.seconds = seconds_between(&asked->before, &asked->now),
		.vfs = is_traced(&asked->run, "vfs"),
		.block = is_traced(&asked->run, "block"),
	};
	out->cost = cost_of(asked, out->seconds);
	return 0;
}

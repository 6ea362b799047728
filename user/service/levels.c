// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/levels.h"

const char *const levels_names[TM_LEVELS + 1] = {
	[TM_LEVEL_OFF] = "off",
	[TM_LEVEL_SUMMARY] = "summary",
	[TM_LEVEL_HISTOGRAM] = "histogram",
	[TM_LEVEL_CALLS] = "calls",
	[LEVELS_DEFAULT] = "default",
};

#define AT_START TM_DETAIL(TM_LEVEL_HISTOGRAM, 0)

struct own {
	struct levels_job about;
	bool set[TM_DETAIL_LAYERS];
	struct tm_details details;
};

struct levels {
	enum levels_calls calls;
	struct tm_details node;
	struct own *jobs; /* TM_DETAIL_JOBS */
	size_t n;
	struct tm_choice choices[TM_CHOICES];
};

struct levels *levels__new(enum levels_calls calls)
{
	struct levels *levels = calloc(1, sizeof(*levels));

	if (!levels)
		return NULL;
	levels->calls = calls;
	memset(&levels->node, AT_START, sizeof(levels->node));
	return levels;
}

void levels__free(struct levels *levels)
{
	if (!levels)
		return;
	free(levels->jobs);
	free(levels);
}

static struct own *find_job(const struct levels *levels, __u64 job)
{
	for (size_t i = 0; job && i < levels->n; i++)
		if (levels->jobs[i].about.job == job)
			return &levels->jobs[i];
	return NULL;
}

__u8 levels__of(const struct levels *levels, __u64 job, __u8 layer)
{
	const struct own *own = find_job(levels, job);
	__u32 i = tm_detail_layer(layer);

	return own && own->set[i] ? own->details.of[i] : levels->node.of[i];
}

void levels__details(const struct levels *levels, __u64 job, struct tm_details *out)
{
	const struct own *own = find_job(levels, job);

	*out = levels->node;
	for (int i = 0; own && i < TM_DETAIL_LAYERS; i++)
		if (own->set[i])
			out->of[i] = own->details.of[i];
}

const struct tm_choice *levels__choices(const struct levels *levels)
{
	return levels->choices;
}

bool levels__job(const struct levels *levels, size_t i, struct levels_job *out)
{
	if (i < levels->n)
		*out = levels->jobs[i].about;
	return i < levels->n;
}

bool levels__is_own(const struct levels *levels, __u64 job, __u8 layer)
{
	const struct own *own = find_job(levels, job);

	return own && own->set[tm_detail_layer(layer)];
}

void levels__forget(struct levels *levels, __u64 job)
{
	struct own *own = find_job(levels, job);

	if (own)
		*own = levels->jobs[--levels->n];
}

static bool is_used(const struct levels *levels, int choice)
{
	for (int layer = 0; layer < TM_DETAIL_LAYERS; layer++) {
		if (TM_DETAIL_CHOICE(levels->node.of[layer]) == choice)
			return true;
		for (size_t i = 0; i < levels->n; i++)
			if (levels->jobs[i].set[layer] &&
			    TM_DETAIL_CHOICE(levels->jobs[i].details.of[layer]) == choice)
				return true;
	}
	return false;
}

static bool same_choice(const struct tm_choice *a, const struct tm_choice *b)
{
	return a->min_ns == b->min_ns && a->sample == b->sample;
}

/* The number of a choice of calls; -ENOSPC. The first one, of all calls, stays. */
static int choose_level(struct levels *levels, const struct tm_choice *choice)
{
	int free_one = -ENOSPC;

	for (int i = 0; i < TM_CHOICES; i++) {
		bool used = i == 0 || is_used(levels, i);

		if (used && same_choice(&levels->choices[i], choice))
			return i;
		if (!used && free_one < 0)
			free_one = i;
	}
	if (free_one > 0)
		levels->choices[free_one] = *choice;
	return free_one;
}

/* May a user other than root do that to a job of the own ones? */
static int check_raise(const struct levels *levels, __u64 job, const struct levels_change *change,
		       struct error *err)
{
	const struct own *own = find_job(levels, job);

	if (!job)
		return error__set(err, -EPERM,
				  "the levels of the node are set by root alone; --job names one "
				  "of your jobs");
	if (own && own->about.uid == 0)
		return error__set(err, -EPERM, "root has set the levels of this job");
	if (change->level == LEVELS_DEFAULT)
		return 0;
	for (int i = 0; i < TM_DETAIL_LAYERS; i++) {
		unsigned int least = TM_DETAIL_LEVEL(levels->node.of[i]);

		if (change->layers[i] && change->level < least)
			return error__set(err, -EPERM,
					  "users raise the detail of their jobs, and do not lower "
					  "it: on this node it is %s",
					  levels_names[least]);
	}
	return 0;
}

static int check_calls(const struct levels *levels, uid_t uid, struct error *err)
{
	if (levels->calls == LEVELS_CALLS_NONE)
		return error__set(err, -EOPNOTSUPP,
				  "this service records no single calls; its configuration allows "
				  "it with calls: root, or calls: users");
	if (levels->calls == LEVELS_CALLS_ROOT && uid != 0)
		return error__set(err, -EPERM,
				  "single calls are recorded for root alone on this node (calls "
				  "in the service's configuration)");
	return 0;
}

static size_t count_of(const struct levels *levels, uid_t uid)
{
	size_t n = 0;

	for (size_t i = 0; i < levels->n; i++)
		n += levels->jobs[i].about.uid == uid;
	return n;
}

/* The entry of a job, new or not. */
static int make_own(struct levels *levels, __u64 job, uid_t uid, struct own **out,
		    struct error *err)
{
	*out = find_job(levels, job);
	if (*out)
		return 0;
	if (!levels->jobs)
		levels->jobs = calloc(TM_DETAIL_JOBS, sizeof(*levels->jobs));
	if (!levels->jobs)
		return error__set(err, -ENOMEM, "no memory");
	if (levels->n == TM_DETAIL_JOBS || (uid != 0 && count_of(levels, uid) >= LEVELS_OF_ONE))
		return error__set(err, -ENOSPC,
				  "too many jobs have levels of their own; tmtrace set default "
				  "--job takes one back");
	*out = &levels->jobs[levels->n++];
	**out = (struct own){ .about = { job, uid } };
	return 0;
}

static void change_job(struct levels *levels, struct own *own, const struct levels_change *change,
		       __u8 detail)
{
	bool any = false;

	for (int i = 0; i < TM_DETAIL_LAYERS; i++) {
		if (change->layers[i]) {
			own->set[i] = change->level != LEVELS_DEFAULT;
			own->details.of[i] = detail;
		}
		any |= own->set[i];
	}
	if (!any)
		levels__forget(levels, own->about.job);
}

int levels__change(struct levels *levels, __u64 job, const struct levels_change *change, uid_t uid,
		   struct error *err)
{
	bool calls = change->level == TM_LEVEL_CALLS;
	int choice = 0, ret = uid ? check_raise(levels, job, change, err) : 0;
	__u8 detail = AT_START;
	struct own *own;

	if (!ret && calls)
		ret = check_calls(levels, uid, err);
	if (ret < 0)
		return ret;
	if (calls)
		choice = choose_level(levels, &change->choice);
	if (choice < 0)
		return error__set(err, choice, "too many different choices of single calls");
	if (change->level != LEVELS_DEFAULT)
		detail = TM_DETAIL(change->level, choice);
	if (!job) {
		for (int i = 0; i < TM_DETAIL_LAYERS; i++)
			if (change->layers[i])
				levels->node.of[i] = detail;
		return 0;
	}
	ret = make_own(levels, job, uid, &own, err);
	if (ret < 0)
		return ret;
	if (uid == 0)
		own->about.uid = 0;
	change_job(levels, own, change, detail);
	return 0;
}

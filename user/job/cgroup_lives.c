// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "job/cgroup_lives.h"

#define KEEP	   (120 * NS_PER_S)
#define FORGET_MIN 1024 /* so many come between two times that the long gone are forgotten */
#define DEPTH_MAX  100
#define GONE_MAX   65536 /* that wait for who asks for them */

struct life {
	__u64 id; /* first: the tree compares it */
	__u64 parent;
	struct cgroup_life seen;
};

struct cgroup_lives {
	void *tree; /* of struct life, tsearch(3) */
	size_t n, forget_at;
	__u64 offset_ns; /* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	__u64 *ended;	 /* ids that wait to be asked for */
	size_t n_ended, ended_room, next_ended;
	/* While the long gone are looked for: */
	__u64 oldest_ns;
	struct life **gone;
	size_t n_gone, gone_room;
};

static int compare_ids(const void *left, const void *right)
{
	const struct life *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

struct cgroup_lives *cgroup_lives__new(void)
{
	struct cgroup_lives *lives = calloc(1, sizeof(*lives));

	if (lives) {
		lives->offset_ns = clock__ns(CLOCK_REALTIME) - clock__ns(CLOCK_MONOTONIC);
		lives->forget_at = FORGET_MIN;
	}
	return lives;
}

void cgroup_lives__free(struct cgroup_lives *lives)
{
	if (!lives)
		return;
	tdestroy(lives->tree, free);
	free((void *)lives->gone);
	free(lives->ended);
	free(lives);
}

static struct life *find_life(const struct cgroup_lives *lives, __u64 id)
{
	struct life **node = tfind(&id, &lives->tree, compare_ids);

	return node ? *node : NULL;
}

static void collect_gone(const void *node, VISIT visit, void *context)
{
	struct life *life = *(struct life *const *)node;
	struct cgroup_lives *lives = context;

	if ((visit != postorder && visit != leaf) || !life->seen.end_ns ||
	    life->seen.end_ns > lives->oldest_ns)
		return;
	/* Without memory it is remembered until the next time. */
	if (array__grow((void **)&lives->gone, &lives->gone_room, lives->n_gone,
			sizeof(*lives->gone)) == 0)
		lives->gone[lives->n_gone++] = life;
}

static void forget(struct cgroup_lives *lives)
{
	lives->oldest_ns = clock__ns(CLOCK_REALTIME) - KEEP;
	lives->n_gone = 0;
	twalk_r(lives->tree, collect_gone, lives);
	for (size_t i = 0; i < lives->n_gone; i++) {
		tdelete(lives->gone[i], &lives->tree, compare_ids);
		free(lives->gone[i]);
		lives->n--;
	}
	lives->forget_at = lives->n + FORGET_MIN;
}

/* One that was not there; NULL: no memory. */
static struct life *add_life(struct cgroup_lives *lives, __u64 id, __u64 parent)
{
	struct life *life = calloc(1, sizeof(*life));

	if (!life)
		return NULL;
	life->id = id;
	life->parent = parent;
	/* Of those that were there before, some may have gone unseen. */
	life->seen.usage = job_usage__unknown();
	if (!tsearch(life, &lives->tree, compare_ids)) {
		free(life);
		return NULL;
	}
	lives->n++;
	return life;
}

static void add_known(__u64 *sum, __u64 more)
{
	if (*sum != JOB_UNKNOWN)
		*sum = more == TM_CGROUP_UNKNOWN ? JOB_UNKNOWN : *sum + more;
}

/* What it used itself is part of what those above used. */
static void add_usage(const struct cgroup_lives *lives, struct life *life,
		      const struct tm_cgroup_event *event)
{
	for (int depth = 0; life && depth < DEPTH_MAX; depth++) {
		add_known(&life->seen.usage.cpu_ns, event->cpu_ns);
		add_known(&life->seen.usage.user_ns, event->user_ns);
		add_known(&life->seen.usage.system_ns, event->system_ns);
		life = find_life(lives, life->parent);
	}
}

static int note_start(struct cgroup_lives *lives, const struct tm_cgroup_event *event)
{
	struct life *life;

	if (lives->n >= lives->forget_at)
		forget(lives);
	life = find_life(lives, event->id);
	if (!life)
		life = add_life(lives, event->id, event->parent);
	if (!life)
		return -ENOMEM;
	life->seen = (struct cgroup_life){
		.start_ns = event->time_ns + lives->offset_ns,
		.usage.memory_peak_bytes = JOB_UNKNOWN,
	};
	return 0;
}

/* Who asks finds those another way that there is no room for. */
static void queue(struct cgroup_lives *lives, __u64 id)
{
	if (lives->n_ended < GONE_MAX && array__grow((void **)&lives->ended, &lives->ended_room,
						     lives->n_ended, sizeof(*lives->ended)) == 0)
		lives->ended[lives->n_ended++] = id;
}

bool cgroup_lives__next_gone(struct cgroup_lives *lives, __u64 *id)
{
	if (lives->next_ended == lives->n_ended) {
		lives->next_ended = lives->n_ended = 0;
		return false;
	}
	*id = lives->ended[lives->next_ended++];
	return true;
}

int cgroup_lives__note(struct cgroup_lives *lives, const struct tm_cgroup_event *event)
{
	struct life *life;

	if (event->what == TM_CGROUP_MADE)
		return note_start(lives, event);
	if (event->what != TM_CGROUP_GONE)
		return 0;
	life = find_life(lives, event->id);
	if (!life)
		life = add_life(lives, event->id, event->parent);
	if (!life)
		return -ENOMEM;
	life->seen.end_ns = event->time_ns + lives->offset_ns;
	life->seen.usage.memory_peak_bytes = event->memory_peak_bytes;
	add_usage(lives, life, event);
	queue(lives, event->id);
	return 0;
}

int cgroup_lives__restore(struct cgroup_lives *lives, __u64 id, __u64 parent, __u64 made_ns,
			  __u64 gone_ns)
{
	struct life *life = find_life(lives, id) ?: add_life(lives, id, parent);

	if (!life)
		return -ENOMEM;
	if (made_ns)
		life->seen.start_ns = made_ns + lives->offset_ns;
	if (!gone_ns)
		return 0;
	life->seen.end_ns = gone_ns + lives->offset_ns;
	queue(lives, id);
	return 0;
}

bool cgroup_lives__above(const struct cgroup_lives *lives, __u64 id, int levels, __u64 *out)
{
	for (; levels > 0; levels--) {
		const struct life *life = find_life(lives, id);

		if (!life)
			return false;
		id = life->parent;
	}
	*out = id;
	return true;
}

bool cgroup_lives__find(const struct cgroup_lives *lives, __u64 id, struct cgroup_life *out)
{
	const struct life *life = find_life(lives, id);

	if (life)
		*out = life->seen;
	return life;
}

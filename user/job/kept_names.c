// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/id_map.h"
#include "base/search.h"
#include "base/window.h"
#include "host/cgroup_names.h"
#include "job/cgroup_lives.h"
#include "job/kept_names.h"
#include "tmtrace/cgroup_name.h"

/* Records of a cgroup may come so long after its end. */
#define REST_NS	   (60 * NS_PER_S)
#define CROWD	   (TM_CGROUP_NAMES / 4)
#define DEPTH_MAX  100
#define MAP_BYTES  (TM_CGROUP_NAMES * sizeof(struct tm_cgroup_name))
#define FILLED_MAX (TM_CGROUP_NAMES / 2) /* by the loader: the rest is for those that come */

_Static_assert(START_ENV_JOBID < TM_CGROUP_TOLD, "what a job is called fits");
_Static_assert(JOB_STEP_MAX == TM_CGROUP_STEP, "and its step");

/* One that is gone, while those that nobody needs are looked for. */
struct gone {
	__u64 id, parent, gone_ns;
	__u32 place;
	bool is_needed;
};

struct kept_names {
	struct kept_names_map map;
	struct window window;
	struct id_map told; /* struct kept_job, by cgroup */
	__u64 start_ns;	    /* CLOCK_MONOTONIC */
	struct gone *gone;  /* by id */
	size_t n_gone, room;
	__u64 seen_gone; /* how many had gone, ever, when it was looked last */
	bool is_looking; /* between begin and end */
};

/* While what is kept is read. */
struct restoring {
	struct kept_names *kept;
	struct tm_cgroup_name *all;
	struct cgroup_names *names;
	struct cgroup_lives *lives;
	struct id_map by_id;
	size_t n;
};

static __u64 id_at(const struct tm_cgroup_name *name)
{
	__u64 id = __atomic_load_n(&name->id, __ATOMIC_ACQUIRE);

	return id == TM_CGROUP_CLAIMED ? 0 : id;
}

/* Those in which it is come first. One whose path is known has none before it to be added. */
static void add_path(struct restoring *all, const struct tm_cgroup_name *one, int depth)
{
	const struct tm_cgroup_name *above = id_map__find(&all->by_id, one->parent);
	char name[TM_CGROUP_NAME + 1] = "";

	if (cgroup_names__path(all->names, one->id))
		return;
	if (above && depth < DEPTH_MAX)
		add_path(all, above, depth + 1);
	memcpy(name, one->name, TM_CGROUP_NAME);
	/* One that is in none that is known has no name. */
	cgroup_names__add(all->names, one->id, one->parent, name);
}

static int note_told(struct kept_names *kept, const struct tm_cgroup_name *one)
{
	struct kept_job *job;

	if (!*one->told && !*one->step && !one->several_steps)
		return 0;
	job = calloc(1, sizeof(*job));
	if (!job || id_map__add(&kept->told, one->id, job)) {
		free(job);
		return -ENOMEM;
	}
	snprintf(job->jobid, sizeof(job->jobid), "%.*s", START_ENV_JOBID, one->told);
	snprintf(job->step, sizeof(job->step), "%.*s", JOB_STEP_MAX - 1, one->step);
	job->several_steps = one->several_steps;
	return 0;
}

/* Of one that went while nobody looked, the end is not later than now. */
static int take_over(struct restoring *all, struct tm_cgroup_name *one)
{
	int ret = note_told(all->kept, one);

	if (!one->gone_ns && cgroup_names__is_gone(all->names, one->id))
		one->gone_ns = all->kept->start_ns;
	add_path(all, one, 0);
	if (one->gone_ns)
		cgroup_names__note_end(all->names, one->id);
	return ret
		       ?: cgroup_lives__restore(all->lives, one->id, one->parent, one->made_ns,
						one->gone_ns);
}

static int restore(struct restoring *all)
{
	int ret = 0;

	for (__u32 i = 0; !ret && i < TM_CGROUP_NAMES; i++) {
		if (!id_at(&all->all[i]))
			continue;
		ret = id_map__add(&all->by_id, all->all[i].id, &all->all[i]);
		all->n++;
	}
	for (__u32 i = 0; !ret && i < TM_CGROUP_NAMES; i++)
		if (id_at(&all->all[i]))
			ret = take_over(all, &all->all[i]);
	return ret;
}

/* A place that is free, which the kernel side may want, too; NULL: there is none. */
static struct tm_cgroup_name *claim_place(struct tm_cgroup_name *all, __u64 id)
{
	for (__u32 i = 0; i < TM_CGROUP_PLACES; i++) {
		struct tm_cgroup_name *one = &all[tm_cgroup_place(id, i)];
		__u64 none = 0;

		if (__atomic_compare_exchange_n(&one->id, &none, TM_CGROUP_CLAIMED, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return one;
	}
	return NULL;
}

/* Did the kernel side note it since what is kept was read? */
static bool is_kept(const struct tm_cgroup_name *all, __u64 id)
{
	for (__u32 i = 0; i < TM_CGROUP_PLACES; i++)
		if (id_at(&all[tm_cgroup_place(id, i)]) == id)
			return true;
	return false;
}

/* Keeps the name of one that was made before the kernel side noted them. */
static void keep(void *context, __u64 id, const char *path)
{
	struct restoring *all = context;
	const char *name = strrchr(path, '/');
	struct tm_cgroup_name *one;
	__u64 parent;

	if (!name || !name[1] || is_kept(all->all, id))
		return;
	if (cgroup_names__find(all->names, path, (size_t)(name - path), &parent) < 0)
		return;
	one = all->n < FILLED_MAX ? claim_place(all->all, id) : NULL;
	if (!one) {
		__atomic_fetch_add(all->kept->map.lost, 1, __ATOMIC_RELAXED);
		return;
	}
	all->n++;
	one->parent = parent;
	one->made_ns = one->gone_ns = 0;
	one->of_user = 0;
	one->told[0] = one->step[0] = '\0';
	one->several_steps = 0;
	snprintf(one->name, sizeof(one->name), "%s", name + 1);
	__atomic_store_n(&one->id, id, __ATOMIC_RELEASE);
}

static int read_kept(struct kept_names *kept, struct cgroup_names *names,
		     struct cgroup_lives *lives)
{
	struct restoring all = { .kept = kept, .names = names, .lives = lives };
	int ret;

	all.all = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, kept->map.fd, 0);
	if (all.all == MAP_FAILED)
		return -errno;
	ret = restore(&all);
	if (!ret)
		cgroup_names__each(names, keep, &all);
	id_map__clear(&all.by_id, NULL);
	munmap(all.all, MAP_BYTES);
	return ret;
}

int kept_names__open(struct kept_names **out, const struct kept_names_map *map,
		     struct cgroup_names *names, struct cgroup_lives *lives)
{
	struct kept_names *kept = calloc(1, sizeof(*kept));
	int ret;

	if (!kept)
		return -ENOMEM;
	kept->map = *map;
	kept->window = (struct window){ .fd = map->fd, .map_bytes = MAP_BYTES, .writable = true };
	kept->start_ns = clock__ns(CLOCK_MONOTONIC);
	ret = read_kept(kept, names, lives);
	if (ret)
		kept_names__close(kept);
	else
		*out = kept;
	return ret;
}

void kept_names__close(struct kept_names *kept)
{
	if (!kept)
		return;
	window__close(&kept->window);
	id_map__clear(&kept->told, free);
	free(kept->gone);
	free(kept);
}

/* NULL: it cannot be mapped. */
static struct tm_cgroup_name *show_name(struct kept_names *kept, __u32 place)
{
	const void *at;

	return window__show(&kept->window, place * sizeof(struct tm_cgroup_name),
			    sizeof(struct tm_cgroup_name), &at)
		       ? NULL
		       : (struct tm_cgroup_name *)at;
}

/* The element of a cgroup, until another one is shown; NULL: it has none. */
static struct tm_cgroup_name *find_place(struct kept_names *kept, __u64 cgroup)
{
	for (__u32 i = 0; kept && i < TM_CGROUP_PLACES; i++) {
		struct tm_cgroup_name *one = show_name(kept, tm_cgroup_place(cgroup, i));

		if (one && id_at(one) == cgroup)
			return one;
	}
	return NULL;
}

void kept_names__tell(struct kept_names *kept, __u64 cgroup, const struct kept_job *job)
{
	struct tm_cgroup_name *one = find_place(kept, cgroup);

	if (!one)
		return;
	memcpy(one->told, job->jobid, sizeof(job->jobid));
	memcpy(one->step, job->step, sizeof(job->step));
	one->several_steps = job->several_steps;
}

static bool recall(struct kept_names *kept, struct cgroup_names *names, __u64 cgroup, int depth)
{
	const struct tm_cgroup_name *one = find_place(kept, cgroup);
	char name[TM_CGROUP_NAME + 1] = "";
	__u64 parent, gone_ns;

	if (!one || depth == DEPTH_MAX)
		return false;
	parent = one->parent;
	gone_ns = one->gone_ns;
	memcpy(name, one->name, TM_CGROUP_NAME);
	if (!cgroup_names__path(names, parent))
		recall(kept, names, parent, depth + 1);
	if (cgroup_names__add(names, cgroup, parent, name) < 0)
		return false;
	if (gone_ns)
		cgroup_names__note_end(names, cgroup);
	return true;
}

bool kept_names__recall(struct kept_names *kept, struct cgroup_names *names, __u64 cgroup)
{
	return recall(kept, names, cgroup, 0);
}

const struct kept_job *kept_names__told(const struct kept_names *kept, __u64 cgroup)
{
	return kept ? id_map__find(&kept->told, cgroup) : NULL;
}

static int compare_ids(const void *left, const void *right)
{
	const struct gone *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

static void collect_gone(struct kept_names *kept)
{
	kept->n_gone = 0;
	for (__u32 place = 0; place < TM_CGROUP_NAMES; place++) {
		const struct tm_cgroup_name *one = show_name(kept, place);

		if (!one || !id_at(one) || !one->gone_ns)
			continue;
		/* Without memory it is given up the next time. */
		if (array__grow((void **)&kept->gone, &kept->room, kept->n_gone,
				sizeof(*kept->gone)) == 0)
			kept->gone[kept->n_gone++] = (struct gone){
				.id = one->id,
				.parent = one->parent,
				.gone_ns = one->gone_ns,
				.place = place,
			};
	}
	if (kept->n_gone)
		qsort(kept->gone, kept->n_gone, sizeof(*kept->gone), compare_ids);
}

void kept_names__begin(struct kept_names *kept)
{
	__u64 gone = kept ? __atomic_load_n(kept->map.gone, __ATOMIC_RELAXED) : 0;

	if (!kept)
		return;
	/* Where none has gone, there is nothing to look for. */
	kept->is_looking = kept->n_gone || kept->seen_gone != gone;
	if (!kept->is_looking)
		return;
	kept->seen_gone = gone;
	collect_gone(kept);
}

void kept_names__need(struct kept_names *kept, __u64 cgroup)
{
	for (int depth = 0; kept && kept->is_looking && depth < DEPTH_MAX; depth++) {
		size_t at = SEARCH_FIRST(kept->n_gone, i, kept->gone[i].id < cgroup);

		if (at == kept->n_gone || kept->gone[at].id != cgroup || kept->gone[at].is_needed)
			return;
		kept->gone[at].is_needed = true;
		cgroup = kept->gone[at].parent;
	}
}

static void give_up(struct kept_names *kept, __u32 place)
{
	struct tm_cgroup_name *one = show_name(kept, place);

	if (!one)
		return;
	if (one->of_user)
		__atomic_fetch_sub(kept->map.of_users, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&one->id, 0, __ATOMIC_RELEASE);
}

/*
 * What went while no service ran, too, is left for so long from when this one was there. Where many
 * have gone there is no room for that.
 */
static bool is_resting(const struct kept_names *kept, const struct gone *one, __u64 now_ns)
{
	__u64 since_ns = one->gone_ns > kept->start_ns ? one->gone_ns : kept->start_ns;

	return now_ns < since_ns + REST_NS && kept->n_gone < CROWD;
}

void kept_names__end(struct kept_names *kept)
{
	__u64 now_ns = clock__ns(CLOCK_MONOTONIC);

	if (!kept || !kept->is_looking)
		return;
	for (size_t i = 0; i < kept->n_gone; i++)
		if (is_resting(kept, &kept->gone[i], now_ns))
			kept_names__need(kept, kept->gone[i].id);
	for (size_t i = 0; i < kept->n_gone; i++)
		if (!kept->gone[i].is_needed)
			give_up(kept, kept->gone[i].place);
	window__close(&kept->window);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/service_levels.h"
#include "report/jobs.h"
#include "report/names.h"
#include "sink/record_text.h"

/* Where a job that has levels of its own is. */
struct place {
	__u64 job;
	char *path; /* of its cgroup */
};

struct service_levels {
	struct traced_layers layers;
	struct levels *levels;
	struct details_maps maps;
	struct job_map jobs;
	const char *mount;	      /* of the jobs' hierarchy; NULL: none */
	const struct report_run *run; /* while the kernel side is told */
	struct place *places;	      /* TM_DETAIL_JOBS */
	size_t n_places;
};

struct service_levels *service_levels__new(const struct kernel *kernel,
					   const struct traced_layers *layers, struct job_map jobs,
					   const char *mount, enum levels_calls calls)
{
	struct service_levels *levels = calloc(1, sizeof(*levels));

	if (!levels)
		return NULL;
	levels->layers = *layers;
	levels->jobs = jobs;
	levels->mount = mount;
	levels->levels = levels__new(calls);
	levels->places = calloc(TM_DETAIL_JOBS, sizeof(*levels->places));
	kernel__details(kernel, &levels->maps);
	if (levels->levels && levels->places)
		return levels;
	service_levels__free(levels);
	return NULL;
}

void service_levels__free(struct service_levels *levels)
{
	if (!levels)
		return;
	for (size_t i = 0; levels->places && i < levels->n_places; i++)
		free(levels->places[i].path);
	free(levels->places);
	levels__free(levels->levels);
	free(levels);
}

static bool is_own(const struct levels *levels, __u64 job)
{
	struct levels_job own;

	for (size_t i = 0; levels__job(levels, i, &own); i++)
		if (own.job == job)
			return true;
	return false;
}

/* Cgroups in cgroups that are gone through: a user may make as many as there is memory for. */
#define DEPTH 32

/* The cgroup of an open folder; 0: it is none any more. */
static __u64 id_of(int folder)
{
	struct stat st;

	return fstat(folder, &st) == 0 ? st.st_ino : 0;
}

/*
 * Gives the cgroups in a folder, and itself, the details of a job, NULL: none any more; but not
 * what is of a job with details of its own. Takes the descriptor. What is made meanwhile inherits
 * them.
 */
static int spread(const struct service_levels *levels, int folder, int depth, __u64 job,
		  const struct tm_details *details)
{
	DIR *dir = fdopendir(folder);
	__u64 id = dir ? id_of(dirfd(dir)) : 0;
	struct dirent *entry;
	int ret = 0;

	if (!dir) {
		close(folder);
		return 0;
	}
	if (id == job || !is_own(levels->levels, id)) {
		if (details)
			ret = details__set_cgroup(&levels->maps, id, details);
		else
			details__drop_cgroup(&levels->maps, id);
		while (ret == 0 && (entry = readdir(dir)) != NULL) {
			int below =
				depth == DEPTH || entry->d_type != DT_DIR || entry->d_name[0] == '.'
					? -1
					: openat(dirfd(dir), entry->d_name,
						 O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

			if (below >= 0)
				ret = spread(levels, below, depth + 1, job, details);
		}
	}
	closedir(dir);
	return ret;
}

/* The same of the folder at a job's path, if it is still that job's. */
static int spread_job(const struct service_levels *levels, const struct place *place,
		      const struct tm_details *details)
{
	char path[PATH_MAX];
	int folder, n;

	/* One that the environment names has no folder: see tell_numbers(). */
	if (tm_env_job_is(place->job))
		return 0;
	n = levels->mount ? snprintf(path, sizeof(path), "%s%s", levels->mount, place->path) : -1;
	if (n < 0 || n >= (int)sizeof(path))
		return 0;
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return 0;
	if (id_of(folder) == place->job)
		return spread(levels, folder, 0, place->job, details);
	close(folder);
	return 0;
}

static void forget_place(struct service_levels *levels, size_t i)
{
	free(levels->places[i].path);
	levels->places[i] = levels->places[--levels->n_places];
	levels->places[levels->n_places] = (struct place){ 0 };
}

/* Places are those of the jobs that have levels of their own. */
static void note_place(struct service_levels *levels, __u64 job, const char *path)
{
	for (size_t i = 0; i < levels->n_places; i++) {
		if (levels->places[i].job != job)
			continue;
		if (is_own(levels->levels, job))
			return;
		spread_job(levels, &levels->places[i], NULL);
		forget_place(levels, i);
		return;
	}
	if (!path && tm_env_job_is(job))
		path = "";
	if (path && is_own(levels->levels, job) && levels->n_places < TM_DETAIL_JOBS) {
		char *copy = strdup(path);

		if (copy)
			levels->places[levels->n_places++] = (struct place){ job, copy };
	}
}

/* Is what is at a path, or with is_in also what is in that cgroup, below a place? */
static bool is_below(const struct place *place, const char *path, bool is_in)
{
	size_t length = strlen(place->path);

	return !tm_env_job_is(place->job) && !strncmp(path, place->path, length) &&
	       (path[length] == '/' || (is_in && !path[length]));
}

/*
 * Of which job with levels of its own is a cgroup, or what the environment of its processes names:
 * the nearest one above it; 0: of none.
 */
static __u64 owner_of(const struct service_levels *levels, __u64 cgroup)
{
	__u64 job = job_map__of(&levels->jobs, cgroup), found = 0;
	size_t best = 0;
	const char *path;

	if (!levels->n_places || is_own(levels->levels, job))
		return job;
	path = names__cgroup(levels->run, cgroup);
	for (size_t i = 0; path && i < levels->n_places; i++) {
		size_t length = strlen(levels->places[i].path);

		if (length > best && is_below(&levels->places[i], path, tm_env_job_is(cgroup))) {
			best = length;
			found = levels->places[i].job;
		}
	}
	return found;
}

static __u8 wanted(void *context, __u64 cgroup, __u8 layer)
{
	const struct service_levels *levels = context;

	return levels__of(levels->levels, owner_of(levels, cgroup), layer);
}

/* The same of jobs that the environment names, of which one may have several numbers. */
static int tell_numbers(const struct service_levels *levels)
{
	struct tm_details details;
	__u64 number = 0;
	int ret = 0;

	while (ret == 0 && job_map__next_number(&levels->jobs, &number)) {
		__u64 owner = owner_of(levels, number);

		if (!is_own(levels->levels, owner)) {
			details__drop_cgroup(&levels->maps, number);
			continue;
		}
		levels__details(levels->levels, owner, &details);
		ret = details__set_cgroup(&levels->maps, number, &details);
	}
	return ret;
}

/* First what calls are chosen by, then who has which level: nothing is ever read that is not there.
 */
static int tell_kernel(struct service_levels *levels, const struct report_run *run,
		       struct error *err)
{
	struct tm_details details;
	int ret = 0;

	memcpy(levels->maps.choices, levels__choices(levels->levels),
	       TM_CHOICES * sizeof(struct tm_choice));
	levels__details(levels->levels, 0, &details);
	details__set_node(&levels->maps, &details);
	details__set_any_job(&levels->maps, levels->n_places > 0);
	for (size_t i = 0; ret == 0 && i < levels->n_places; i++) {
		levels__details(levels->levels, levels->places[i].job, &details);
		ret = spread_job(levels, &levels->places[i], &details);
	}
	levels->run = run;
	/* Those that are new meanwhile may have missed what is told, but not the second time. */
	for (int i = 0; ret == 0 && run && i < 2; i++)
		ret = tell_numbers(levels);
	if (ret < 0)
		error__set(err, ret, "jobs with levels of their own have too many cgroups: %s",
			   strerror(-ret));
	return details__apply(&levels->maps, wanted, levels, err) < 0 ? err->code : ret;
}

int service_levels__renew(struct service_levels *levels, struct error *err)
{
	details__drop_all(&levels->maps);
	return tell_kernel(levels, NULL, err);
}

/* The name of a layer that is traced; NULL: it is not. */
static const char *layer_name(const struct traced_layers *traced, int id)
{
	const char *name = probe_table__layer_name(traced->probes, (__u8)id);
	size_t layer = (size_t)id - TM_LAYER_USER;

	if (id == TM_LAYER_VFS)
		return traced->vfs ? name : NULL;
	if (id == TM_LAYER_BLOCK)
		return traced->block ? name : NULL;
	return layer < catalogue__n_layers(traced->catalogue) && traced->libraries[layer] ? name
											  : NULL;
}

static int name_layers(const struct traced_layers *traced, struct error *err, const char *name,
		       size_t length)
{
	char known[256] = "";
	size_t used = 0;

	for (int id = 0; id <= UINT8_MAX && used < sizeof(known); id++) {
		const char *one = layer_name(traced, id);

		if (one)
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? ", " : "", one);
	}
	return error__set(err, -EINVAL, "layer %.*s is not traced by the service; there are %s",
			  (int)(length < 64 ? length : 64), name, known);
}

static int find_layer(const struct traced_layers *traced, const char *name, size_t length)
{
	for (int id = 0; id <= UINT8_MAX; id++) {
		const char *one = layer_name(traced, id);

		if (one && strlen(one) == length && !strncmp(one, name, length))
			return id;
	}
	return -ENOENT;
}

/* Names with commas; none: all layers. */
static int choose_layers(const struct traced_layers *traced, const char *list, bool *layers,
			 struct error *err)
{
	memset(layers, !list[0], TM_DETAIL_LAYERS);
	for (size_t length; *list; list += length + (list[length] == ',')) {
		int id;

		length = strcspn(list, ",");
		id = find_layer(traced, list, length);
		if (id < 0)
			return name_layers(traced, err, list, length);
		layers[tm_detail_layer((__u8)id)] = true;
	}
	return 0;
}

/* Each job that is called so, and that the user may see. */
static int change_jobs(struct service_levels *levels, const struct answer_source *source,
		       const struct request *request, uid_t uid, const struct levels_change *change,
		       struct error *err)
{
	struct jobs jobs;
	size_t n = 0;
	int ret = 0;

	jobs__start(&jobs, source->snapshot);
	while (ret == 0 && jobs__next(&jobs)) {
		__u64 job = jobs__id(&jobs);

		if (!job || !answer__may_see(source, request, uid, job))
			continue;
		n++;
		ret = levels__change(levels->levels, job, change, uid, err);
		note_place(levels, job, names__cgroup(source->run, job));
	}
	if (ret == 0 && !n)
		ret = error__set(err, -ENOENT,
				 "there is no job %s that user %u may see, or nothing of it was "
				 "counted yet",
				 request->job, uid);
	return ret;
}

int service_levels__set(struct service_levels *levels, const struct answer_source *source,
			const struct request *request, uid_t uid, FILE *body, struct error *err)
{
	struct levels_change change = { .level = request->level, .choice = request->choice };
	struct record_text text = record_text__new(record_text__end_line);
	struct error untold;
	int ret = choose_layers(&levels->layers, request->layers, change.layers, err), told;

	if (ret < 0)
		return ret;
	if (request->job[0])
		ret = change_jobs(levels, source, request, uid, &change, err);
	else
		ret = levels__change(levels->levels, 0, &change, uid, err);
	/* Of several jobs some may have been changed. */
	told = tell_kernel(levels, source->run, ret < 0 ? &untold : err);
	if (ret < 0 || told < 0)
		return ret < 0 ? ret : told;
	record__begin(&text.record, source->run, "levels", source->snapshot->time_ns,
		      source->run->hostname);
	service_levels__add(&text.record, "levels", levels, source, uid);
	record__end(&text.record);
	fwrite(text.bytes, 1, text.n, body);
	free(text.bytes);
	return 0;
}

/* Has a job that the environment names a number? It has as long as it is shown. */
static bool has_number(const struct service_levels *levels, __u64 job)
{
	__u64 number = 0;

	while (job_map__next_number(&levels->jobs, &number))
		if (job_map__of(&levels->jobs, number) == job)
			return true;
	return false;
}

/* Is the cgroup of that number still at its path? */
static bool is_there(const struct service_levels *levels, const struct place *place)
{
	char path[PATH_MAX];
	struct stat st;
	int n;

	if (tm_env_job_is(place->job))
		return has_number(levels, place->job);
	n = snprintf(path, sizeof(path), "%s%s", levels->mount, place->path);

	return n < (int)sizeof(path) && stat(path, &st) == 0 && st.st_ino == place->job;
}

void service_levels__tend(struct service_levels *levels)
{
	for (size_t i = levels->n_places; i > 0; i--) {
		struct place *place = &levels->places[i - 1];

		if (is_there(levels, place))
			continue;
		levels__forget(levels->levels, place->job);
		forget_place(levels, i - 1);
	}
}

/* By layer: the level, and of calls which ones. */
static void add_layers(struct record *record, const char *member,
		       const struct service_levels *levels, __u64 job, bool own)
{
	const struct tm_choice *choices = levels__choices(levels->levels), *choice;

	record__open(record, member);
	for (int id = 0; id <= UINT8_MAX; id++) {
		const char *name = layer_name(&levels->layers, id);
		__u8 detail = levels__of(levels->levels, job, (__u8)id);

		if (!name || (own && !levels__is_own(levels->levels, job, (__u8)id)))
			continue;
		choice = &choices[TM_DETAIL_CHOICE(detail)];
		if (TM_DETAIL_LEVEL(detail) != TM_LEVEL_CALLS ||
		    (choice->sample <= 1 && !choice->min_ns)) {
			record__string(record, name, levels_names[TM_DETAIL_LEVEL(detail)]);
			continue;
		}
		record__open(record, name);
		record__string(record, "level", levels_names[TM_LEVEL_CALLS]);
		record__u64(record, "sample", choice->sample ? choice->sample : 1);
		record__u64(record, "min_duration_ns", choice->min_ns);
		record__close(record);
	}
	record__close(record);
}

static void add_job(struct record *record, const struct service_levels *levels,
		    const struct answer_source *source, const struct levels_job *own)
{
	const struct job_info *info = names__job(source->run, own->job);

	record__open(record, NULL);
	record__string(record, "jobid", info ? info->jobid : NULL);
	record__string(record, "cgroup", names__cgroup(source->run, own->job));
	record__u64(record, "set_by_uid", own->uid);
	add_layers(record, "layers", levels, own->job, true);
	record__close(record);
}

void service_levels__add(struct record *record, const char *name,
			 const struct service_levels *levels, const struct answer_source *source,
			 uid_t uid)
{
	static const struct request all = { .kind = REQUEST_STATUS };
	struct levels_job own;

	record__open(record, name);
	add_layers(record, "node", levels, 0, false);
	record__open_array(record, "jobs");
	for (size_t i = 0; levels__job(levels->levels, i, &own); i++)
		if (answer__may_see(source, &all, uid, own.job))
			add_job(record, levels, source, &own);
	record__close_array(record);
	record__close(record);
}

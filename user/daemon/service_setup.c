// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/service_setup.h"
#include "options/option_values.h"
#include "options/target_options.h"
#include "session/layers.h"

static int copy_names(char ***names, size_t *n, const struct service_name *from, size_t n_from)
{
	*names = calloc(n_from + 1, sizeof(**names));
	if (!*names)
		return -ENOMEM;
	for (; *n < n_from; (*n)++) {
		char *name = strdup(from[*n].text);

		if (!name)
			return -ENOMEM;
		(*names)[*n] = name;
	}
	return 0;
}

static int copy_layers(struct options *options, const struct service_config *config)
{
	int ret =
		copy_names(&options->layers, &options->n_layers, config->layers, config->n_layers);

	return ret ? ret
		   : copy_names(&options->full, &options->n_full, config->full, config->n_full);
}

static int copy_probes(struct options *options, const struct service_config *config)
{
	options->probes = calloc(config->n_probes + 1, sizeof(*options->probes));
	if (!options->probes)
		return -ENOMEM;
	for (; options->n_probes < config->n_probes; options->n_probes++)
		options->probes[options->n_probes] = config->probes[options->n_probes];
	return 0;
}

static int copy_alone(struct options *options, const struct service_config *config)
{
	options->copiers_too = config->copiers_too;
	options->alone = calloc(config->n_alone + 1, sizeof(*options->alone));
	if (!options->alone)
		return -ENOMEM;
	for (size_t i = 0; i < config->n_alone; i++) {
		char *name = strdup(config->alone[i].text);

		if (!name)
			return -ENOMEM;
		options->alone[options->n_alone++] = name;
	}
	return 0;
}

/* Of single calls, between kernel and service: it counts as the service's memory. */
#define CALL_BUFFER (1U << 19)

/* Records of processes, where the log gets them, and what ranks did. */
static int copy_processes(struct options *options, const struct service_config *config,
			  struct error *err)
{
	struct process_filter *filter;
	int ret = 0;

	options->processes.on = config->accounts;
	if (!options->processes.on)
		return 0;
	options->processes.room = config->processes;
	for (size_t i = 0; i < config->n_env_vars; i++)
		option_values__add(&options->processes.variables.at,
				   &options->processes.variables.n, config->env_vars[i]);
	filter = options->processes.filter = process_filter__new();
	if (!filter)
		return error__set(err, -ENOMEM, "no memory");
	for (size_t i = 0; i < config->n_excluded && ret == 0; i++)
		ret = process_filter__exclude(filter, config->excluded[i].text, err);
	process_filter__set_min_wall(filter, config->min_wall_ns);
	return ret;
}

int service_setup__options(struct options *options, const struct service_config *config,
			   struct error *err)
{
	int ret;

	*options = target_options__none();
	options->scope = config->cgroup ? SCOPE_CGROUP : SCOPE_ALL;
	options->cgroup = config->cgroup;
	options->hierarchy = config->hierarchy;
	options->jobs = config->job_patterns;
	options->slots = config->series;
	options->past_jobs = config->past_jobs;
	options->interval_s = config->interval_s;
	options->record = true; /* no tables */
	options->parkable = true;
	options->configured = true;
	options->bounds = config->bounds;
	options->quiet = true;
	options->recording = config->history;
	options->recording_size = config->history_size;
	options->coarse_timelines = config->history ? config->timelines : 0;
	options->syslog = config->log;
	options->syslog.patient = true;
	options->by_job = true;
	options->calls.on = options->calls.quiet = config->calls != LEVELS_CALLS_NONE;
	options->calls.buffer = CALL_BUFFER;
	ret = copy_layers(options, config);
	if (!ret)
		ret = copy_probes(options, config);
	if (!ret)
		ret = copy_alone(options, config);
	if (ret)
		return error__set(err, ret, "no memory");
	return copy_processes(options, config, err);
}

static int refuse_layer(const struct catalogue *cat, const struct service_config *config,
			const struct service_name *name, struct error *err)
{
	char known[256] = "vfs, block";
	size_t used = strlen(known);

	for (size_t i = 0; i < catalogue__n_layers(cat) && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, ", %s",
					 catalogue__layer(cat, i)->name);
	return error__set(err, -EINVAL,
			  "%s:%d: there is no layer %s, known are: %s; a further one is a file "
			  "below probes",
			  config->file, name->line, name->text, known);
}

int service_setup__layers(struct session *session, const struct service_config *config,
			  struct error *err)
{
	int ret = layers__open_catalogue(session, err);

	for (size_t i = 0; ret == 0 && i < config->n_layers; i++) {
		const struct service_name *name = &config->layers[i];

		if (strcmp(name->text, "vfs") && strcmp(name->text, "block") &&
		    catalogue__find_layer(session->catalogue, name->text) < 0)
			ret = refuse_layer(session->catalogue, config, name, err);
	}
	for (size_t i = 0; ret == 0 && i < config->n_full; i++)
		if (!service_setup__has_layer(config, config->full[i].text))
			ret = error__set(
				err, -EINVAL,
				"%s:%d: full has %s, which is not among layers; add it there",
				config->file, config->full[i].line, config->full[i].text);
	return ret ? ret : layers__choose(session, err);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_texts(const char *const *a, size_t n, const char *const *b, size_t m)
{
	for (size_t i = 0; n == m && i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return n == m;
}

static bool same_names(const struct service_name *a, const struct service_name *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(a[i].text, b[i].text) != 0)
			return false;
	return true;
}

bool service_setup__has_layer(const struct service_config *config, const char *name)
{
	for (size_t i = 0; i < config->n_layers; i++)
		if (!strcmp(config->layers[i].text, name))
			return true;
	return false;
}

static bool is_of_kernel(const char *layer)
{
	return !strcmp(layer, "vfs") || !strcmp(layer, "block");
}

/* Has a all layers of b? It may be without layers of the kernel that a has. */
static bool has_layers(const struct service_config *a, const struct service_config *b)
{
	for (size_t i = 0; i < b->n_layers; i++)
		if (!service_setup__has_layer(a, b->layers[i].text))
			return false;
	return true;
}

static bool same_layers(const struct service_config *a, const struct service_config *b)
{
	for (size_t i = 0; i < a->n_layers; i++)
		if (!is_of_kernel(a->layers[i].text) &&
		    !service_setup__has_layer(b, a->layers[i].text))
			return false;
	return has_layers(a, b);
}

/* Accounts of processes are asked of the kernel when its programs are loaded. */
static bool same_processes(const struct service_config *a, const struct service_config *b)
{
	return a->accounts == b->accounts && a->min_wall_ns == b->min_wall_ns &&
	       a->processes == b->processes &&
	       same_texts(a->env_vars, a->n_env_vars, b->env_vars, b->n_env_vars) &&
	       a->n_excluded == b->n_excluded &&
	       same_names(a->excluded, b->excluded, a->n_excluded);
}

bool service_setup__follows(const struct service_config *a, const struct service_config *b)
{
	if (a->calls != b->calls || a->n_probes != b->n_probes || a->series != b->series ||
	    a->past_jobs != b->past_jobs || !same_text(a->job_patterns, b->job_patterns) ||
	    !same_text(a->cgroup, b->cgroup) || !same_text(a->hierarchy, b->hierarchy) ||
	    !same_text(a->history, b->history) || a->history_size != b->history_size ||
	    a->timelines != b->timelines || !same_text(a->log.path, b->log.path) ||
	    a->log.journal != b->log.journal || !a->log.types != !b->log.types ||
	    !same_text(a->socket, b->socket) || !same_text(a->pins, b->pins))
		return false;
	if (a->n_full != b->n_full || !same_names(a->full, b->full, a->n_full))
		return false;
	if (!same_layers(a, b) || !same_processes(a, b) || a->copiers_too != b->copiers_too ||
	    a->n_alone != b->n_alone || !same_names(a->alone, b->alone, a->n_alone))
		return false;
	return same_texts(a->probes, a->n_probes, b->probes, b->n_probes);
}

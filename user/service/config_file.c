// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/identity.h"
#include "base/quantity.h"
#include "base/text_file.h"
#include "base/yaml_doc.h"
#include "governor/governor.h"
#include "ring/format.h"
#include "service/config.h"
#include "service/config_file.h"
#include "service/config_reader.h"
#include "service/config_sections.h"

#define SERIES	      16384
#define PAST_JOBS     256
#define INTERVAL_S    60
#define HISTORY	      "/var/lib/tmtrace/history.data"
#define TIMELINES     (1 << 20)
#define HISTORY_SIZE  (64ULL << 20)
#define LOG_RATE      1000
#define PROCESSES     4096
#define SNAPSHOT      "/run/tmtrace/snapshot"
#define SNAPSHOT_S    15
#define SERVICE_BOUND 0.01
#define PINS	      "/sys/fs/bpf/tmtrace"

/* What is on where nobody says it; a site chooses mpi, hdf5, m0 and addb. */
static const char *const default_layers[] = { "vfs", "block", "mstro", "mio" };

static const unsigned int default_types =
	1U << SYSLOG_RUN | 1U << SYSLOG_PROCESS | 1U << SYSLOG_JOB | 1U << SYSLOG_LOSS;

static int read_layers(struct config_reader *r, const yaml_node_t *node)
{
	if (!yaml_doc__n_items(node))
		return yaml_doc__fail(&r->doc, node, r->err,
				      "layers is empty, name at least one, e.g. [vfs, block]");
	return config_reader__names(r, node, "a layer", &r->config->layers, &r->config->n_layers);
}

/* Layers that are traced in full. */
static int read_full(struct config_reader *r, const yaml_node_t *node)
{
	struct service_config *config = r->config;

	if (config_reader__is_none(node))
		return 0;
	return config_reader__names(r, node, "full", &config->full, &config->n_full);
}

static int read_probes(struct config_reader *r, const yaml_node_t *node)
{
	struct service_config *config = r->config;
	size_t room = 0;

	for (size_t i = 0; i < yaml_doc__n_items(node); i++) {
		const yaml_node_t *item = yaml_doc__item(&r->doc, node, i);
		const char *text = NULL;
		int ret = yaml_doc__read_text(&r->doc, item, "a path of probes", &text, r->err);

		if (ret < 0)
			return ret;
		if (text[0] != '/')
			return yaml_doc__fail(&r->doc, item, r->err,
					      "probes has %s, a path that begins with / is needed",
					      yaml_doc__quote(text).text);
		ret = config_reader__append(r, text, &config->probes, &config->n_probes, &room);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Patterns of programs and libraries; "none": not even the known ones. */
static int read_leave_alone(struct config_reader *r, const yaml_node_t *node)
{
	struct service_config *config = r->config;
	int ret = config_reader__names(r, node, "leave_alone", &config->alone, &config->n_alone);

	for (size_t i = 0; i < config->n_alone; i++)
		if (!strcmp(config->alone[i].text, CONFIG_NONE))
			config->copiers_too = true;
	return ret;
}

static int read_snapshot(struct config_reader *r)
{
	static const char *const known[] = { "file", "prometheus", "interval", NULL };
	struct service_config *config = r->config;
	const yaml_node_t *section;
	bool none;
	int ret = config_reader__section(r, "snapshot", known, &section, &none);

	if (none)
		config->snapshot = NULL;
	if (ret == 0)
		ret = config_reader__path(r, section, "file", &config->snapshot);
	if (ret == 0)
		ret = config_reader__path(r, section, "prometheus", &config->prometheus);
	if (ret == 0)
		ret = config_reader__seconds(r, section, &config->snapshot_s);
	return ret;
}

static int read_calls(struct config_reader *r, const yaml_node_t *node)
{
	static const char *const words[] = { [LEVELS_CALLS_NONE] = CONFIG_NONE,
					     [LEVELS_CALLS_ROOT] = "root",
					     [LEVELS_CALLS_USERS] = "users" };
	const char *text = NULL;
	int ret = yaml_doc__read_text(&r->doc, node, "calls", &text, r->err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(text, words[i])) {
			r->config->calls = i;
			return 0;
		}
	}
	return yaml_doc__fail(&r->doc, node, r->err,
			      "calls is %s, one of none, root and users is needed",
			      yaml_doc__quote(text).text);
}

/* Its cgroups are looked for when the service starts. */
static int read_hierarchy(struct config_reader *r, const yaml_node_t *root)
{
	const yaml_node_t *node = yaml_doc__get(&r->doc, root, "hierarchy");
	const char *text = NULL;
	int ret = node ? yaml_doc__read_text(&r->doc, node, "hierarchy", &text, r->err) : 0;

	if (!node || ret < 0)
		return ret;
	if (!text[0] || strpbrk(text, " /"))
		return yaml_doc__fail(&r->doc, node, r->err,
				      "hierarchy is %s, v2 or a controller of version 1 is needed, "
				      "as in freezer",
				      yaml_doc__quote(text).text);
	return config_reader__keep(r, text, &r->config->hierarchy);
}

/* Where maps and links are kept, or "none". */
static int read_pins(struct config_reader *r, const yaml_node_t *root)
{
	const yaml_node_t *node = yaml_doc__get(&r->doc, root, "pins");

	if (!node || !config_reader__is_none(node))
		return config_reader__path(r, root, "pins", &r->config->pins);
	r->config->pins = NULL;
	return 0;
}

/* A share of something, or "none", which is 0; unchanged where the key is not there. */
static int read_share(struct config_reader *r, const char *key, double *share)
{
	const yaml_node_t *node = yaml_doc__get(&r->doc, yaml_doc__root(&r->doc), key);
	const char *text = NULL;
	int ret = node ? yaml_doc__read_text(&r->doc, node, key, &text, r->err) : 0;

	if (!node || ret < 0)
		return ret;
	if (config_reader__is_none(node))
		*share = 0;
	else if (quantity__share(text, share) < 0)
		ret = yaml_doc__fail(
			&r->doc, node, r->err,
			"%s is %s, a part above 0 is needed, up to 100%%, as in 1%% or "
			"0.5%%, or none",
			key, yaml_doc__quote(text).text);
	return ret;
}

static int read_overheads(struct config_reader *r)
{
	struct service_config *config = r->config;
	int ret = read_share(r, "max_overhead", &config->bounds.node);

	/* Who wants no bound wants none of threads either, unless one is said. */
	if (!(config->bounds.node > 0))
		config->bounds.thread = 0;
	if (ret == 0)
		ret = read_share(r, "max_thread_overhead", &config->bounds.thread);
	if (ret == 0)
		ret = read_share(r, "max_service_overhead", &config->max_service_overhead);
	return ret;
}

static int read_keys(struct config_reader *r)
{
	static const char *const known[] = { "layers",
					     "probes",
					     "job_patterns",
					     "cgroup",
					     "max_series",
					     "interval",
					     "history",
					     "log",
					     "processes",
					     "socket",
					     "snapshot",
					     "calls",
					     "pins",
					     "past_jobs",
					     "max_overhead",
					     "hierarchy",
					     "metrics",
					     "timelines",
					     "leave_alone",
					     "max_thread_overhead",
					     "max_service_overhead",
					     "full",
					     NULL };
	struct service_config *config = r->config;
	const yaml_node_t *root = yaml_doc__root(&r->doc);
	const yaml_node_t *layers = yaml_doc__get(&r->doc, root, "layers");
	const yaml_node_t *full = yaml_doc__get(&r->doc, root, "full");
	const yaml_node_t *probes = yaml_doc__get(&r->doc, root, "probes");
	const yaml_node_t *calls = yaml_doc__get(&r->doc, root, "calls");
	const yaml_node_t *alone = yaml_doc__get(&r->doc, root, "leave_alone");
	long series = config->series, past_jobs = config->past_jobs;
	int ret = yaml_doc__check_keys(&r->doc, root, "the configuration", known, r->err);

	if (ret == 0 && layers)
		ret = read_layers(r, layers);
	if (ret == 0 && full)
		ret = read_full(r, full);
	if (ret == 0 && probes)
		ret = read_probes(r, probes);
	if (ret == 0 && calls)
		ret = read_calls(r, calls);
	if (ret == 0 && alone)
		ret = read_leave_alone(r, alone);
	if (ret == 0)
		ret = config_reader__path(r, root, "job_patterns", &config->job_patterns);
	if (ret == 0)
		ret = config_reader__path(r, root, "cgroup", &config->cgroup);
	if (ret == 0)
		ret = read_hierarchy(r, root);
	if (ret == 0)
		ret = config_reader__number(r, root, "max_series", 16, 1 << 20, &series);
	config->series = (unsigned int)series;
	if (ret == 0)
		ret = config_reader__number(r, root, "past_jobs", 1, 65536, &past_jobs);
	config->past_jobs = (unsigned int)past_jobs;
	if (ret == 0)
		ret = config_reader__seconds(r, root, &config->interval_s);
	if (ret == 0)
		ret = config_timelines__read(r);
	if (ret == 0)
		ret = config_history__read(r);
	if (ret == 0)
		ret = config_log__read(r);
	if (ret == 0)
		ret = config_reader__path(r, root, "socket", &config->socket);
	if (ret == 0)
		ret = read_pins(r, root);
	if (ret == 0)
		ret = read_snapshot(r);
	if (ret == 0)
		ret = read_overheads(r);
	if (ret == 0)
		ret = config_metrics__read(r);
	return ret == 0 ? config_processes__read(r) : ret;
}

/* A file of comments alone is one that says nothing. */
static bool says_nothing(const char *text, size_t len)
{
	bool comment = false;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			comment = false;
		else if (text[i] == '#')
			comment = true;
		else if (!comment && text[i] != ' ')
			return false;
	}
	return true;
}

int service_config__defaults(struct service_config *config)
{
	size_t n = sizeof(default_layers) / sizeof(*default_layers);

	*config = (struct service_config){
		.series = SERIES,
		.accounts = true,
		.processes = PROCESSES,
		.calls = LEVELS_CALLS_USERS,
		.past_jobs = PAST_JOBS,
		.interval_s = INTERVAL_S,
		.history = HISTORY,
		.history_size = HISTORY_SIZE,
		.timelines = TIMELINES,
		.log = { .types = default_types, .rate = LOG_RATE },
		.socket = SERVICE_SOCKET,
		.pins = PINS,
		.bounds = { GOVERNOR_BOUND, GOVERNOR_THREAD_BOUND },
		.max_service_overhead = SERVICE_BOUND,
		.snapshot = SNAPSHOT,
		.snapshot_s = SNAPSHOT_S,
		.metrics_listen = METRICS_LISTEN,
		.metrics_user = METRICS_USER,
		.metrics_samples = METRICS_SAMPLES,
		.layers = calloc(n, sizeof(*config->layers)),
	};
	if (!config->layers)
		return -ENOMEM;
	for (; config->n_layers < n; config->n_layers++)
		config->layers[config->n_layers].text = default_layers[config->n_layers];
	return 0;
}

int service_config__parse(struct service_config *config, const char *path, const char *text,
			  size_t len, struct error *err)
{
	struct config_reader r = { .config = config, .err = err };
	int ret = service_config__defaults(config);

	if (ret < 0)
		return error__set(err, ret, "%s: no memory", path);
	config->file = path;
	if (says_nothing(text, len))
		return 0;
	ret = yaml_doc__parse(&r.doc, path, text, len, err);
	if (ret == 0) {
		ret = read_keys(&r);
		yaml_doc__free(&r.doc);
	}
	if (ret < 0)
		service_config__free(config);
	return ret;
}

int service_config__read(struct service_config *config, const char *path, struct error *err)
{
	char *text;
	size_t len;
	int ret = text_file__read(path, &text, &len, err);

	if (ret < 0)
		return ret;
	ret = service_config__parse(config, path, text, len, err);
	free(text);
	return ret;
}

/* What somebody has named, in place of the machine's own. */
static int read_as_caller(struct service_config *config, const char *path, struct error *err)
{
	int ret = identity__enter_caller(err);

	if (ret < 0)
		return ret;
	ret = service_config__read(config, path, err);
	identity__leave();
	return ret < 0 ? identity__explain_caller(err) : ret;
}

int service_config__load(struct service_config *config, const char *path, struct error *err)
{
	if (path)
		return read_as_caller(config, path, err);
	if (!access(SERVICE_CONFIG, F_OK))
		return service_config__read(config, SERVICE_CONFIG, err);
	if (service_config__defaults(config) < 0)
		return error__set(err, -ENOMEM, "no memory");
	return 0;
}

void service_config__free(struct service_config *config)
{
	free(config->full);
	free(config->layers);
	free(config->excluded);
	free(config->alone);
	free((void *)config->probes);
	free((void *)config->env_vars);
	strings__free(&config->strings);
	*config = (struct service_config){ 0 };
}

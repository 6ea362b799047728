// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>

#include "base/clock.h"
#include "daemon/service_metrics.h"
#include "service/prometheus.h"
#include "service/replace.h"

/* What a site collects with node_exporter, everybody may read. */
#define FILE_MODE 0644

struct service_metrics {
	bool on;		 /* they may be asked for */
	uid_t uid;		 /* who may, beside root; 0: nobody */
	struct metrics *metrics; /* NULL: nobody has asked yet */
	size_t samples;
	__u64 restarted_ns; /* as of metrics__new() */
};

/* The machine's list of users is asked here alone: it may take its time. */
static uid_t find_user(const struct service_config *config)
{
	const struct passwd *entry = config->metrics ? getpwnam(config->metrics_user) : NULL;

	if (config->metrics && !entry)
		fprintf(stderr,
			"tmtrace: metrics: there is no user %s, so that root alone may have them; "
			"after it was made (useradd --system %s) reload or restart the service\n",
			config->metrics_user, config->metrics_user);
	return entry ? entry->pw_uid : 0;
}

int service_metrics__open(struct service_metrics **out, const struct service_config *config,
			  bool is_continued, struct error *err)
{
	struct service_metrics *metrics = calloc(1, sizeof(*metrics));

	if (!metrics)
		return error__set(err, -ENOMEM, "no memory");
	metrics->restarted_ns = is_continued ? clock__ns(CLOCK_REALTIME) : 0;
	service_metrics__choose(metrics, config);
	*out = metrics;
	return 0;
}

void service_metrics__close(struct service_metrics *metrics)
{
	if (!metrics)
		return;
	metrics__free(metrics->metrics);
	free(metrics);
}

void service_metrics__choose(struct service_metrics *metrics, const struct service_config *config)
{
	metrics->on = config->metrics;
	metrics->uid = find_user(config);
	metrics->samples = config->metrics_samples;
	if (metrics->metrics)
		metrics__bound(metrics->metrics, metrics->samples);
}

int service_metrics__may_see(const struct service_metrics *metrics, uid_t uid, struct error *err)
{
	if (!metrics->on)
		return error__set(
			err, -ENOENT,
			"the configuration has metrics: none; with metrics: 9750 they are "
			"told");
	if (uid != 0 && uid != metrics->uid)
		return error__set(err, -EPERM,
				  "user %u may not have metrics, which name everybody's jobs; the "
				  "configuration's metrics: {user: NAME} says who may",
				  uid);
	return 0;
}

/* They are of the status's snapshot from now on. */
static int take_status(struct service_metrics *metrics, const struct service_status *status,
		       struct error *err)
{
	if (!metrics->metrics)
		metrics->metrics = metrics__new(metrics->samples, metrics->restarted_ns);
	if (!metrics->metrics ||
	    metrics__update(metrics->metrics, status->run, status->snapshot) < 0)
		return error__set(err, -ENOMEM, "no memory");
	return 0;
}

int service_metrics__tell(struct service_metrics *metrics, const struct service_status *status,
			  const struct request *request, FILE *body, struct error *err)
{
	struct prometheus prometheus = { .status = status };
	int ret = take_status(metrics, status, err);

	if (ret < 0)
		return ret;
	prometheus.metrics = metrics->metrics;
	ret = prometheus__write(
		&prometheus, request->openmetrics ? METRICS_OPENMETRICS : METRICS_PROMETHEUS, body);
	return ret < 0 ? error__set(err, ret, "no memory") : 0;
}

int service_metrics__write_file(struct service_metrics *metrics,
				const struct service_status *status, const char *path,
				struct error *err)
{
	struct prometheus prometheus = { .status = status };
	int ret = take_status(metrics, status, err);

	prometheus.metrics = metrics->metrics;
	return ret < 0 ? ret
		       : replace__file(path, FILE_MODE, prometheus__write_sums, &prometheus, err);
}

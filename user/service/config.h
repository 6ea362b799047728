/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the service is to do, from a YAML file (docs/service.md). What the file does not say is as
 * in service_config__defaults(); what it says wrongly is an error with its line.
 */
#ifndef USER_SERVICE_CONFIG_H
#define USER_SERVICE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"
#include "base/strings.h"
#include "governor/governor.h"
#include "service/levels.h"
#include "sink/syslog.h"

#define SERVICE_CONFIG "/etc/tmtrace/tmtrace.yaml"
#define SERVICE_SOCKET "/run/tmtrace/tmtrace.sock"

/* A word of the file, and where it stands; line 0: it is a default. */
struct service_name {
	const char *text;
	int line;
};

struct service_config {
	const char *file; /* for messages */
	struct service_name *layers;
	size_t n_layers;
	struct service_name *full; /* of these, those that are traced in full, not in brief */
	size_t n_full;
	const char **probes; /* further catalogue files or folders */
	size_t n_probes;
	struct service_name *alone; /* programs and libraries that are left alone */
	size_t n_alone;
	bool copiers_too;	  /* nor are those that are known to copy code */
	const char *job_patterns; /* a file; NULL: none */
	const char *cgroup;	  /* only what is in it, or below; NULL: the whole machine */
	const char *hierarchy;	  /* by which jobs are told; NULL: the one in which they live */
	unsigned int series;	  /* room for so many */
	enum levels_calls calls;  /* who may have single calls recorded */
	unsigned int past_jobs;	  /* that are over and shown one by one, at most */
	double interval_s;	  /* from one record of a series in the log to the next */
	bool accounts;		  /* of processes: for their records, and by rank for reports */
	/* Of records of processes that end, where the log gets them: */
	struct service_name *excluded; /* not of those whose program's path matches */
	size_t n_excluded;
	__u64 min_wall_ns;     /* only of those that last so long */
	const char **env_vars; /* with these variables of their environments */
	size_t n_env_vars;
	unsigned int processes;	   /* room for so many that run at the same time */
	const char *history;	   /* the ring file; NULL: none */
	__u64 history_size;	   /* bytes */
	__u64 timelines;	   /* bytes of memory for when it was; 0: none are kept */
	struct syslog_options log; /* types 0: nothing is sent there */
	const char *socket;
	const char *pins;	       /* a folder in bpffs; NULL: nothing is kept */
	struct governor_bounds bounds; /* of what probes cost */
	double max_service_overhead;   /* of what all processors can do, by itself; 0: none */
	/* What other programs read, each NULL: not written. */
	const char *snapshot;	/* pairs of name and value */
	const char *prometheus; /* for the textfile collector of node_exporter */
	double snapshot_s;	/* how often */
	/* What is told for Prometheus: */
	bool metrics;		      /* anything at all */
	const char *metrics_listen;   /* where tmtrace-metrics is asked by HTTP */
	const char *metrics_user;     /* who may have them, beside root */
	unsigned int metrics_samples; /* so many at once, at most */
	struct strings strings;	      /* owns all of these */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* How the service fares: probes, what they saw and lost, what it costs. */
#ifndef USER_SERVICE_STATUS_H
#define USER_SERVICE_STATUS_H

#include <json-c/json.h>

#include "job/hierarchies.h"
#include "job/task_passes.h"
#include "report/report.h"
#include "service/config.h"
#include "service/outputs.h"
#include "sink/syslog.h"
#include "top/layout.h"

struct service_status {
	const struct report_run *run;
	const struct snapshot *snapshot;
	const struct service_config *config;
	struct top_cost cost;	  /* of the last interval */
	__u64 own_ns;		  /* CPU time of this process, since its start */
	double history_s;	  /* so often the history is written; 0: there is none */
	struct syslog_counts log; /* all 0 where nothing is sent there */
	struct service_outputs outputs;
	struct hierarchy_choice hierarchy; /* of cgroups, by which jobs are told */
	bool names_jobs;		   /* whoever asks may know what others do: root */
	struct json_object *levels;	   /* a member of that name; NULL: none */
	__u64 restarts;			   /* since the counters began */
	size_t adopted;			   /* links that were in place when this process began */
	const struct task_passes *passes;  /* NULL: the kernel counts nothing of tasks */
};

/* What all probes together saw, since the start. */
struct status_sums {
	size_t states[PROBE_OFF + 1]; /* probes by enum probe_state */
	__u64 hits, recorded, filtered, in_flight, lost;
	__u64 lost_by[TM_LOSSES];
};

void status__sum(struct status_sums *out, const struct service_status *status);

/* Writes the record, and if asked for one of each probe; a line each. */
void status__write(const struct service_status *status, bool probes, FILE *out);

/* A record that has its member "levels", which is printed: a line, and one for each job. */
void status__print_set(struct json_object *record, FILE *out);

/* The same record as text for people. */
void status__print(struct json_object *record, FILE *out);

#endif

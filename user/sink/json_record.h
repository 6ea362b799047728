/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record as an object, to be given back with json_object_put(). NULL without memory: single
 * values that found no memory are null.
 */
#ifndef USER_SINK_JSON_RECORD_H
#define USER_SINK_JSON_RECORD_H

#include <stdbool.h>
#include <json-c/json.h>

#include "report/gaps.h"
#include "report/report.h"

/* end_ns is 0 at the start; then notes are the run's own. */
struct json_object *json_record__run(const struct report_run *run, __u64 end_ns,
				     const char *const *notes, size_t n_notes);

/* Adds what a series is about: job, layer, function and where. */
void json_record__key(struct json_object *record, const struct report_run *run,
		      const struct tm_series *total);

/* Adds which process it is of; NULL: that is not known, or of several. */
void json_record__process(struct json_object *record, const struct report_run *run,
			  const struct tm_key *key);

/* The same of one that is known, or NULL, with its job. */
void json_record__who(struct json_object *record, const struct process_info *process,
		      const char *jobid);

/* Series i of a snapshot: a function or a device. gaps: of that time. */
struct json_object *json_record__series(const struct report_run *run,
					const struct snapshot *snapshot, size_t i, bool final,
					const struct gaps *gaps);

struct json_object *json_record__probe(const struct report_run *run,
				       const struct snapshot *snapshot, size_t i);
struct json_object *json_record__loss(const struct report_run *run, const struct snapshot *snapshot,
				      size_t probe, enum tm_loss loss);

#endif

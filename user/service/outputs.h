/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The outputs of a service, each with its state, as the status record, its text, metrics and pairs
 * of name and value tell it.
 */
#ifndef USER_SERVICE_OUTPUTS_H
#define USER_SERVICE_OUTPUTS_H

#include <stdio.h>
#include <json-c/json.h>

#include "metrics/text.h"
#include "sink/output_state.h"

/* In the order in which they are told. */
enum service_output {
	OUTPUT_HISTORY,
	OUTPUT_LOG,
	OUTPUT_SNAPSHOT,   /* pairs */
	OUTPUT_PROMETHEUS, /* of the textfile collector */
	SERVICE_OUTPUTS,
};

/* Each NULL: the configuration has none. All have a kind. */
struct service_outputs {
	const struct output_state *at[SERVICE_OUTPUTS];
};

/* The member "outputs" of the status record: by their names. */
void outputs__add(const struct service_outputs *outputs, struct record *record);

/* The lines of that for people; NULL: nothing, as of a service that is older. */
void outputs__print(struct json_object *outputs, FILE *out);

void outputs__write_metrics(const struct service_outputs *outputs, struct metrics_text *text);

/* "tmtrace.output_works{log} 1" */
void outputs__write_pairs(const struct service_outputs *outputs, FILE *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* ADDB2 records as JSON records of type addb. */
#ifndef USER_SINK_JSON_ADDB_H
#define USER_SINK_JSON_ADDB_H

#include <stdio.h>

#include "addb/record.h"
#include "report/report.h"

struct json_addb;

/* run must outlive it. NULL without memory. */
struct json_addb *json_addb__new(const struct report_run *run);
void json_addb__free(struct json_addb *addb); /* NULL is fine */

/* Writes one, and a newline. Errors stay in the stream. */
void json_addb__put(struct json_addb *addb, FILE *out, const struct addb_record *record,
		    const struct addb_origin *origin);

/* Writes what became of all records, and a newline. */
void json_addb__put_counts(struct json_addb *addb, FILE *out, const struct addb_counts *counts);

#endif

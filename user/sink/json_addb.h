/* SPDX-License-Identifier: GPL-2.0-only */
/* ADDB2 records as records of type addb. */
#ifndef USER_SINK_JSON_ADDB_H
#define USER_SINK_JSON_ADDB_H

#include "addb/record.h"
#include "sink/record.h"

void json_addb__add(struct record *record, const struct report_run *run,
		    const struct addb_record *addb, const struct addb_origin *origin);

/* What became of all of them. */
void json_addb__add_counts(struct record *record, const struct report_run *run,
			   const struct addb_counts *counts);

#endif

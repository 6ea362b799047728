/* SPDX-License-Identifier: GPL-2.0-only */
/* What a series is of: each kind has a table, a type of record, a list on the page of its own. */
#ifndef USER_REPORT_SERIES_KIND_H
#define USER_REPORT_SERIES_KIND_H

#include "tmtrace/key.h"

enum series_kind {
	SERIES_CALLS,	/* of a library's function */
	SERIES_FILES,	/* operations on files */
	SERIES_DEVICES, /* requests to them */
	/* What stands beside calls: no part of any sum of them. */
	SERIES_OPERATIONS,   /* asynchronous ones, that calls launched */
	SERIES_BY_SIZE,	     /* calls once more, by the size of their object */
	SERIES_ASSOCIATIONS, /* from joining a workflow to leaving it */
	SERIES_STATES,	     /* of state machines, by ADDB2 records */
	SERIES_VALUES,	     /* in ADDB2 records: times and sizes */
	SERIES_RECORDED,     /* those above have records, the others are told with them */
	SERIES_KERNEL_IO = SERIES_RECORDED, /* what the kernel itself has counted */
	SERIES_UNSEEN,			    /* calls while the function was parked */
	SERIES_KINDS,
};

enum series_kind series_kind__of(const struct tm_key *key);

#endif

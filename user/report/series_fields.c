// SPDX-License-Identifier: GPL-2.0-only
#include "addb/sums.h"
#include "report/series_fields.h"
#include "report/series_kind.h"

enum series_record series_record__of(const struct tm_key *key)
{
	static const enum series_record records[SERIES_KINDS] = {
		[SERIES_CALLS] = IN_FUNCTION,	  [SERIES_FILES] = IN_VFS,
		[SERIES_DEVICES] = IN_DEVICE,	  [SERIES_OPERATIONS] = IN_OP,
		[SERIES_BY_SIZE] = IN_BY_SIZE,	  [SERIES_ASSOCIATIONS] = IN_ASSOCIATION,
		[SERIES_STATES] = IN_ADDB_STATE,  [SERIES_VALUES] = IN_ADDB_VALUE,
		[SERIES_KERNEL_IO] = IN_FUNCTION, [SERIES_UNSEEN] = IN_FUNCTION,
	};
	enum series_kind kind = series_kind__of(key);

	if (kind == SERIES_VALUES && addb_sum__kind(key->where) == ADDB_SUM_NUMBER)
		return IN_ADDB_NUMBER;
	return records[kind];
}

const char *series_record__type(enum series_record record)
{
	switch (record) {
	case IN_DEVICE:
		return "device";
	case IN_OP:
		return "op";
	case IN_BY_SIZE:
		return "by_size";
	case IN_ASSOCIATION:
		return "association";
	case IN_ADDB_STATE:
		return "addb_state";
	case IN_ADDB_VALUE:
	case IN_ADDB_NUMBER:
		return "addb_value";
	default:
		return "function";
	}
}

/* clang-format off */
#define FIELD(name, member, known, records) \
	{ name, offsetof(struct figures, member), KNOWN_##known, records },
/* Where the time inside calls went. */
#define TIME(name, time) \
	{ name, offsetof(struct figures, times_ns[time]), KNOWN_INSIDE, IN_CALLS, time },
/* A counter that recordings do not have that were made before it came. */
#define LATER(name, member, which, records) \
	{ name, offsetof(struct figures, member), KNOWN_LATER, records, which },
#define COUNTER(member, joins, place, known, records) FIELD(#member, member, known, records)

const struct series_field series_fields[] = {
	TM_SERIES_COUNTS(COUNTER)
	FIELD("sum", bytes, SIZED, IN_ADDB_NUMBER)
	FIELD("timed", timed, ALWAYS, IN_ALL)
	TM_SERIES_NS(COUNTER)
	TIME("vfs_ns", TM_TIME_VFS)
	TIME("net_ns", TM_TIME_NET)
	TIME("wait_ns", TM_TIME_WAIT)
	TIME("syscall_ns", TM_TIME_SYSCALL)
	TIME("block_ns", TM_TIME_BLOCK)
	TIME("iowait_ns", TM_TIME_IOWAIT)
	LATER("blocked", outer_ns[TM_VFS_BLOCKED], TM_KNOWN_BLOCKED, IN_VFS)
	FIELD("submit_ns", outer_ns[TM_OPERATION_SUBMIT], TIMED, IN_OP)
	FIELD("wait_ns", outer_ns[TM_OPERATION_WAIT], TIMED, IN_OP)
	FIELD("late_poll_ns", outer_ns[TM_OPERATION_LATE], TIMED, IN_OP)
	FIELD("oldest_ns", queue_ns, OLDEST, IN_OP)
	FIELD("abandoned", times_ns[TM_OPERATION_ABANDONED], ALWAYS, IN_OP)
	FIELD("forgotten", times_ns[TM_OPERATION_FORGOTTEN], ALWAYS, IN_OP)
	FIELD("killed", times_ns[TM_OPERATION_KILLED], ALWAYS, IN_OP)
	FIELD("no_entry", times_ns[TM_OPERATION_NO_ENTRY], ALWAYS, IN_OP)
	TM_SERIES_ENDS(COUNTER)
	FIELD("p50_ns", p50_ns, BUCKETED, IN_ALL)
	FIELD("p90_ns", p90_ns, BUCKETED, IN_ALL)
	FIELD("p99_ns", p99_ns, BUCKETED, IN_ALL)
	FIELD("p999_ns", p999_ns, BUCKETED, IN_ALL)
};
/* clang-format on */

const size_t series_fields_n = sizeof(series_fields) / sizeof(*series_fields);

const char *series_fields__time(enum tm_time time)
{
	for (size_t i = 0; i < series_fields_n; i++)
		if (series_fields[i].known == KNOWN_INSIDE && series_fields[i].which == time)
			return series_fields[i].name;
	return NULL;
}

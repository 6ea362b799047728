// SPDX-License-Identifier: GPL-2.0-only
#include "addb/sums.h"
#include "report/series_fields.h"

enum series_record series_record__of(const struct tm_key *key)
{
	if (key__is_addb(key)) {
		switch (addb_sum__kind(key->where)) {
		case ADDB_SUM_STATE:
			return SERIES_ADDB_STATE;
		case ADDB_SUM_NUMBER:
			return SERIES_ADDB_NUMBER;
		default:
			return SERIES_ADDB_VALUE;
		}
	}
	if (key__is_operation(key))
		return SERIES_OP;
	if (key__is_by_size(key))
		return SERIES_BY_SIZE;
	if (key__is_association(key))
		return SERIES_ASSOCIATION;
	if (key->layer == TM_LAYER_BLOCK)
		return SERIES_DEVICE;
	return key->layer == TM_LAYER_VFS ? SERIES_VFS : SERIES_FUNCTION;
}

const char *series_record__type(enum series_record record)
{
	switch (record) {
	case SERIES_DEVICE:
		return "device";
	case SERIES_OP:
		return "op";
	case SERIES_BY_SIZE:
		return "by_size";
	case SERIES_ASSOCIATION:
		return "association";
	case SERIES_ADDB_STATE:
		return "addb_state";
	case SERIES_ADDB_VALUE:
	case SERIES_ADDB_NUMBER:
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
	{ name, offsetof(struct figures, times_ns[time]), KNOWN_INSIDE, SERIES_CALLS, time },
/* A counter that recordings do not have that were made before it came. */
#define LATER(name, member, which, records) \
	{ name, offsetof(struct figures, member), KNOWN_LATER, records, which },
#define COUNTER(member, joins, place, known, records) FIELD(#member, member, known, records)

const struct series_field series_fields[] = {
	TM_SERIES_COUNTS(COUNTER)
	FIELD("sum", bytes, SIZED, SERIES_ADDB_NUMBER)
	FIELD("timed", timed, ALWAYS, SERIES_ALL)
	TM_SERIES_NS(COUNTER)
	TIME("vfs_ns", TM_TIME_VFS)
	TIME("net_ns", TM_TIME_NET)
	TIME("wait_ns", TM_TIME_WAIT)
	TIME("syscall_ns", TM_TIME_SYSCALL)
	TIME("block_ns", TM_TIME_BLOCK)
	TIME("iowait_ns", TM_TIME_IOWAIT)
	LATER("blocked", outer_ns[TM_VFS_BLOCKED], TM_KNOWN_BLOCKED, SERIES_VFS)
	FIELD("submit_ns", outer_ns[TM_OPERATION_SUBMIT], TIMED, SERIES_OP)
	FIELD("wait_ns", outer_ns[TM_OPERATION_WAIT], TIMED, SERIES_OP)
	FIELD("late_poll_ns", outer_ns[TM_OPERATION_LATE], TIMED, SERIES_OP)
	FIELD("oldest_ns", queue_ns, OLDEST, SERIES_OP)
	FIELD("abandoned", times_ns[TM_OPERATION_ABANDONED], ALWAYS, SERIES_OP)
	FIELD("forgotten", times_ns[TM_OPERATION_FORGOTTEN], ALWAYS, SERIES_OP)
	FIELD("killed", times_ns[TM_OPERATION_KILLED], ALWAYS, SERIES_OP)
	FIELD("no_entry", times_ns[TM_OPERATION_NO_ENTRY], ALWAYS, SERIES_OP)
	TM_SERIES_ENDS(COUNTER)
	FIELD("p50_ns", p50_ns, BUCKETED, SERIES_ALL)
	FIELD("p90_ns", p90_ns, BUCKETED, SERIES_ALL)
	FIELD("p99_ns", p99_ns, BUCKETED, SERIES_ALL)
	FIELD("p999_ns", p999_ns, BUCKETED, SERIES_ALL)
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

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording has in its ring file (user/ring): entries of these types, whose payloads are
 * numbers and strings as of base/pack.h. docs/recording.md lists them.
 *
 * All but calls, ADDB2 records and accounts of processes are states, of which the last one with a
 * key counts; counters in them are cumulative. A reader skips types that it does not know, and what
 * follows the fields that it knows in a payload: so fields and types are added without a new
 * version.
 */
#ifndef USER_RECORDING_RECORDING_FORMAT_H
#define USER_RECORDING_RECORDING_FORMAT_H

/*
 * Of what is in the entries, single calls included; raised when a reader of before would read it
 * wrongly. Readers refuse all but their own. A run begins in every version with this number and the
 * version of tmtrace, so that it can be told which one reads it.
 */
#define RECORDING_VERSION 1

enum recording_entry {
	RECORDING_RUN = 1,  /* key 1; comes first */
	RECORDING_LAYER,    /* key: its number + 1 */
	RECORDING_FUNCTION, /* key: layer << 32 | number, + 1 */
	RECORDING_CGROUP,   /* key: the job */
	RECORDING_MOUNT,    /* key: `where` of the series; comes before the first one with it */
	RECORDING_DEVICE,   /* key: the same */
	RECORDING_PROBE,    /* key: its number + 1 */
	RECORDING_LEDGER,   /* key: the probe's */
	RECORDING_SERIES,   /* key: 1 and on, as they were seen first */
	RECORDING_NOTE,	    /* key: 1 and on */
	RECORDING_MARK,	  /* key 1; ends a snapshot: what came since the last one is one reading */
	RECORDING_CALLS,  /* events */
	RECORDING_OBJECT, /* key: its place */
	RECORDING_OBJECT_NAME, /* key: the same; comes before the first state */
	RECORDING_PROCESS,     /* key: its number */
	RECORDING_ADDB,	       /* events */
	RECORDING_ADDB_COUNTS, /* key 1 */
	RECORDING_POOL,	       /* key: 1 and on, as they were told first */
	RECORDING_ACCOUNT,     /* events: what processes did, one each */
	RECORDING_TIMELINE,    /* key: its number */
};

enum recording_series_flag {
	RECORDING_SERIES_NEW = 1, /* the first state: the series was not there before */
};

enum recording_mark_flag {
	RECORDING_MARK_FINAL = 1, /* tracing had ended: nothing comes after it */
};

/*
 * Limits of a well-formed recording, so that a hostile one does not take the memory.
 * RECORDING_SERIES_MAX is the most that --max-series allows, the functions' number in a catalogue.
 */
#define RECORDING_SERIES_MAX	(1U << 20)
#define RECORDING_FUNCTIONS_MAX (1U << 16)
#define RECORDING_NOTES_MAX	(1U << 16)
#define RECORDING_ARGUMENTS_MAX (1U << 12)
#define RECORDING_TIMELINES_MAX (1U << 12)
#define RECORDING_OBJECTS_MAX	(1U << 18) /* twice --objects, and those that are folded */

/* Longer command lines are cut, so that a run fits into a block. */
#define RECORDING_ARGV_BYTES (32U << 10)

#endif

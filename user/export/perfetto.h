/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace in Perfetto's format (https://perfetto.dev: trace.proto, a sequence of TracePacket), with
 * the few kinds of packets that are needed here. Packets are in no order of time; those of one time
 * and track are taken in the order of the file. Times are ns since 1970.
 */
#ifndef USER_EXPORT_PERFETTO_H
#define USER_EXPORT_PERFETTO_H

#include <stdio.h>

#include "base/error.h"
#include "export/wire.h"

struct perfetto {
	FILE *out;
	struct wire wire; /* packets that are not yet written */
	size_t packet, event;
};

/* What can be known of a slice. */
enum perfetto_argument {
	PERFETTO_ID = 1,
	PERFETTO_PARENT_ID,
	PERFETTO_BYTES,
	PERFETTO_RC,
	PERFETTO_OBJECT,
	PERFETTO_MOUNT,
	PERFETTO_FATE,
	PERFETTO_SEQNO,
	PERFETTO_SM_ID,
	PERFETTO_WAIT_NS,
	PERFETTO_LATE_POLL_NS,
	PERFETTO_SECTOR,
	PERFETTO_QUEUE_NS,
	PERFETTO_SERVICE_NS,
	PERFETTO_COMM,
	PERFETTO_ARGUMENTS,
};

/* A trace whose first packets are there. out stays the caller's. */
void perfetto__start(struct perfetto *trace, FILE *out, __u64 start_ns);
void perfetto__stop(struct perfetto *trace); /* all 0 is fine */

/* Tracks, by numbers that differ; parent 0: none. */
void perfetto__process(struct perfetto *trace, __u64 track, __s32 pid, const char *name);
void perfetto__thread(struct perfetto *trace, __u64 track, __u64 parent, __s32 pid, __s32 tid,
		      const char *name);
void perfetto__track(struct perfetto *trace, __u64 track, __u64 parent, const char *name);

/* A slice begins; what it is about, until perfetto__begun(). kind: a second category. */
void perfetto__begin(struct perfetto *trace, __u64 track, __u64 ns, const char *name,
		     const char *category, const char *kind);
void perfetto__number(struct perfetto *trace, enum perfetto_argument name, __u64 value);
void perfetto__signed(struct perfetto *trace, enum perfetto_argument name, __s64 value);
void perfetto__text(struct perfetto *trace, enum perfetto_argument name, const char *value);
/* An arrow begins, or ends, here. Each number once. */
void perfetto__flow(struct perfetto *trace, __u64 id);
void perfetto__flow_end(struct perfetto *trace, __u64 id);
void perfetto__begun(struct perfetto *trace);
/* The innermost slice that is open on the track ends; with perfetto__begun(), arrows may end here.
 */
void perfetto__ending(struct perfetto *trace, __u64 track, __u64 ns);
/* Both at once. */
void perfetto__end(struct perfetto *trace, __u64 track, __u64 ns);

/* Writes what is there. 0, -ENOMEM, or why it cannot be written. */
int perfetto__flush(struct perfetto *trace);
#endif

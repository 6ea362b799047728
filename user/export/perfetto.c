// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "export/perfetto.h"

/* Fields, by the names of the public .proto files. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,

	SNAPSHOT_CLOCKS = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,

	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT_UUID = 5,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK_UUID = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_FLOW_IDS = 47,
	EVENT_TERMINATING_FLOW_IDS = 48,

	ANNOTATION_NAME_IID = 1,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_STRING = 6,
	INTERNED_ANNOTATION_NAMES = 3,
	INTERNED_IID = 1,
	INTERNED_NAME = 2,
};

enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2 };
enum { REALTIME = 1, BOOTTIME = 6 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

/* All packets are of one sequence, so that names that are told once are known to all. */
#define SEQUENCE 1

static const char *const argument_names[PERFETTO_ARGUMENTS] = {
	[PERFETTO_ID] = "id",
	[PERFETTO_PARENT_ID] = "parent_id",
	[PERFETTO_BYTES] = "bytes",
	[PERFETTO_RC] = "rc",
	[PERFETTO_OBJECT] = "object",
	[PERFETTO_MOUNT] = "mount",
	[PERFETTO_FATE] = "fate",
	[PERFETTO_SEQNO] = "seqno",
	[PERFETTO_SM_ID] = "sm_id",
	[PERFETTO_WAIT_NS] = "wait_ns",
	[PERFETTO_LATE_POLL_NS] = "late_poll_ns",
	[PERFETTO_SECTOR] = "sector",
	[PERFETTO_QUEUE_NS] = "queue_ns",
	[PERFETTO_SERVICE_NS] = "service_ns",
	[PERFETTO_COMM] = "comm",
};

static void begin_packet(struct perfetto *trace)
{
	trace->packet = wire__begin(&trace->wire, TRACE_PACKET);
	wire__uint(&trace->wire, PACKET_SEQUENCE_ID, SEQUENCE);
}

static void end_packet(struct perfetto *trace)
{
	wire__end(&trace->wire, trace->packet);
}

/* The trace's own clock is BOOTTIME; what is written are times of day, so that it is both. */
static void put_clock(struct perfetto *trace, unsigned int clock, __u64 ns)
{
	size_t begin = wire__begin(&trace->wire, SNAPSHOT_CLOCKS);

	wire__uint(&trace->wire, CLOCK_ID, clock);
	wire__uint(&trace->wire, CLOCK_TIMESTAMP, ns);
	wire__end(&trace->wire, begin);
}

static void put_names(struct perfetto *trace)
{
	size_t data = wire__begin(&trace->wire, PACKET_INTERNED_DATA), name;

	for (unsigned int i = 1; i < PERFETTO_ARGUMENTS; i++) {
		name = wire__begin(&trace->wire, INTERNED_ANNOTATION_NAMES);
		wire__uint(&trace->wire, INTERNED_IID, i);
		wire__text(&trace->wire, INTERNED_NAME, argument_names[i]);
		wire__end(&trace->wire, name);
	}
	wire__end(&trace->wire, data);
}

void perfetto__start(struct perfetto *trace, FILE *out, __u64 start_ns)
{
	size_t snapshot;

	*trace = (struct perfetto){ .out = out };
	begin_packet(trace);
	wire__uint(&trace->wire, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
	snapshot = wire__begin(&trace->wire, PACKET_CLOCK_SNAPSHOT);
	put_clock(trace, BOOTTIME, start_ns);
	put_clock(trace, REALTIME, start_ns);
	wire__end(&trace->wire, snapshot);
	put_names(trace);
	end_packet(trace);
}

void perfetto__stop(struct perfetto *trace)
{
	free(trace->wire.bytes);
	*trace = (struct perfetto){ 0 };
}

static size_t begin_descriptor(struct perfetto *trace, __u64 track, __u64 parent)
{
	size_t descriptor;

	begin_packet(trace);
	descriptor = wire__begin(&trace->wire, PACKET_TRACK_DESCRIPTOR);
	wire__uint(&trace->wire, DESCRIPTOR_UUID, track);
	if (parent)
		wire__uint(&trace->wire, DESCRIPTOR_PARENT_UUID, parent);
	return descriptor;
}

static void end_descriptor(struct perfetto *trace, size_t descriptor)
{
	wire__end(&trace->wire, descriptor);
	end_packet(trace);
}

void perfetto__process(struct perfetto *trace, __u64 track, __s32 pid, const char *name)
{
	size_t descriptor = begin_descriptor(trace, track, 0);
	size_t process = wire__begin(&trace->wire, DESCRIPTOR_PROCESS);

	wire__int(&trace->wire, PROCESS_PID, pid);
	wire__text(&trace->wire, PROCESS_NAME, name);
	wire__end(&trace->wire, process);
	end_descriptor(trace, descriptor);
}

void perfetto__thread(struct perfetto *trace, __u64 track, __u64 parent, __s32 pid, __s32 tid,
		      const char *name)
{
	size_t descriptor = begin_descriptor(trace, track, parent);
	size_t thread = wire__begin(&trace->wire, DESCRIPTOR_THREAD);

	wire__int(&trace->wire, THREAD_PID, pid);
	wire__int(&trace->wire, THREAD_TID, tid);
	wire__text(&trace->wire, THREAD_NAME, name);
	wire__end(&trace->wire, thread);
	end_descriptor(trace, descriptor);
}

void perfetto__track(struct perfetto *trace, __u64 track, __u64 parent, const char *name)
{
	size_t descriptor = begin_descriptor(trace, track, parent);

	wire__text(&trace->wire, DESCRIPTOR_NAME, name);
	end_descriptor(trace, descriptor);
}

static void begin_event(struct perfetto *trace, __u64 track, __u64 ns, unsigned int type)
{
	begin_packet(trace);
	wire__uint(&trace->wire, PACKET_TIMESTAMP, ns);
	wire__uint(&trace->wire, PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
	trace->event = wire__begin(&trace->wire, PACKET_TRACK_EVENT);
	wire__uint(&trace->wire, EVENT_TYPE, type);
	wire__uint(&trace->wire, EVENT_TRACK_UUID, track);
}

void perfetto__begin(struct perfetto *trace, __u64 track, __u64 ns, const char *name,
		     const char *category, const char *kind)
{
	begin_event(trace, track, ns, TYPE_SLICE_BEGIN);
	wire__text(&trace->wire, EVENT_CATEGORIES, category);
	wire__text(&trace->wire, EVENT_CATEGORIES, kind);
	wire__text(&trace->wire, EVENT_NAME, name);
}

static size_t begin_annotation(struct perfetto *trace, enum perfetto_argument name)
{
	size_t begin = wire__begin(&trace->wire, EVENT_ANNOTATIONS);

	wire__uint(&trace->wire, ANNOTATION_NAME_IID, name);
	return begin;
}

void perfetto__number(struct perfetto *trace, enum perfetto_argument name, __u64 value)
{
	size_t begin = begin_annotation(trace, name);

	wire__uint(&trace->wire, ANNOTATION_UINT, value);
	wire__end(&trace->wire, begin);
}

void perfetto__signed(struct perfetto *trace, enum perfetto_argument name, __s64 value)
{
	size_t begin = begin_annotation(trace, name);

	wire__int(&trace->wire, ANNOTATION_INT, value);
	wire__end(&trace->wire, begin);
}

void perfetto__text(struct perfetto *trace, enum perfetto_argument name, const char *value)
{
	size_t begin;

	if (!value)
		return;
	begin = begin_annotation(trace, name);
	wire__text(&trace->wire, ANNOTATION_STRING, value);
	wire__end(&trace->wire, begin);
}

void perfetto__flow(struct perfetto *trace, __u64 id)
{
	wire__fixed64(&trace->wire, EVENT_FLOW_IDS, id);
}

void perfetto__flow_end(struct perfetto *trace, __u64 id)
{
	wire__fixed64(&trace->wire, EVENT_TERMINATING_FLOW_IDS, id);
}

void perfetto__begun(struct perfetto *trace)
{
	wire__end(&trace->wire, trace->event);
	end_packet(trace);
}

void perfetto__ending(struct perfetto *trace, __u64 track, __u64 ns)
{
	begin_event(trace, track, ns, TYPE_SLICE_END);
}

void perfetto__end(struct perfetto *trace, __u64 track, __u64 ns)
{
	perfetto__ending(trace, track, ns);
	perfetto__begun(trace);
}

int perfetto__flush(struct perfetto *trace)
{
	size_t n = trace->wire.n;

	if (trace->wire.failed)
		return -ENOMEM;
	trace->wire.n = 0;
	errno = 0;
	if (!n || fwrite(trace->wire.bytes, 1, n, trace->out) == n)
		return 0;
	return errno ? -errno : -EIO;
}

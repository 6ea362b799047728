// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block I/O by the tracepoints that perf uses: only the fields of the event, no address. A request
 * is counted from its issue, when it has its final place; who started it, and when, is remembered
 * by its place until then. Two of one operation at one place at a time have the times of the first.
 */
#include "block_record.bpf.h"

#define SECTOR 512

struct place {
	u64 sector;
	u32 device;
	u32 function;
	bool marked; /* as metadata */
};

/* linux/blktrace: the operation's letter, after an F for "flush before", before those of flags. */
TM_INLINE void place__operation(struct place *place, const char *rwbs, u32 sectors)
{
	char op = rwbs[0], next = rwbs[1];

	if (op == 'F' && (next == 'W' || next == 'R' || next == 'D' || next == 'N'))
		op = next;
	place->function = BLOCK_NO_FUNCTION;
	if (op == 'R')
		place->function = TM_BLOCK_READ;
	else if (op == 'W' || (op == 'N' && sectors) || (op == 'Z' && next == 'A'))
		/* N is writing zeroes, too; other commands have no sectors. ZA is zone append. */
		place->function = TM_BLOCK_WRITE;
	else if (op == 'D')
		place->function = TM_BLOCK_DISCARD;
	else if (op == 'F')
		place->function = TM_BLOCK_FLUSH;
	if (place->function == TM_BLOCK_FLUSH)
		place->sector = 0; /* it has none, which events tell in different ways */
}

TM_INLINE struct tm_block_key place__key(const struct place *place)
{
	return (struct tm_block_key){
		.what = place->sector,
		.place = 1ULL << 63 | (u64)place->device << 8 | place->function,
	};
}

/* As metadata: by an M among the letters of its flags. */
TM_INLINE bool place__is_marked(struct trace_event_raw_block_rq *event)
{
	char rwbs[sizeof(event->rwbs)] = {};

	bpf_probe_read_kernel_str(rwbs, sizeof(rwbs), event->rwbs);
	for (u32 i = 1; i < sizeof(rwbs) && rwbs[i]; i++)
		if (rwbs[i] == 'M')
			return true;
	return false;
}

TM_INLINE bool place__read(struct place *place, struct trace_event_raw_block_rq *event)
{
	char rwbs[2] = { event->rwbs[0], event->rwbs[1] };

	place->sector = event->sector;
	place->device = event->dev;
	place__operation(place, rwbs, event->nr_sector);
	place->marked = place__is_marked(event);
	return place->function != BLOCK_NO_FUNCTION && !scope__is_over();
}

/* As the kernel has them in events: 12 bits for the major number, 20 for the minor. */
TM_INLINE struct block_io place__io(const struct place *place)
{
	return (struct block_io){
		.key = place__key(place),
		.device = place->device,
		.sector = place->sector,
		.function = place->function,
		.marked = place->marked,
	};
}

TM_INLINE void place__remember(struct place *place)
{
	struct block_io io = place__io(place);
	struct tm_block_start start = {};

	block__own(&io);
	start.ns = bpf_ktime_get_ns();
	start.job = io.job;
	start.process = io.process;
	start.tgid = io.tgid;
	start.flags = io.flags;
	start.owned = io.owned;
	if (recorder__is_on() && io.by_task)
		block_record__ask(&start.issuer);
	bpf_map_update_elem(&tm_starts, &io.key, &start, BPF_ANY);
}

/* It is with the device from now on. */
TM_INLINE void place__start(struct place *place, u32 bytes)
{
	struct block_io io = place__io(place);
	struct tm_block_start *start = bpf_map_lookup_elem(&tm_starts, &io.key);
	struct tm_block_key key;

	io.bytes = bytes;
	if (start) {
		io.start_ns = start->ns;
		io.job = start->job;
		io.process = start->process;
		io.tgid = start->tgid;
		io.flags = start->flags;
		io.owned = start->owned;
	}
	key = io.key;
	block__start(&io);
	if (start) {
		if (recorder__is_on())
			block_record__issued_by(&io.key, &start->issuer);
		bpf_map_delete_elem(&tm_starts, &key);
	}
	block__issue(&io.key, bytes, place->sector);
}

SEC("tp/block/block_io_start")
int block_tp_start(struct trace_event_raw_block_rq *event)
{
	struct place place;

	if (place__read(&place, event))
		place__remember(&place);
	return 0;
}

SEC("tp/block/block_rq_insert")
int block_tp_insert(struct trace_event_raw_block_rq *event)
{
	struct place place;

	if (place__read(&place, event))
		place__remember(&place);
	return 0;
}

SEC("tp/block/block_rq_issue")
int block_tp_issue(struct trace_event_raw_block_rq *event)
{
	struct tm_block_request *request;
	struct tm_block_key key;
	struct place place;

	if (!place__read(&place, event))
		return 0;
	key = place__key(&place);
	for (int i = 0; i < BLOCK_TWINS; i++, key.place += BLOCK_TWIN) {
		request = bpf_map_lookup_elem(&tm_requests, &key);
		if (request && request->given_back) {
			request->given_back = 0;
			return 0;
		}
	}
	place__start(&place, event->nr_sector * SECTOR);
	return 0;
}

/* The device gave it back: it will be issued again. */
SEC("tp/block/block_rq_requeue")
int block_tp_requeue(struct trace_event_raw_block_rq_requeue *event)
{
	char rwbs[2] = { event->rwbs[0], event->rwbs[1] };
	struct place place = { .sector = event->sector, .device = event->dev };
	struct tm_block_request *request;
	struct tm_block_key key;

	place__operation(&place, rwbs, event->nr_sector);
	key = place__key(&place);
	for (int i = 0; i < BLOCK_TWINS; i++, key.place += BLOCK_TWIN) {
		request = bpf_map_lookup_elem(&tm_requests, &key);
		if (request && !request->given_back) {
			request->given_back = 1;
			return 0;
		}
	}
	return 0;
}

SEC("tp/block/block_rq_merge")
int block_tp_merge(struct trace_event_raw_block_rq *event)
{
	struct tm_block_key key;
	struct place place;

	if (place__read(&place, event)) {
		key = place__key(&place);
		bpf_map_delete_elem(&tm_starts, &key);
	}
	return 0;
}

/* The first of its sectors completed: the rest has a place of its own. */
TM_INLINE int place__advance(struct place *place, struct tm_block_key *key, u32 bytes, u32 error)
{
	struct tm_block_request *request;
	struct tm_block_key rest;

	block__complete(key, bytes, error, false);
	place->sector += bytes / SECTOR;
	rest = place__key(place);
	if (!block__rename(key, &rest))
		return 0;
	request = bpf_map_lookup_elem(&tm_requests, &rest);
	if (request)
		request->left -= bytes;
	return 0;
}

SEC("tp/block/block_rq_complete")
int block_tp_complete(struct trace_event_raw_block_rq_completion *event)
{
	char rwbs[2] = { event->rwbs[0], event->rwbs[1] };
	struct place place = { .sector = event->sector, .device = event->dev };
	u32 bytes = event->nr_sector * SECTOR, error = -event->error;
	struct tm_block_request *request;
	struct tm_block_key key;

	place__operation(&place, rwbs, event->nr_sector);
	if (place.function == BLOCK_NO_FUNCTION || scope__is_over())
		return 0;
	/* A flush without data is never issued. At the end of one with data, the place has moved.
	 */
	if (!bytes && !place.sector && place.function == TM_BLOCK_WRITE)
		place__start(&place, 0);
	key = place__key(&place);
	for (int i = 0; i < BLOCK_TWINS; i++, key.place += BLOCK_TWIN) {
		request = bpf_map_lookup_elem(&tm_requests, &key);
		if (request && request->left == bytes && block__complete(&key, bytes, error, true))
			return 0;
	}
	key = place__key(&place);
	for (int i = 0; i < BLOCK_TWINS; i++, key.place += BLOCK_TWIN) {
		request = bpf_map_lookup_elem(&tm_requests, &key);
		if (request && request->left > bytes)
			return place__advance(&place, &key, bytes, error);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "story/story_clock.h"

/* What is known of two hosts: the second one's clock is ahead by this. */
struct link {
	__s64 least, most; /* that all requests allow */
	__s64 middle;	   /* of the fastest request */
	__u64 under_way;   /* of that, there and back */
	size_t n;
};

struct story_clock {
	const struct story_input *input;
	struct link *links; /* [n_hosts][n_hosts] */
	size_t n_hosts;
};

/* Words of an item: id, opcode, transfer, session. */
#define OPCODE	1
#define XID	2
#define SESSION 3

static bool same_process(const struct story_record *a, const struct story_record *b)
{
	return a->host == b->host && a->pid == b->pid;
}

/* The first of a transfer's records that is a fetch of what was sent. */
static const struct story_record *find_received(struct story_records records,
						const struct story_record *sent)
{
	for (size_t i = 0; i < records.n; i++) {
		const struct story_record *record = records.first[i];

		if (record->id == STORY_ID_FETCH && !same_process(record, sent) &&
		    record->words[OPCODE] == sent->words[OPCODE])
			return record;
	}
	return NULL;
}

/* The first that goes out where the request came in, after it. */
static const struct story_record *find_answered(struct story_records records,
						const struct story_record *received)
{
	for (size_t i = 0; i < records.n; i++) {
		const struct story_record *record = records.first[i];

		if (record->id == STORY_ID_ASSIGN && same_process(record, received) &&
		    record->words[OPCODE] != received->words[OPCODE] &&
		    record->time_ns >= received->time_ns)
			return record;
	}
	return NULL;
}

/* The first that comes back where it was sent; opcode: the reply's, 0: any but the request's. */
static const struct story_record *find_returned(struct story_records records,
						const struct story_record *sent, __u64 opcode)
{
	for (size_t i = 0; i < records.n; i++) {
		const struct story_record *record = records.first[i];

		if (record->id == STORY_ID_FETCH && same_process(record, sent) &&
		    (opcode ? record->words[OPCODE] == opcode
			    : record->words[OPCODE] != sent->words[OPCODE]) &&
		    record->time_ns >= sent->time_ns)
			return record;
	}
	return NULL;
}

struct story_rpc story_rpc__find(const struct story_input *input, const struct story_record *sent)
{
	struct story_records records =
		story_input__transfer(input, sent->words[XID], sent->words[SESSION]);
	struct story_rpc rpc = { .sent = sent };

	rpc.received = find_received(records, sent);
	if (rpc.received)
		rpc.answered = find_answered(records, rpc.received);
	rpc.returned = find_returned(records, sent, rpc.answered ? rpc.answered->words[OPCODE] : 0);
	return rpc;
}

static __s64 difference(__u64 a, __u64 b)
{
	return (__s64)(a - b);
}

/* Takes a request from the first host of the link to the second. */
static void take_rpc(struct link *link, const struct story_rpc *rpc)
{
	__s64 there = difference(rpc->received->time_ns, rpc->sent->time_ns);
	__s64 back = difference(rpc->answered->time_ns, rpc->returned->time_ns);
	__u64 under_way = there > back ? (__u64)(there - back) : 0;

	if (!link->n || there < link->most)
		link->most = there;
	if (!link->n || back > link->least)
		link->least = back;
	if (!link->n || under_way < link->under_way) {
		link->under_way = under_way;
		link->middle = back + (there - back) / 2;
	}
	link->n++;
}

static struct link *link_of(const struct story_clock *clock, __u32 from, __u32 to)
{
	return &clock->links[(size_t)from * clock->n_hosts + to];
}

static void take_all(struct story_clock *clock)
{
	struct story_records all = story_input__transfers(clock->input);

	for (size_t i = 0; i < all.n; i++) {
		struct story_rpc rpc;

		if (all.first[i]->id != STORY_ID_ASSIGN)
			continue;
		rpc = story_rpc__find(clock->input, all.first[i]);
		if (rpc.answered && rpc.returned && rpc.received->host != rpc.sent->host)
			take_rpc(link_of(clock, rpc.sent->host, rpc.received->host), &rpc);
	}
}

struct story_clock *story_clock__new(const struct story_input *input)
{
	struct story_clock *clock = calloc(1, sizeof(*clock));
	size_t n = story_input__n_hosts(input);

	if (clock)
		clock->links = calloc(n * n + 1, sizeof(*clock->links));
	if (!clock || !clock->links) {
		free(clock);
		return NULL;
	}
	clock->input = input;
	clock->n_hosts = n;
	take_all(clock);
	return clock;
}

void story_clock__free(struct story_clock *clock)
{
	if (!clock)
		return;
	free(clock->links);
	free(clock);
}

static struct story_offset offset_of(const struct link *link)
{
	struct story_offset offset = { .n = link->n, .known = link->n > 0 };

	if (!link->n)
		return offset;
	offset.drifts = link->least > link->most;
	if (offset.drifts) {
		offset.ahead_ns = link->middle;
		offset.error_ns = (link->under_way + 1) / 2;
	} else {
		offset.ahead_ns = link->least + (link->most - link->least) / 2;
		offset.error_ns = (__u64)(link->most - link->least + 1) / 2;
	}
	return offset;
}

/* Requests of either host to the other; of both directions the better one. */
static struct story_offset direct(const struct story_clock *clock, __u32 host, __u32 reference)
{
	struct story_offset there = offset_of(link_of(clock, reference, host));
	struct story_offset back = offset_of(link_of(clock, host, reference));

	back.ahead_ns = -back.ahead_ns;
	if (!there.known || (back.known && back.error_ns < there.error_ns))
		return back;
	return there;
}

struct story_offset story_clock__offset(const struct story_clock *clock, __u32 host,
					__u32 reference)
{
	struct story_offset best = { .known = true };

	if (host == reference)
		return best;
	best = direct(clock, host, reference);
	/* Where they do not talk to each other, by one that both talk to. */
	for (__u32 by = 0; !best.known && by < clock->n_hosts; by++) {
		struct story_offset first, second;

		if (by == host || by == reference)
			continue;
		first = direct(clock, by, reference);
		second = direct(clock, host, by);
		if (!first.known || !second.known)
			continue;
		best = (struct story_offset){
			.ahead_ns = first.ahead_ns + second.ahead_ns,
			.error_ns = first.error_ns + second.error_ns,
			.n = first.n < second.n ? first.n : second.n,
			.known = true,
			.drifts = first.drifts || second.drifts,
		};
	}
	return best;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "story/story_input.h"

struct run {
	__u32 host;
	bool requests; /* block requests were recorded */
};

/* Pointers to elements, in an order. */
struct order {
	const void **at;
	size_t n;
};

struct story_input {
	void *names; /* tree of them */
	const char **hosts;
	size_t n_hosts, room_hosts;
	struct run *runs;
	size_t n_runs, room_runs;
	struct story_call *calls;
	size_t n_calls, room_calls;
	struct story_operation *operations;
	size_t n_operations, room_operations;
	struct story_record *records;
	size_t n_records, room_records;
	struct order calls_by_id, calls_by_thread, steps, about, transfers;
};

struct story_input *story_input__new(void)
{
	return calloc(1, sizeof(struct story_input));
}

static void free_orders(struct story_input *input)
{
	free(input->calls_by_id.at);
	free(input->calls_by_thread.at);
	free(input->steps.at);
	free(input->about.at);
	free(input->transfers.at);
}

void story_input__free(struct story_input *input)
{
	if (!input)
		return;
	tdestroy(input->names, free);
	free_orders(input);
	free((void *)input->hosts);
	free(input->runs);
	free(input->calls);
	free(input->operations);
	free(input->records);
	free(input);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *story_input__name(struct story_input *input, const char *name)
{
	void *const *found = tfind(name, &input->names, by_text);
	char *copy;

	if (found)
		return *found;
	copy = strdup(name);
	if (!copy || !tsearch(copy, &input->names, by_text)) {
		free(copy);
		return NULL;
	}
	return copy;
}

/* The number of a host; -ENOMEM. */
static int host_of(struct story_input *input, const char *hostname)
{
	const char *name = story_input__name(input, hostname);

	if (!name)
		return -ENOMEM;
	for (size_t i = 0; i < input->n_hosts; i++)
		if (input->hosts[i] == name)
			return (int)i;
	if (array__grow((void **)&input->hosts, &input->room_hosts, input->n_hosts, sizeof(name)))
		return -ENOMEM;
	input->hosts[input->n_hosts] = name;
	return (int)input->n_hosts++;
}

int story_input__run(struct story_input *input, const char *hostname, bool requests)
{
	int host = host_of(input, hostname);

	if (host < 0)
		return host;
	if (array__grow((void **)&input->runs, &input->room_runs, input->n_runs,
			sizeof(*input->runs)))
		return -ENOMEM;
	input->runs[input->n_runs] = (struct run){ (__u32)host, requests };
	return (int)input->n_runs++;
}

int story_input__add_call(struct story_input *input, const struct story_call *call)
{
	if (array__grow((void **)&input->calls, &input->room_calls, input->n_calls, sizeof(*call)))
		return -ENOMEM;
	input->calls[input->n_calls] = *call;
	input->calls[input->n_calls++].host = story_input__host(input, call->run);
	return 0;
}

int story_input__add_operation(struct story_input *input, const struct story_operation *operation)
{
	if (array__grow((void **)&input->operations, &input->room_operations, input->n_operations,
			sizeof(*operation)))
		return -ENOMEM;
	input->operations[input->n_operations++] = *operation;
	return 0;
}

static bool is_wanted(__u32 id)
{
	switch ((enum story_id)id) {
	case STORY_ID_FOM_DESCR:
	case STORY_ID_FOM_TO_BULK:
	case STORY_ID_FOM_TO_TX:
	case STORY_ID_FOM_TO_STIO:
	case STORY_ID_STIO_STATE:
	case STORY_ID_ASSIGN:
	case STORY_ID_FETCH:
	case STORY_ID_BULK_STATE:
	case STORY_ID_TX_STATE:
	case STORY_ID_CAS_STATE:
	case STORY_ID_CAS_TO_RPC:
	case STORY_ID_CLIENT_TO_DIX:
	case STORY_ID_COB_STATE:
	case STORY_ID_CLIENT_TO_COB:
	case STORY_ID_COB_TO_RPC:
	case STORY_ID_CLIENT_TO_IOO:
	case STORY_ID_IOO_TO_RPC:
	case STORY_ID_BULK_TO_RPC:
	case STORY_ID_IOO_STATE:
	case STORY_ID_DIX_STATE:
	case STORY_ID_DIX_TO_MDIX:
	case STORY_ID_DIX_TO_CAS:
		return true;
	}
	return false;
}

/* Words of a fom's description: service (2), sender, opcode, reply's, local, then the ids. */
#define DESCR_OPCODE 3
#define DESCR_RPC    6
#define DESCR_FOM    7
#define DESCR_STATE  8
#define DESCR_WORDS  9

int story_input__add_record(struct story_input *input, struct story_record record,
			    const __u64 *words, unsigned int n)
{
	if (!is_wanted(record.id) || (record.id == STORY_ID_FOM_DESCR && n < DESCR_WORDS))
		return 0;
	for (unsigned int i = 0; i < STORY_WORDS; i++)
		record.words[i] = i < n ? words[i] : 0;
	if (record.id == STORY_ID_FOM_DESCR) {
		record.words[0] = words[DESCR_RPC];
		record.words[1] = words[DESCR_FOM];
		record.words[2] = words[DESCR_STATE];
		record.words[3] = words[DESCR_OPCODE];
	}
	if (record.id == STORY_ID_BULK_TO_RPC) {
		record.words[0] = n > 1 ? words[1] : 0;
		record.words[1] = words[0];
	}
	/* Foms and items without a session have no ids. */
	if (!record.words[0])
		return 0;
	if (array__grow((void **)&input->records, &input->room_records, input->n_records,
			sizeof(record)))
		return -ENOMEM;
	input->records[input->n_records++] = record;
	return 0;
}

#define ORDER(a_, b_)              \
	do {                       \
		if ((a_) < (b_))   \
			return -1; \
		if ((a_) > (b_))   \
			return 1;  \
	} while (0)

static int by_id(const void *a, const void *b)
{
	const struct story_call *x = *(const struct story_call *const *)a;
	const struct story_call *y = *(const struct story_call *const *)b;

	ORDER(x->run, y->run);
	ORDER(x->id, y->id);
	return 0;
}

static int by_thread(const void *a, const void *b)
{
	const struct story_call *x = *(const struct story_call *const *)a;
	const struct story_call *y = *(const struct story_call *const *)b;

	ORDER(x->host, y->host);
	ORDER(x->pid, y->pid);
	ORDER(x->tid, y->tid);
	ORDER(x->start_ns, y->start_ns);
	return 0;
}

static int by_parent(const void *a, const void *b)
{
	const struct story_operation *x = *(const struct story_operation *const *)a;
	const struct story_operation *y = *(const struct story_operation *const *)b;

	ORDER(x->run, y->run);
	ORDER(x->parent, y->parent);
	ORDER(x->launch_ns, y->launch_ns);
	return 0;
}

static int by_first_word(const void *a, const void *b)
{
	const struct story_record *x = *(const struct story_record *const *)a;
	const struct story_record *y = *(const struct story_record *const *)b;

	ORDER(x->host, y->host);
	ORDER(x->pid, y->pid);
	ORDER(x->words[0], y->words[0]);
	ORDER(x->time_ns, y->time_ns);
	return 0;
}

static int by_transfer(const void *a, const void *b)
{
	const struct story_record *x = *(const struct story_record *const *)a;
	const struct story_record *y = *(const struct story_record *const *)b;

	ORDER(x->words[3], y->words[3]);
	ORDER(x->words[2], y->words[2]);
	ORDER(x->time_ns, y->time_ns);
	return 0;
}

/* All n elements of size bytes, or those that wanted() says. */
static int sort(struct order *order, const void *elements, size_t n, size_t size,
		bool (*wanted)(const void *element), int (*compare)(const void *, const void *))
{
	free(order->at);
	order->n = 0;
	order->at = calloc(n + 1, sizeof(*order->at));
	if (!order->at)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const void *element = (const char *)elements + i * size;

		if (!wanted || wanted(element))
			order->at[order->n++] = element;
	}
	qsort(order->at, order->n, sizeof(*order->at), compare);
	return 0;
}

static bool is_step(const void *element)
{
	return ((const struct story_operation *)element)->parent != 0;
}

/* Before a connection has a session, transfers have no number. */
static bool is_transfer(const void *element)
{
	const struct story_record *record = element;

	return (record->id == STORY_ID_ASSIGN || record->id == STORY_ID_FETCH) &&
	       (__s64)record->words[2] > 0 && record->words[3];
}

/*
 * late_ns is from each step's completion to the next one's launch, and from the last one's to when
 * it was noticed.
 */
static void find_noticed(const struct story_input *input, struct story_operation *operation)
{
	struct story_operations steps = story_input__steps(input, operation);
	__u64 between = 0;

	for (size_t i = 0; i + 1 < steps.n; i++)
		if (steps.first[i + 1]->launch_ns > steps.first[i]->complete_ns)
			between += steps.first[i + 1]->launch_ns - steps.first[i]->complete_ns;
	operation->noticed_ns = operation->complete_ns;
	if (operation->late_ns > between)
		operation->noticed_ns += operation->late_ns - between;
}

int story_input__finish(struct story_input *input)
{
	if (sort(&input->calls_by_id, input->calls, input->n_calls, sizeof(*input->calls), NULL,
		 by_id) ||
	    sort(&input->calls_by_thread, input->calls, input->n_calls, sizeof(*input->calls), NULL,
		 by_thread) ||
	    sort(&input->steps, input->operations, input->n_operations, sizeof(*input->operations),
		 is_step, by_parent) ||
	    sort(&input->about, input->records, input->n_records, sizeof(*input->records), NULL,
		 by_first_word) ||
	    sort(&input->transfers, input->records, input->n_records, sizeof(*input->records),
		 is_transfer, by_transfer))
		return -ENOMEM;
	for (size_t i = 0; i < input->n_operations; i++)
		find_noticed(input, &input->operations[i]);
	return 0;
}

size_t story_input__n_hosts(const struct story_input *input)
{
	return input->n_hosts;
}

const char *story_input__hostname(const struct story_input *input, __u32 host)
{
	return input->hosts[host];
}

__u32 story_input__host(const struct story_input *input, __u32 run)
{
	return input->runs[run].host;
}

bool story_input__has_requests(const struct story_input *input, __u32 run)
{
	return input->runs[run].requests;
}

size_t story_input__n_operations(const struct story_input *input)
{
	return input->n_operations;
}

const struct story_operation *story_input__operation(const struct story_input *input, size_t i)
{
	return &input->operations[i];
}

size_t story_input__n_records(const struct story_input *input)
{
	return input->n_records;
}

/* By compare(), where those begin that are not less than the key, or (after) that are greater. */
static size_t bound(const struct order *order, const void *key, bool after,
		    int (*compare)(const void *, const void *))
{
	return SEARCH_FIRST(order->n, i, compare(&order->at[i], &key) < after);
}

const struct story_call *story_input__call(const struct story_input *input, __u32 run, __u64 id)
{
	const struct story_call key = { .run = run, .id = id };
	size_t i = bound(&input->calls_by_id, &key, false, by_id);
	const struct story_call *call = i < input->calls_by_id.n ? input->calls_by_id.at[i] : NULL;

	return call && call->run == run && call->id == id ? call : NULL;
}

/* Those from first to last, which only differ in their time. */
static size_t range(const struct order *order, const void *first, const void *last, size_t *begin,
		    int (*compare)(const void *, const void *))
{
	*begin = bound(order, first, false, compare);
	return bound(order, last, true, compare) - *begin;
}

struct story_calls story_input__calls_of(const struct story_input *input, __u32 host, __u32 pid,
					 __u32 tid, __u64 from_ns, __u64 to_ns)
{
	const struct story_call first = {
		.host = host, .pid = pid, .tid = tid, .start_ns = from_ns
	};
	struct story_call last = first;
	struct story_calls calls = { 0 };
	size_t begin;

	if (from_ns > to_ns)
		return calls;
	last.start_ns = to_ns;
	calls.n = range(&input->calls_by_thread, &first, &last, &begin, by_thread);
	calls.first = (const struct story_call *const *)input->calls_by_thread.at + begin;
	return calls;
}

struct story_operations story_input__steps(const struct story_input *input,
					   const struct story_operation *operation)
{
	const struct story_operation first = { .run = operation->run, .parent = operation->id };
	struct story_operation last = first;
	struct story_operations steps;
	size_t begin;

	last.launch_ns = ~0ULL;
	steps.n = range(&input->steps, &first, &last, &begin, by_parent);
	steps.first = (const struct story_operation *const *)input->steps.at + begin;
	return steps;
}

static struct story_records records_of(const struct order *order, struct story_record key,
				       int (*compare)(const void *, const void *))
{
	const struct story_record first = key;
	struct story_records records;
	size_t begin;

	key.time_ns = ~0ULL;
	records.n = range(order, &first, &key, &begin, compare);
	records.first = (const struct story_record *const *)order->at + begin;
	return records;
}

struct story_records story_input__about(const struct story_input *input, __u32 host, __u32 pid,
					__u64 word)
{
	const struct story_record key = { .host = host, .pid = pid, .words = { word } };

	return records_of(&input->about, key, by_first_word);
}

struct story_records story_input__transfer(const struct story_input *input, __u64 xid,
					   __u64 session)
{
	const struct story_record key = { .words = { 0, 0, xid, session } };

	return records_of(&input->transfers, key, by_transfer);
}

struct story_records story_input__transfers(const struct story_input *input)
{
	return (struct story_records){
		.first = (const struct story_record *const *)input->transfers.at,
		.n = input->transfers.n,
	};
}

// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "drain/merge.h"
#include "recording/histogram_code.h"
#include "recording/series_code.h"

static void pack_key(struct pack *pack, const struct tm_key *key)
{
	pack__u64(pack, key->job);
	pack__u64(pack, key->layer);
	pack__u64(pack, key->function);
	pack__u64(pack, key->where);
	pack__u64(pack, key->flags);
}

static void unpack_key(struct unpack *unpack, struct tm_key *key)
{
	key->job = unpack__u64(unpack);
	key->layer = (__u8)unpack__below(unpack, 1 << 8);
	key->function = (__u32)unpack__below(unpack, 1ULL << 32);
	key->where = unpack__u64(unpack);
	key->flags = (__u8)unpack__below(unpack, 1 << 8);
}

#define PLACE_BIT(member, joins, place, ...) | 1U << (place)
_Static_assert((0 TM_SERIES_COUNTERS(PLACE_BIT)) == (1U << TM_SERIES_N) - 1,
	       "each counter has a place of its own in recordings, and none is left out");

/* The plain counters, in the order in which they are written. */
static void pack_counters(struct pack *pack, const struct tm_series *total)
{
#define WRITE(member, joins, place, ...) [place] = total->member,
	const __u64 numbers[] = { TM_SERIES_COUNTERS(WRITE) };

	pack__numbers(pack, numbers, TM_SERIES_N);
}

/* Older recordings have fewer: the rest stays 0. */
static void unpack_counters(struct unpack *unpack, struct tm_series *total)
{
	__u64 numbers[TM_SERIES_N] = { 0 };

	unpack__numbers(unpack, numbers, TM_SERIES_N);
#define READ(member, joins, place, ...) total->member = numbers[place];
	TM_SERIES_COUNTERS(READ)
}

static void pack_errors(struct pack *pack, const struct tm_series *total)
{
	__u64 n = 0;

	while (n < TM_ERRORS && total->error_code[n])
		n++;
	pack__u64(pack, n);
	for (__u64 i = 0; i < n; i++) {
		pack__s64(pack, total->error_code[i]);
		pack__u64(pack, total->error_count[i]);
	}
}

static void unpack_errors(struct unpack *unpack, struct tm_series *total)
{
	__u64 n = unpack__below(unpack, TM_ERRORS + 1);

	for (__u64 i = 0; i < n; i++) {
		total->error_code[i] = (__s32)unpack__s64(unpack);
		total->error_count[i] = unpack__u64(unpack);
	}
}

/* All bits of what is in no histogram. */
#define SUMMED_ALL (TM_SUMMED_BRIEFLY | TM_SUMMED_UNTIMED)

void series_code__pack(struct pack *pack, const struct snapshot_series *series, __u64 flags)
{
	const struct tm_series *total = &series->total;
	char label[sizeof(total->label) + 1] = { 0 };

	memcpy(label, total->label, sizeof(total->label));
	pack__u64(pack, flags);
	pack_key(pack, &total->key);
	pack__u64(pack, total->creator);
	pack__string(pack, label);
	pack_counters(pack, total);
	pack__numbers(pack, total->times_ns, TM_TIMES);
	pack__numbers(pack, total->outer_ns, TM_OUTER_TIMES);
	pack_errors(pack, total);
	histogram_code__pack(pack, &series->latency);
	histogram_code__pack(pack, &series->size);
	pack__u64(pack, total->key.process);
	pack__u64(pack, total->summed);
}

struct snapshot_series *series_code__unpack(struct unpack *unpack, __u64 *flags)
{
	struct merge merge = { 0 };
	struct unpack_text label;

	*flags = unpack__u64(unpack);
	unpack_key(unpack, &merge.total.key);
	merge.total.creator = (__u32)unpack__u64(unpack);
	label = unpack__text(unpack);
	if (label.n > sizeof(merge.total.label))
		return NULL;
	if (label.n)
		memcpy(merge.total.label, label.at, label.n);
	unpack_counters(unpack, &merge.total);
	unpack__numbers(unpack, merge.total.times_ns, TM_TIMES);
	unpack__numbers(unpack, merge.total.outer_ns, TM_OUTER_TIMES);
	unpack_errors(unpack, &merge.total);
	histogram_code__unpack(unpack, merge.latency);
	histogram_code__unpack(unpack, merge.size);
	/* Not in the first recordings. */
	if (!unpack->failed && unpack->at < unpack->end)
		merge.total.key.process = (__u32)unpack__below(unpack, 1ULL << 32);
	if (!unpack->failed && unpack->at < unpack->end)
		merge.total.summed = (__u8)unpack__below(unpack, SUMMED_ALL + 1);
	return unpack->failed ? NULL : merge__finish(&merge);
}

#define FROM_FATES(member)  fates->member,
#define FROM_LEDGER(member) ledger->member,
#define NUMBER(member)	    +1
#define NEXT(member)	    out.member = numbers[n++];

static void pack_fates(struct pack *pack, const struct tm_call_fates *fates)
{
	const __u64 numbers[] = { TM_CALL_FATES(FROM_FATES) };

	pack__numbers(pack, numbers, sizeof(numbers) / sizeof(*numbers));
}

static struct tm_call_fates unpack_fates(struct unpack *unpack)
{
	__u64 numbers[0 TM_CALL_FATES(NUMBER)] = { 0 };
	struct tm_call_fates out = { 0 };
	size_t n = 0;

	unpack__numbers(unpack, numbers, sizeof(numbers) / sizeof(*numbers));
	TM_CALL_FATES(NEXT)
	return out;
}

void series_code__pack_ledger(struct pack *pack, const struct tm_ledger *ledger,
			      const struct tm_call_ledger *calls)
{
	const __u64 numbers[] = { TM_LEDGER_COUNTERS(FROM_LEDGER) };

	pack__numbers(pack, numbers, sizeof(numbers) / sizeof(*numbers));
	pack__numbers(pack, ledger->lost, TM_LOSSES);
	if (!calls)
		return;
	pack_fates(pack, &calls->calls);
	pack_fates(pack, &calls->operations);
}

struct tm_ledger series_code__unpack_ledger(struct unpack *unpack)
{
	__u64 numbers[0 TM_LEDGER_COUNTERS(NUMBER)] = { 0 };
	struct tm_ledger out = { 0 };
	size_t n = 0;

	unpack__numbers(unpack, numbers, sizeof(numbers) / sizeof(*numbers));
	TM_LEDGER_COUNTERS(NEXT)
	unpack__numbers(unpack, out.lost, TM_LOSSES);
	return out;
}

bool series_code__unpack_calls(struct unpack *unpack, struct tm_call_ledger *out)
{
	if (unpack->failed || unpack->at == unpack->end)
		return false;
	*out = (struct tm_call_ledger){ .calls = unpack_fates(unpack) };
	/* Not in the first recordings. */
	if (!unpack->failed && unpack->at < unpack->end)
		out->operations = unpack_fates(unpack);
	return !unpack->failed;
}

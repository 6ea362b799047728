// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "drain/merge.h"
#include "recording/archive.h"
#include "recording/histogram_code.h"
#include "recording/series_code.h"

static void archive_key(struct archive *archive, struct tm_key *key)
{
	archive__number(archive, key->job);
	archive__number(archive, key->layer);
	archive__number(archive, key->function);
	archive__number(archive, key->where);
	archive__number(archive, key->flags);
}

#define PLACE_BIT(member, joins, place, ...) | 1U << (place)
_Static_assert((0 TM_SERIES_COUNTERS(PLACE_BIT)) == (1U << TM_SERIES_N) - 1,
	       "each counter has a place of its own in recordings, and none is left out");

/* Older recordings have fewer: the rest is 0. */
#define AT_PLACE(member, joins, place, ...) [place] = offsetof(struct tm_series, member),
static const size_t counters[] = { TM_SERIES_COUNTERS(AT_PLACE) };

static void archive_counters(struct archive *archive, struct tm_series *total)
{
	archive__offsets(archive, total, counters, TM_SERIES_N);
	archive__numbers(archive, total->times_ns, TM_TIMES);
	archive__numbers(archive, total->outer_ns, TM_OUTER_TIMES);
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
	archive_key(ARCHIVE_TO(pack), (struct tm_key *)&total->key);
	pack__u64(pack, total->creator);
	pack__string(pack, label);
	archive_counters(ARCHIVE_TO(pack), (struct tm_series *)total);
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
	archive_key(ARCHIVE_FROM(unpack), &merge.total.key);
	merge.total.creator = (__u32)unpack__u64(unpack);
	label = unpack__text(unpack);
	if (label.n > sizeof(merge.total.label))
		return NULL;
	if (label.n)
		memcpy(merge.total.label, label.at, label.n);
	archive_counters(ARCHIVE_FROM(unpack), &merge.total);
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

#define AT_FATE(member) offsetof(struct tm_call_fates, member),
static const size_t fates_at[] = { TM_CALL_FATES(AT_FATE) };

static void archive_fates(struct archive *archive, struct tm_call_fates *fates)
{
	archive__offsets(archive, fates, fates_at, sizeof(fates_at) / sizeof(*fates_at));
}

#define AT_LEDGER(member) offsetof(struct tm_ledger, member),
static const size_t ledger_at[] = { TM_LEDGER_COUNTERS(AT_LEDGER) };

static void archive_ledger(struct archive *archive, struct tm_ledger *ledger)
{
	archive__offsets(archive, ledger, ledger_at, sizeof(ledger_at) / sizeof(*ledger_at));
	archive__numbers(archive, ledger->lost, TM_LOSSES);
}

void series_code__pack_ledger(struct pack *pack, const struct tm_ledger *ledger,
			      const struct tm_call_ledger *calls)
{
	archive_ledger(ARCHIVE_TO(pack), (struct tm_ledger *)ledger);
	if (!calls)
		return;
	archive_fates(ARCHIVE_TO(pack), (struct tm_call_fates *)&calls->calls);
	archive_fates(ARCHIVE_TO(pack), (struct tm_call_fates *)&calls->operations);
}

struct tm_ledger series_code__unpack_ledger(struct unpack *unpack)
{
	struct tm_ledger ledger = { 0 };

	archive_ledger(ARCHIVE_FROM(unpack), &ledger);
	return ledger;
}

bool series_code__unpack_calls(struct unpack *unpack, struct tm_call_ledger *out)
{
	if (archive__ends(ARCHIVE_FROM(unpack)))
		return false;
	*out = (struct tm_call_ledger){ 0 };
	archive_fates(ARCHIVE_FROM(unpack), &out->calls);
	/* Not in the first recordings. */
	if (!archive__ends(ARCHIVE_FROM(unpack)))
		archive_fates(ARCHIVE_FROM(unpack), &out->operations);
	return !unpack->failed;
}

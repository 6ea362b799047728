/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the slot of a key, and counting into it. After a key's first use there is no update. */
#ifndef BPF_SERIES_BPF_H
#define BPF_SERIES_BPF_H

#include "maps.bpf.h"

#define TM_NO_SLOT (~0U)

#define ADD(counter, value) __sync_fetch_and_add(&(counter), (value))

/*
 * Sets a new extreme. Not inlined: rare, and the tries would multiply what the verifier has to look
 * at.
 */
int atomic__raise(u64 *max, u64 value);
int atomic__reduce(u64 *min, u64 value);

TM_INLINE void atomic__max(u64 *max, u64 value)
{
	if (value > *(volatile u64 *)max)
		atomic__raise(max, value);
}

TM_INLINE void atomic__min(u64 *min, u64 value)
{
	if (value < *(volatile u64 *)min)
		atomic__reduce(min, value);
}

TM_INLINE u32 this_shard(void)
{
	return bpf_get_smp_processor_id() & (tm_config.shards - 1);
}

TM_INLINE struct tm_ledger *ledger__of(u32 probe)
{
	u32 index = probe * tm_config.shards + this_shard();

	return bpf_map_lookup_elem(&tm_ledgers, &index);
}

TM_INLINE void ledger__lose(struct tm_ledger *ledger, enum tm_loss reason)
{
	u32 index = reason;

	if (index >= TM_LOSSES)
		return;
	TM_PIN(index);
	ADD(ledger->lost[index < TM_LOSSES ? index : 0], 1);
}

TM_INLINE struct tm_series *series__at(u32 slot)
{
	return bpf_map_lookup_elem(&tm_series, &slot);
}

/* How much is told of it: enum tm_level. */
TM_INLINE u32 series__level(const struct tm_series *series)
{
	return TM_DETAIL_LEVEL(*(volatile u8 *)&series->detail);
}

/* The slot of a key, TM_NO_SLOT where the table is full. Not inlined: the rare first use. */
u32 series__create(struct tm_key *wanted);

TM_INLINE u32 series__find(struct tm_key *key)
{
	u32 *slot;

	key->shard = this_shard();
	slot = bpf_map_lookup_elem(&tm_slots, key);
	return slot ? *slot : series__create(key);
}

/*
 * A bucket, at TM_LEVEL_SUMMARY one that there is not. Without a branch: it would double what the
 * verifier has to look at each time.
 */
TM_INLINE u64 series__wanted(const struct tm_series *series, u64 bucket)
{
	u64 other = series__level(series) ^ TM_LEVEL_SUMMARY;

	TM_PIN(other);
	return bucket + ((other - 1) >> 32);
}

/* Returns false where there is none. */
TM_INLINE bool series__bucket(const struct tm_series *series, u32 slot, enum tm_histogram_kind kind,
			      u64 value)
{
	u32 index = slot * TM_HISTOGRAMS + kind;
	struct tm_buckets *buckets = bpf_map_lookup_elem(&tm_buckets, &index);
	u64 bucket = series__wanted(series, tm_bucket_of(value));

	if (!buckets || bucket >= TM_BUCKETS)
		return false;
	TM_PIN(bucket);
	ADD(buckets->count[bucket < TM_BUCKETS ? bucket : 0], 1);
	return true;
}

/* Notes that some of it are in no histogram: TM_SUMMED_... Bytes beside it may change meanwhile. */
TM_INLINE void series__summed(struct tm_series *series, u8 which)
{
	_Static_assert(__builtin_offsetof(struct tm_series, summed) % 4 == 3,
		       "the highest byte of a word");
	u32 *word = (u32 *)(&series->summed - 3);

	if (!(*(volatile u8 *)&series->summed & which))
		__sync_fetch_and_or(word, (u32)which << 24);
}

/* What is in flight turns out to belong to another series. */
TM_INLINE void series__move(u32 from, u32 to)
{
	struct tm_series *series = series__at(from);

	if (series)
		ADD(series->in_flight, -1ULL);
	series = series__at(to);
	if (series)
		ADD(series->in_flight, 1);
}

/* Counts one more that took ns. */
TM_INLINE void series__time(struct tm_series *series, u32 slot, u64 ns)
{
	ADD(series->count, 1);
	ADD(series->total_ns, ns);
	atomic__min(&series->min_ns, ns);
	atomic__max(&series->max_ns, ns);
	series__bucket(series, slot, TM_HISTOGRAM_LATENCY, ns);
}

TM_INLINE void series__size(struct tm_series *series, u32 slot, u64 bytes)
{
	if (bytes)
		ADD(series->bytes, bytes);
	series__bucket(series, slot, TM_HISTOGRAM_SIZE, bytes);
}

/* Errors that mean "again": EAGAIN, EINTR; 512-516: restarted, or EINTR (linux/errno.h). */
TM_INLINE bool series__is_retry(int code)
{
	return code == 11 || code == 4 || (code >= 512 && code <= 516);
}

/*
 * Counts a failure by its code: an errno, of which some mean "again", or with own_code a library's
 * own. Not inlined: it is rare.
 */
int series__fail(struct tm_series *series, int code, bool own_code);

#endif

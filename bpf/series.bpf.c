// SPDX-License-Identifier: GPL-2.0-only
#include "number.bpf.h"
#include "series.bpf.h"

/* Another CPU that wins meanwhile has raised it too: a few tries suffice. */
__attribute__((noinline)) int atomic__raise(u64 *max, u64 value)
{
	u64 old, seen;

	if (!max)
		return 0;
	old = *(volatile u64 *)max;
	for (int i = 0; i < 8 && value > old; i++) {
		seen = __sync_val_compare_and_swap(max, old, value);
		if (seen == old)
			break;
		old = seen;
	}
	return 0;
}

__attribute__((noinline)) int atomic__reduce(u64 *min, u64 value)
{
	u64 old, seen;

	if (!min)
		return 0;
	old = *(volatile u64 *)min;
	for (int i = 0; i < 8 && value < old; i++) {
		seen = __sync_val_compare_and_swap(min, old, value);
		if (seen == old)
			break;
		old = seen;
	}
	return 0;
}

/* Processes are told apart only as long as a quarter of the table is left for what must be in it.
 */
TM_INLINE bool is_short_of_room(const struct tm_key *key)
{
	return key->process && key->process != TM_PROCESS_OTHERS &&
	       *(volatile u32 *)&tm_used_slots >= tm_config.slots / 4 * 3;
}

/*
 * The same holds for sums over ADDB2 records, which a program may make as many of as it likes. An
 * eighth is for what has no other room, of all jobs together.
 */
TM_INLINE bool has_no_room(const struct tm_key *key)
{
	u32 end = tm_config.slots;

	if (key__is_addb(key))
		end = end / 4 * 3;
	else if (key->job != TM_JOB_OTHERS)
		end -= end / 8;
	return *(volatile u32 *)&tm_used_slots >= end;
}

/* What is told of a new series: as of its cgroup where that has details of its own. */
TM_INLINE u8 detail_of(const struct tm_key *key)
{
	struct tm_details *own = NULL;
	u64 job = key->job;
	u32 layer = tm_detail_layer(key->layer);

	if (*(volatile u32 *)&tm_any_job_detail)
		own = bpf_map_lookup_elem(&tm_job_details, &job);
	TM_PIN(layer);
	layer &= TM_DETAIL_LAYERS - 1;
	return own ? own->of[layer] : *(volatile u8 *)&tm_details.of[layer];
}

/* A slot that nobody has: one that was given back, or one never used. */
TM_INLINE u32 take_slot(void)
{
	u32 slot = 0;

	if (!bpf_map_pop_elem(&tm_free_slots, &slot))
		return slot;
	/* Without this, a full table would move the counter on and wrap it one day. */
	if (*(volatile u32 *)&tm_next_slot >= tm_config.slots)
		return TM_NO_SLOT;
	slot = __sync_fetch_and_add(&tm_next_slot, 1);
	return slot < tm_config.slots ? slot : TM_NO_SLOT;
}

/* A new slot for a key; TM_NO_SLOT: there is none. */
TM_INLINE u32 make(const struct tm_key *key)
{
	struct tm_series *series;
	u32 slot = take_slot(), *winner;

	series = series__at(slot);
	if (!series)
		return TM_NO_SLOT;
	series->key = *key;
	series->min_ns = ~0ULL;
	series->detail = detail_of(key);
	series->summed = series__level(series) == TM_LEVEL_SUMMARY ? TM_SUMMED_BRIEFLY : 0;
	series->creator = number__tgid_here(bpf_get_current_task_btf());
	if (bpf_map_update_elem(&tm_slots, key, &slot, BPF_NOEXIST)) {
		/* Another CPU was faster; or the bucket is locked by what we interrupted. */
		bpf_map_push_elem(&tm_free_slots, &slot, BPF_ANY);
		winner = bpf_map_lookup_elem(&tm_slots, key);
		return winner ? *winner : TM_NO_SLOT;
	}
	ADD(tm_used_slots, 1);
	/* x86 keeps stores in order; the barrier is for the compiler. */
	asm volatile("" ::: "memory");
	series->state |= TM_SERIES_LIVE;
	return slot;
}

__attribute__((noinline)) u32 series__create(struct tm_key *wanted)
{
	struct tm_key key;
	u32 *found;

	if (!wanted)
		return TM_NO_SLOT;
	/* A copy: up to 6.2 the argument of a global function cannot be the key of a map. */
	key = *wanted;
	if (is_short_of_room(&key)) {
		*(volatile u32 *)&tm_folded = 1;
		key.process = TM_PROCESS_OTHERS;
		found = bpf_map_lookup_elem(&tm_slots, &key);
		if (found)
			return *found;
	}
	if (has_no_room(&key)) {
		if (key__is_addb(&key))
			return TM_NO_SLOT;
		ADD(tm_slots_folded, 1);
		key__fold(&key);
		found = bpf_map_lookup_elem(&tm_slots, &key);
		if (found)
			return *found;
		if (has_no_room(&key))
			return TM_NO_SLOT;
	}
	return make(&key);
}

__attribute__((noinline)) int series__fail(struct tm_series *series, int code, bool own_code)
{
	if (!series)
		return 0;
	if (!own_code && series__is_retry(code)) {
		ADD(series->retries, 1);
		return 0;
	}
	ADD(series->errors, 1);
	if (code == 0) {
		ADD(series->errors_other, 1);
		return 0;
	}
	for (int i = 0; i < TM_ERRORS; i++) {
		s32 seen = *(volatile s32 *)&series->error_code[i];

		if (seen == 0)
			seen = __sync_val_compare_and_swap(&series->error_code[i], 0, code);
		if (seen == 0 || seen == code) {
			ADD(series->error_count[i], 1);
			return 0;
		}
	}
	ADD(series->errors_other, 1);
	return 0;
}

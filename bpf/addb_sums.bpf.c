// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums over ADDB2 records, kept in the kernel: how long state machines are in each state, and the
 * numbers that some records hold, as sizes and durations.
 */
#include "addb.bpf.h"

/* The sum of a key, made where there is none yet; NULL: there is no room. */
TM_INLINE struct tm_addb_sum *addb__sum_of(const struct tm_addb_sum_key *key)
{
	struct tm_addb_sum *sum = bpf_map_lookup_elem(&tm_addb_sums, key), *nothing;
	u32 zero = 0;

	if (sum)
		return sum;
	nothing = bpf_map_lookup_elem(&tm_addb_nothing, &zero);
	if (nothing) /* who comes second finds the first one's */
		bpf_map_update_elem(&tm_addb_sums, key, nothing, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tm_addb_sums, key);
}

static __attribute__((noinline)) int addb__add(const struct tm_addb_sum_key *key, u64 value)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_CONSUME);
	struct tm_addb_sum *sum = addb__sum_of(key);
	u32 bucket = tm_bucket_of(value);

	if (!sum) {
		if (ledger)
			ADD(ledger->unsummed, 1);
		return 0;
	}
	ADD(sum->count, 1);
	ADD(sum->total, value);
	atomic__max(&sum->floor, ~value);
	atomic__max(&sum->max, value);
	if (bucket < TM_BUCKETS) {
		TM_PIN(bucket);
		ADD(sum->buckets[bucket < TM_BUCKETS ? bucket : 0], 1);
	}
	return 0;
}

#define FOM_LABEL 0x2004 /* M0_AVI_FOM: address, type, ... */

/* The type of the fom that the innermost label of that kind names; 0: none does. */
static __attribute__((noinline)) u32 addb__fom(const struct addb_source *source)
{
	u32 n = source->head.n_labels;
	struct tm_addb_value label;
	u64 words[2];

	for (u32 i = 0; i < TM_ADDB_LABELS && i < n; i++) {
		u64 at = source->labels + (n - 1 - i) * sizeof(label);

		if (bpf_probe_read_user(&label, sizeof(label), (void *)at))
			return 0;
		if (label.id != FOM_LABEL)
			continue;
		if (label.n < 2 || bpf_probe_read_user(words, sizeof(words), (void *)label.words))
			return 0;
		return words[1];
	}
	return 0;
}

/* words: machine, transition, state */
static __attribute__((noinline)) int addb__enter_state(const struct addb_source *source, u32 index,
						       const u64 *words)
{
	const volatile struct tm_addb_machine *machine;
	u32 id = source->head.value.id;
	struct tm_addb_since_key machine_key = {
		.sm_id = words[0],
		.tgid = bpf_get_current_pid_tgid() >> 32,
		.id = id,
	};
	struct tm_addb_since *since = bpf_map_lookup_elem(&tm_addb_since, &machine_key);
	struct tm_addb_sum_key key = { .job = source->job, .id = id };
	struct tm_addb_since now = { .time_ns = bpf_ktime_get_ns(), .state = words[2] };
	struct tm_addb_ledger *ledger;

	if (index >= TM_ADDB_MACHINES)
		return 0;
	machine = &tm_config.addb.machines[index];
	if (since) {
		key.fom = since->fom;
		key.what = since->state;
		addb__add(&key, now.time_ns - since->time_ns);
	}
	if (now.state < 64 && machine->terminal >> now.state & 1) {
		bpf_map_delete_elem(&tm_addb_since, &machine_key);
		return 0;
	}
	now.fom = since && since->fom ? since->fom : machine->of_fom ? addb__fom(source) : 0;
	if (!bpf_map_update_elem(&tm_addb_since, &machine_key, &now, BPF_ANY))
		return 0;
	ledger = addb__ledger(TM_ADDB_CONSUME);
	if (ledger)
		ADD(ledger->untracked, 1);
	return 0;
}

int addb__sum(const struct addb_source *source)
{
	struct tm_addb_sum_key key = {};
	u64 words[3] = {};
	u32 n, id;

	if (!source)
		return 0;
	n = source->head.value.n;
	id = source->head.value.id;
	if (n > TM_ADDB_WORDS || source->head.value.id > 0xffffffff)
		return 0;
	for (u32 i = 0; i < TM_ADDB_MACHINES && i < tm_config.addb.n_machines; i++) {
		if (tm_config.addb.machines[i].id != id)
			continue;
		if (n == 3 &&
		    !bpf_probe_read_user(words, 3 * sizeof(u64), (void *)source->head.value.words))
			addb__enter_state(source, i, words);
		return 0;
	}
	key.job = source->job;
	key.id = id;
	for (u32 i = 0; i < TM_ADDB_SUMMED_WORDS && i < tm_config.addb.n_words; i++) {
		u32 word = tm_config.addb.words[i].word;

		if (tm_config.addb.words[i].id != id || word >= n)
			continue;
		if (bpf_probe_read_user(words, sizeof(u64),
					(void *)(source->head.value.words + word * sizeof(u64))))
			continue;
		key.what = TM_ADDB_WORD + word;
		addb__add(&key, words[0]);
	}
	return 0;
}

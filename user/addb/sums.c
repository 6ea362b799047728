// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "addb/identifiers.h"
#include "addb/sums.h"

/* Sizes, waits and durations: identifier and word. */
static const struct tm_addb_word summed[] = {
	{ 0x2117, 1 }, /* long-lock: wait */
	{ 0x2117, 2 }, /* hold */
	{ 0x6001, 5 }, /* ios-io-descr: count */
	{ 0x7001, 2 }, /* stob-io-launch: count */
	{ 0x7003, 2 }, /* stob-io-end: duration */
	{ 0x7003, 4 }, /* count */
	{ 0xb001, 3 }, /* net-buf: duration */
	{ 0xb001, 5 }, /* len */
	{ 0xc001, 2 }, /* cas-kv-sizes: ksize */
	{ 0xc001, 3 }, /* vsize */
};

#define FINISH (1 << 1) /* of the phases of every fom */

void addb_sums__configure(struct tm_addb_config *config)
{
	const struct addb_identifier *all;
	struct tm_addb_machine *machine;
	size_t n, i;

	all = addb_identifiers__all(&n);
	for (i = 0; i < n && config->n_machines < TM_ADDB_MACHINES; i++) {
		__u8 format = all[i].fields[0].format;

		if (!all[i].n_fields || (format != ADDB_STATE && format != ADDB_PHASE))
			continue;
		machine = &config->machines[config->n_machines++];
		machine->id = all[i].first;
		machine->of_fom = format == ADDB_PHASE || all[i].machine == &addb_fom_states;
		machine->terminal = format == ADDB_PHASE ? FINISH : all[i].machine->terminal;
	}
	config->n_words = sizeof(summed) / sizeof(summed[0]);
	memcpy(config->words, summed, sizeof(summed));
}

static int compare(const void *a, const void *b)
{
	const struct tm_addb_sum_key *x = &((const struct addb_sum *)a)->key;
	const struct tm_addb_sum_key *y = &((const struct addb_sum *)b)->key;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->fom != y->fom)
		return x->fom < y->fom ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

int addb_sums__read(int map, struct addb_sum **out, size_t *n, struct error *err)
{
	struct addb_sum *sums = calloc(TM_ADDB_SUMS, sizeof(*sums));
	struct tm_addb_sum_key *before = NULL;
	size_t i = 0;

	if (!sums)
		return error__set(err, -ENOMEM, "no memory");
	while (i < TM_ADDB_SUMS && !bpf_map_get_next_key(map, before, &sums[i].key)) {
		before = &sums[i].key;
		if (!bpf_map_lookup_elem(map, &sums[i].key, &sums[i].sum))
			i++;
	}
	qsort(sums, i, sizeof(*sums), compare);
	*out = sums;
	*n = i;
	return 0;
}

size_t addb_sums__followed(int map)
{
	struct tm_addb_since_key key, *before = NULL;
	size_t n = 0;

	for (; n < TM_ADDB_FOLLOWED && !bpf_map_get_next_key(map, before, &key); n++)
		before = &key;
	return n;
}

__u64 addb_sum__min(const struct addb_sum *sum)
{
	return ~sum->sum.floor;
}

__u64 addb_sum__quantile(const struct addb_sum *sum, unsigned int per_mille)
{
	const struct histogram histogram = histogram__of(sum->sum.buckets);

	return histogram__quantile(&histogram, per_mille, addb_sum__min(sum), sum->sum.max);
}

bool addb_sum__is_state(const struct addb_sum *sum)
{
	return sum->key.what < TM_ADDB_WORD;
}

/* The field that a word begins; NULL: none does. */
static const struct addb_field *field_of(const struct addb_sum *sum)
{
	const struct addb_identifier *identifier = addb_identifiers__find(sum->key.id);
	__u64 word = 0;

	for (unsigned int i = 0; identifier && i < identifier->n_fields; i++) {
		if (word == sum->key.what - TM_ADDB_WORD)
			return &identifier->fields[i];
		word += identifier->fields[i].words;
	}
	return NULL;
}

bool addb_sum__is_time(const struct addb_sum *sum)
{
	const struct addb_field *field = addb_sum__is_state(sum) ? NULL : field_of(sum);

	return !field || field->format == ADDB_DURATION;
}

const char *addb_sum__what(const struct addb_sum *sum, char *out, size_t room)
{
	const struct addb_identifier *identifier = addb_identifiers__find(sum->key.id);
	const struct addb_fom_type *fom = addb_fom_types__find(sum->key.fom);
	const struct addb_machine *machine = identifier ? identifier->machine : NULL;
	const struct addb_field *field;
	const char *name = NULL;

	if (addb_sum__is_state(sum)) {
		if (!machine && fom)
			machine = fom->phases;
		name = machine ? addb_machine__state(machine, sum->key.what) : NULL;
	} else {
		field = field_of(sum);
		name = field ? field->label : NULL;
	}
	if (name)
		snprintf(out, room, "%s", name);
	else
		snprintf(out, room, "%llu", sum->key.what & (TM_ADDB_WORD - 1));
	return out;
}

const char *addb_sum__fom(const struct addb_sum *sum, char *out, size_t room)
{
	const struct addb_fom_type *fom = addb_fom_types__find(sum->key.fom);

	if (!sum->key.fom)
		return NULL;
	if (fom && fom->fop)
		snprintf(out, room, "%s", fom->fop);
	else if (fom)
		snprintf(out, room, "%s", fom->phases->name);
	else
		snprintf(out, room, "%u", sum->key.fom);
	return out;
}

void addb_ledger__read(int map, __u32 shards, struct tm_addb_ledger *sum)
{
	struct tm_addb_ledger one;

	*sum = (struct tm_addb_ledger){ 0 };
	for (__u32 i = 0; i < TM_ADDB_ROLES * shards; i++) {
		if (bpf_map_lookup_elem(map, &i, &one))
			continue;
		sum->recorded += one.recorded;
		sum->unwanted += one.unwanted;
		sum->unreadable += one.unreadable;
		sum->full += one.full;
		sum->busy += one.busy;
		sum->labels_unreadable += one.labels_unreadable;
		sum->untracked += one.untracked;
		sum->unsummed += one.unsummed;
	}
}

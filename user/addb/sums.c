// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>

#include "addb/identifiers.h"
#include "addb/sums.h"
#include "addb/text.h"

#define BIT(n) (1ULL << (n))
#define NONE   TM_ADDB_NO_WORD

/* How long one thing took, and how large it was. */
#define TIMED(time_, size_)                                          \
	{                                                            \
		.n_numbers = 1, .numbers = { { (time_), (size_) } }, \
	}
#define SIZED(by_fom_, size_)                                                         \
	{                                                                             \
		.n_numbers = 1, .by_fom = (by_fom_), .numbers = { { NONE, (size_) } } \
	}
/* Of an attribute, whose value is the third word: what a machine of that kind has to do. */
#define ATTRIBUTE(by_fom_, machine_)                                                     \
	{                                                                                \
		.n_numbers = 1, .by_fom = (by_fom_), .machine = (machine_), .numbers = { \
			{ NONE, 2 }                                                      \
		}                                                                        \
	}
/* Of a sensor, whose value stands in the place of a first word. */
#define SENSOR(time_, size_)                                                                       \
	{                                                                                          \
		.summing = TM_ADDB_SUM_SENSOR, .n_numbers = 1, .numbers = { { (time_), (size_) } } \
	}
#define STEPS(initial_, terminal_)                                                           \
	{                                                                                    \
		.summing = TM_ADDB_SUM_STEPS, .initial = (initial_), .terminal = (terminal_) \
	}

/* Beside the machines of the table of identifiers. */
static const struct addb_summed listed[] = {
	/* The type of a fom's machines, before its label is seen. */
	{ 0x2108, { .summing = TM_ADDB_SUM_FOM } },
	/* How many foms are active, ready, waiting; queues of localities. */
	{ 0x2109, SENSOR(NONE, 0) },
	{ 0x210d, SENSOR(NONE, 0) },
	{ 0x210e, SENSOR(NONE, 0) },
	{ 0x2113, SENSOR(0, NONE) },
	{ 0x2114, SENSOR(0, NONE) },
	{ 0x2115, SENSOR(0, NONE) },
	{ 0x2116, SENSOR(0, NONE) },
	/* long-lock: wait, hold */
	{ 0x2117, { .n_numbers = 2, .numbers = { { 1, NONE }, { 2, NONE } } } },
	{ 0x2118, { .summing = TM_ADDB_SUM_ATTRIBUTES } },
	{ 0x6001, SIZED(1, 5) }, /* ios-io-descr: count */
	{ 0x6005, ATTRIBUTE(1, TM_ADDB_ID_FOM_PHASE) },
	{ 0x7003,
	  { .n_numbers = 1, .numbers = { { 2, NONE } }, .fail_word = 3 } }, /* stob-io-end */
	{ 0x7006, SENSOR(NONE, 0) },
	{ 0x7007, SENSOR(NONE, 0) },
	{ 0x7008, SENSOR(NONE, 0) },
	/* Preparations come before M0_AVI_IO_LAUNCH; M0_AVI_AD_ENDIO, M0_AVI_LIO_ENDIO */
	{ 0x7009, STEPS(BIT(0) | BIT(1), BIT(8) | BIT(10)) },
	{ 0x700c, ATTRIBUTE(0, 0x7009) },
	{ 0x8007, STEPS(BIT(0), BIT(1)) }, /* rpc-bulk-op */
	{ 0x800c, ATTRIBUTE(0, 0x8007) },
	{ 0xb001,
	  { .n_numbers = 1,
	    .numbers = { { 3, 5 } },
	    .fail_word = 4 } }, /* net-buf: duration, len */
	/* cas-kv-sizes: ksize, vsize */
	{ 0xc001, { .n_numbers = 2, .by_fom = 1, .numbers = { { NONE, 2 }, { NONE, 3 } } } },
	{ 0xc10b, ATTRIBUTE(1, 0) }, /* CAS_FOM: keys and values, in and out */
	{ 0xc10e, ATTRIBUTE(1, 0) },
	{ 0xc111, ATTRIBUTE(1, 0) },
	{ 0xc114, ATTRIBUTE(1, 0) },
	{ 0xd104, STEPS(BIT(0), BIT(2)) }, /* cob-req-state */
};

#define LISTED (sizeof(listed) / sizeof(*listed))

/* The first state that has a name and is not the end. */
static __u64 initial_of(const struct addb_machine *machine)
{
	for (unsigned int i = 0; i < machine->n_states; i++)
		if (machine->states[i] && !(machine->terminal >> i & 1))
			return BIT(i);
	return 0;
}

/* 0 of one that is no machine's. */
static bool is_machine(const struct addb_identifier *identifier, struct tm_addb_summed *how)
{
	const struct addb_machine *machine = identifier->machine;
	__u8 format = identifier->fields[0].format;

	*how = (struct tm_addb_summed){ .summing = TM_ADDB_SUM_STATES };
	if (!identifier->n_fields || (format != ADDB_STATE && format != ADDB_PHASE))
		return false;
	how->by_fom = format == ADDB_PHASE || machine == &addb_fom_states;
	/* All foms begin and end in the same phases. */
	if (!machine)
		machine = &addb_generic_phases;
	how->initial = initial_of(machine);
	how->terminal = machine->terminal;
	return true;
}

size_t addb_sums__list(struct addb_summed out[TM_ADDB_SUMMED])
{
	const struct addb_identifier *all;
	size_t n_all, n = LISTED;

	memcpy(out, listed, sizeof(listed));
	all = addb_identifiers__all(&n_all);
	for (size_t i = 0; i < n_all && n < TM_ADDB_SUMMED; i++) {
		if (!is_machine(&all[i], &out[n].how))
			continue;
		out[n++].id = all[i].first;
	}
	return n;
}

int addb_sums__ask(int map, struct error *err)
{
	struct addb_summed all[TM_ADDB_SUMMED];
	size_t n = addb_sums__list(all);

	for (size_t i = 0; i < n; i++)
		if (bpf_map_update_elem(map, &all[i].id, &all[i].how, BPF_ANY))
			return error__set(err, -errno, "asking for sums over ADDB2 records: %s",
					  strerror(errno));
	return 0;
}

/* The field that a word begins; NULL: none does. */
static const struct addb_field *field_of(__u64 where)
{
	const struct addb_identifier *identifier = addb_identifiers__find(tm_addb_where_id(where));
	__u32 wanted = tm_addb_where_part(where) - TM_ADDB_WORD, word = 0;

	for (unsigned int i = 0; identifier && i < identifier->n_fields; i++) {
		if (word == wanted)
			return &identifier->fields[i];
		word += identifier->fields[i].words;
	}
	return NULL;
}

static bool is_number(__u64 where)
{
	__u32 part = tm_addb_where_part(where);

	return part >= TM_ADDB_WORD && part < TM_ADDB_WHOLE;
}

enum addb_sum_kind addb_sum__kind(__u64 where)
{
	const struct addb_field *field;

	if (!is_number(where))
		return ADDB_SUM_STATE;
	/* What is counted has no unit; an attribute has no fields. */
	field = field_of(where);
	return field && field->format == ADDB_HISTOGRAM ? ADDB_SUM_NUMBER : ADDB_SUM_BYTES;
}

const char *addb_sum__record(__u64 where, char *out, size_t room)
{
	__u32 id = tm_addb_where_id(where);
	const char *attribute = addb_names__find(&addb_attributes, id);

	if (!attribute)
		return addb_text__name(id, out, room);
	snprintf(out, room, "%s", attribute);
	return out;
}

const char *addb_sum__fom(__u64 where, char *out, size_t room)
{
	__u32 opcode = tm_addb_where_fom(where);
	const struct addb_fom_type *type = addb_fom_types__find(opcode);

	if (!opcode)
		return NULL;
	if (type)
		snprintf(out, room, "%s", type->fop ? type->fop : type->phases->name);
	else
		snprintf(out, room, "%u", opcode);
	return out;
}

static const char *state_name(__u64 where)
{
	const struct addb_identifier *identifier = addb_identifiers__find(tm_addb_where_id(where));
	const struct addb_fom_type *type = addb_fom_types__find(tm_addb_where_fom(where));
	__u32 state = tm_addb_where_part(where);

	if (!identifier)
		return NULL;
	if (identifier->machine)
		return addb_machine__state(identifier->machine, state);
	if (identifier->n_fields > 1 && identifier->fields[1].names)
		return addb_names__find(identifier->fields[1].names, state);
	/* Without its type, what all have. */
	if (type)
		return addb_machine__state(type->phases, state);
	return addb_machine__state(&addb_generic_phases, state);
}

/* As JSON and the dump have it. */
static const char *field_name(__u64 where)
{
	const struct addb_field *field = field_of(where);

	if (addb_names__find(&addb_attributes, tm_addb_where_id(where)) ||
	    (field && field->format == ADDB_HISTOGRAM))
		return "value";
	if (!field)
		return NULL;
	return field->name ? field->name : field->label;
}

const char *addb_sum__what(__u64 where, char *out, size_t room)
{
	__u32 part = tm_addb_where_part(where);
	const char *name;

	if (part >= TM_ADDB_WHOLE)
		return NULL;
	name = is_number(where) ? field_name(where) : state_name(where);
	if (name)
		snprintf(out, room, "%s", name);
	else if (part == TM_ADDB_STATE_OTHER)
		snprintf(out, room, "other");
	else
		snprintf(out, room, "%u", part & (TM_ADDB_WORD - 1));
	return out;
}

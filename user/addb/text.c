// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "addb/histogram.h"
#include "addb/identifiers.h"
#include "addb/machines.h"
#include "addb/text.h"

#define COLUMN	     12 /* fields stand at multiples of this, where those before are shorter */
#define REGISTRATION 0xffffffffULL /* in place of a transition: the machine begins */

/* What is known while a record is printed. */
struct printing {
	const struct addb_text *text;
	FILE *out;
	const struct addb_machine *phases; /* of the fom that is told about; NULL: not known */
};

static int print_time(FILE *out, __u64 ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm = { 0 };

	localtime_r(&seconds, &tm);
	return fprintf(out, "%04d-%02d-%02d-%02d:%02d:%02d.%09" PRIu64, tm.tm_year + 1900,
		       tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		       (uint64_t)(ns % 1000000000));
}

static int print_pointer(FILE *out, __u64 address)
{
	return address ? fprintf(out, "@0x%llx", address) : fprintf(out, "@(nil)");
}

static int print_state_name(FILE *out, const struct addb_machine *machine, __u64 state)
{
	const char *name = addb_machine__state(machine, state);

	return name ? fprintf(out, "%s", name) : fprintf(out, "%llu", state);
}

/* words: machine, transition, state */
static int print_state(FILE *out, const struct addb_machine *machine, const __u64 *words)
{
	const struct addb_transition *transition = addb_machine__transition(machine, words[1]);
	int n = fprintf(out, "sm_id: %llu ", words[0]);

	if (transition && transition->to == words[2]) {
		n += print_state_name(out, machine, transition->from);
		n += fprintf(out, " -[%s]-> ", transition->cause);
	} else {
		n += fprintf(out, words[1] == REGISTRATION ? "o--> " : "--> ");
	}
	return n + print_state_name(out, machine, words[2]);
}

static int print_phase(const struct printing *printing, const __u64 *words)
{
	const struct addb_machine *phases = printing->phases;
	size_t n_transitions = phases ? addb_machine__n_transitions(phases) : 0;

	if (!phases)
		return fprintf(printing->out, "sm_id: %llu phase ast transition %i", words[0],
			       (int)words[1]);
	if (n_transitions && words[1] >= n_transitions)
		return fprintf(printing->out, "sm_id: %llu phase transition %i", words[0],
			       (int)words[1]);
	return print_state(printing->out, phases, words);
}

/* words: type, transitions so far, phase */
static int print_fom(const struct printing *printing, const __u64 *words)
{
	const struct addb_fom_type *type = addb_fom_types__find(words[0]);
	int n;

	if (!type)
		return fprintf(printing->out, "?'UNKNOWN-%lld' transitions: %lld phase: %lld",
			       words[0], words[1], words[2]);
	n = fprintf(printing->out, "'%s' transitions: %lld phase: ", type->phases->name, words[1]);
	return n + print_state_name(printing->out, type->phases, words[2]);
}

static int print_opcode(FILE *out, __u64 opcode)
{
	const char *name = addb_names__find(&addb_opcodes, opcode);

	if (name)
		return fprintf(out, "%s", name);
	return opcode ? fprintf(out, "?rpc: %lld", opcode) : fprintf(out, "none");
}

static int print_named(FILE *out, const struct addb_names *names, __u64 value)
{
	const char *name = names ? addb_names__find(names, value) : NULL;

	return name ? fprintf(out, "%s", name) : fprintf(out, "%lld", value);
}

static int print_attribute(FILE *out, const __u64 *words)
{
	const char *name = addb_names__find(&addb_attributes, words[0]);
	int n = name ? fprintf(out, "%s: ", name) : fprintf(out, "%llx: ", words[0]);

	return n + print_named(out, addb_names__of_attribute(words[0]), words[1]);
}

static int print_field(const struct printing *printing, const struct addb_identifier *identifier,
		       const struct addb_field *field, const __u64 *words)
{
	FILE *out = printing->out;

	switch (field->format) {
	case ADDB_DECIMAL:
		return fprintf(out, "%lld", words[0]);
	case ADDB_HEX:
		return fprintf(out, "%llx", words[0]);
	case ADDB_HEX0X:
		return fprintf(out, "0x%llx", words[0]);
	case ADDB_POINTER:
		return print_pointer(out, words[0]);
	case ADDB_BOOLEAN:
		return fprintf(out, "%s", words[0] ? "true" : "false");
	case ADDB_FID:
		return fprintf(out, "<%llx:%llx>", words[0], words[1]);
	case ADDB_CLOCK:
		return print_time(out, words[0]);
	case ADDB_DURATION:
		return fprintf(out, "%lld.%09lld", words[0] / 1000000000, words[0] % 1000000000);
	case ADDB_OPCODE:
		return print_opcode(out, words[0]);
	case ADDB_SYMBOL:
		return addb_histogram__print_symbol(out, words[0], printing->text->symbol_base);
	case ADDB_FOM:
		return print_fom(printing, words);
	case ADDB_PHASE:
		return print_phase(printing, words);
	case ADDB_STATE:
		return print_state(out, identifier->machine, words);
	case ADDB_NAMED:
		return print_named(out, field->names, words[0]);
	case ADDB_ATTRIBUTE:
		return print_attribute(out, words);
	case ADDB_HISTOGRAM:
		return addb_histogram__print(out, words, printing->text->symbol_base,
					     printing->text->flat);
	default:
		return 0;
	}
}

/* A name of its own for each transition. false: there is none for this identifier. */
static bool name_transition(FILE *out, __u64 id)
{
	const struct addb_identifier *identifier = addb_identifiers__find(id);
	const struct addb_fom_type *fop = addb_fom_types__find(ADDB_FOP_OPCODE(id));
	const struct addb_transition *transition;
	const struct addb_machine *machine;
	const char *prefix;
	__u64 number;

	if (id >= ADDB_ID_FOP_FIRST && id <= ADDB_ID_FOP_LAST) {
		machine = fop && fop->fop ? addb_fom_types__machine(fop, ADDB_FOP_PART(id)) : NULL;
		if (!machine) {
			fprintf(out, " unknown-fop-mask: %llx", id - ADDB_ID_FOP_FIRST);
			return true;
		}
		prefix = fop->fop;
		number = ADDB_FOP_TRANSITION(id);
	} else if (identifier && identifier->first != identifier->last) {
		machine = identifier->machine;
		prefix = identifier->name;
		number = id - identifier->first;
	} else {
		return false;
	}
	transition = addb_machine__transition(machine, number);
	fprintf(out, "%s/%s: ", prefix, machine->name);
	if (!transition) {
		fprintf(out, "transition %llu", number);
		return true;
	}
	print_state_name(out, machine, transition->from);
	fprintf(out, " -[%s]-> ", transition->cause);
	print_state_name(out, machine, transition->to);
	return true;
}

/* The fields of a value, from its first column on. */
static void print_fields(const struct printing *printing, const struct addb_identifier *identifier,
			 const struct addb_value *value)
{
	unsigned int i, f, words;
	int column = 0;

	for (i = 0, f = 0; i < value->n; i += words, f++) {
		const struct addb_field *field =
			identifier && f < identifier->n_fields ? &identifier->fields[f] : NULL;

		words = field ? field->words : 1;
		if (i)
			column += fprintf(printing->out, ", ");
		if (column < COLUMN * (int)i)
			column += fprintf(printing->out, "%*s", COLUMN * (int)i - column, "");
		if (!field || i + words > value->n) {
			column += fprintf(printing->out, "?%16llx?", value->words[i]);
			words = 1;
			continue;
		}
		if (field->label)
			column += fprintf(printing->out, "%s: ", field->label);
		column += print_field(printing, identifier, field, &value->words[i]);
	}
}

static void print_value(const struct printing *printing, const struct addb_value *value)
{
	const struct addb_identifier *identifier = addb_identifiers__find(value->id);
	FILE *out = printing->out;

	if (name_transition(out, value->id)) {
		fputc(' ', out);
		if (value->n == TM_ADDB_WORDS)
			addb_histogram__print(out, value->words, printing->text->symbol_base,
					      printing->text->flat);
	} else {
		if (identifier)
			fprintf(out, "%-16s ", identifier->name);
		else
			fprintf(out, "%16llx ", value->id);
		print_fields(printing, identifier, value);
	}
	fputc(printing->text->flat ? ' ' : '\n', out);
}

const struct addb_machine *addb_text__phases(const struct addb_record *record)
{
	const struct addb_fom_type *type = NULL;

	for (unsigned int i = 0; i < record->n_labels; i++)
		if (record->labels[i].id == ADDB_ID_FOM && record->labels[i].n > 1)
			type = addb_fom_types__find(record->labels[i].words[1]);
	return type ? type->phases : NULL;
}

bool addb_text__has(const struct addb_origin *origin)
{
	return origin->role == TM_ADDB_CONSUME;
}

void addb_text__print(const struct addb_text *text, const struct addb_record *record)
{
	struct printing printing = {
		.text = text,
		.out = text->out,
		.phases = addb_text__phases(record),
	};

	fprintf(text->out, "* ");
	if (record->value.time_ns) {
		print_time(text->out, record->value.time_ns);
		fputc(' ', text->out);
	}
	print_value(&printing, &record->value);
	for (unsigned int i = 0; i < record->n_labels; i++) {
		fprintf(text->out, "|         ");
		print_value(&printing, &record->labels[i]);
	}
	if (text->flat)
		fputc('\n', text->out);
}

const char *addb_text__name(__u64 id, char *out, size_t room)
{
	const struct addb_identifier *identifier = addb_identifiers__find(id);
	FILE *memory = fmemopen(out, room, "w");

	out[0] = 0;
	if (!memory)
		return out;
	if (!name_transition(memory, id)) {
		if (identifier)
			fprintf(memory, "%s", identifier->name);
		else
			fprintf(memory, "%llx", id);
	}
	fclose(memory);
	out[room - 1] = 0;
	return out;
}

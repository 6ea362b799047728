// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "addb/histogram.h"
#include "addb/identifiers.h"
#include "addb/packed.h"
#include "addb/text.h"
#include "report/names.h"
#include "sink/json_addb.h"

static const char *const roles[TM_ADDB_ROLES] = {
	[TM_ADDB_CONSUME] = "consume",
	[TM_ADDB_ADD] = "add",
};

/* A member's name: as the dump writes the field, in snake_case. Returns out. */
static const char *name_of(const struct addb_field *field, const char *suffix, char *out,
			   size_t room)
{
	snprintf(out, room, "%s%s", field->name ? field->name : field->label, suffix);
	for (char *at = out; *at; at++)
		if (*at == '-')
			*at = '_';
	return out;
}

/* A number that may have a name. */
static void add_named(struct record *record, const char *member, const char *name, __u64 number)
{
	if (name)
		record__string(record, member, name);
	else
		record__i64(record, member, (__s64)number);
}

static void add_state_name(struct record *record, const char *member,
			   const struct addb_machine *machine, __u64 state)
{
	add_named(record, member, machine ? addb_machine__state(machine, state) : NULL, state);
}

/* words: machine, transition, state; "from" and "cause" where the transition is known. */
static void add_state(struct record *record, const struct addb_machine *machine, const __u64 *words)
{
	const struct addb_transition *transition =
		machine ? addb_machine__transition(machine, words[1]) : NULL;

	record__u64(record, "sm_id", words[0]);
	if (transition && transition->to == words[2]) {
		add_state_name(record, "from", machine, transition->from);
		record__string(record, "cause", transition->cause);
	}
	add_state_name(record, "state", machine, words[2]);
}

/* words: type, transitions, phase */
static void add_fom(struct record *record, const __u64 *words)
{
	const struct addb_fom_type *type = addb_fom_types__find(words[0]);

	add_named(record, "type", type ? type->phases->name : NULL, words[0]);
	record__i64(record, "transitions", (__s64)words[1]);
	add_state_name(record, "phase", type ? type->phases : NULL, words[2]);
}

static void add_histogram(struct record *record, const __u64 *words)
{
	struct addb_counter counter;

	addb_counter__read(&counter, words);
	record__u64(record, "count", counter.n);
	record__i64(record, "min", counter.min);
	record__i64(record, "max", counter.max);
	record__fixed(record, "mean", counter.mean, 6);
	record__fixed(record, "variance", counter.variance, 6);
	record__hex(record, "datum", counter.datum);
	record__u64(record, "below", addb_histogram__bucket(words, 0));
	record__open_array(record, "buckets");
	for (unsigned int i = 1; i < ADDB_BUCKETS; i++) {
		record__open_array(record, NULL);
		record__i64(record, NULL, addb_histogram__edge(words, i));
		record__u64(record, NULL, addb_histogram__bucket(words, i));
		record__close_array(record);
	}
	record__close_array(record);
}

static void add_attribute(struct record *record, const __u64 *words)
{
	const struct addb_names *names = addb_names__of_attribute(words[0]);
	const char *name = addb_names__find(&addb_attributes, words[0]);

	if (name)
		record__string(record, "attribute", name);
	else
		record__hex(record, "attribute", words[0]);
	add_named(record, "value", names ? addb_names__find(names, words[1]) : NULL, words[1]);
}

static void add_packed(struct record *record, const struct addb_packed *packed)
{
	bool array = packed->type >= ADDB_PACKED_ARRAY_U16;
	const char *name = array ? NULL : "value";

	if (packed->prefix[0])
		record__string(record, "prefix", packed->prefix);
	record__string(record, "topic", packed->topic);
	record__string(record, "value_type", addb_packed__type(packed->type));
	if (packed->type == ADDB_PACKED_STRING)
		record__string(record, "value", packed->string);
	else if (packed->type == ADDB_PACKED_NONE)
		record__null(record, "value");
	if (array)
		record__open_array(record, "value");
	for (unsigned int i = 0; i < packed->n; i++)
		record__u64(record, name, packed->numbers[i]);
	if (array)
		record__close_array(record);
}

static void add_fid(struct record *record, const char *name, const __u64 *words)
{
	char text[48];

	snprintf(text, sizeof(text), "%llx:%llx", words[0], words[1]);
	record__string(record, name, text);
}

/* A field that is one member. */
static void add_member(struct record *record, const struct addb_field *field, const __u64 *words)
{
	bool is_time = field->format == ADDB_CLOCK || field->format == ADDB_DURATION;
	char room[128];
	const char *name = name_of(field, is_time ? "_ns" : "", room, sizeof(room));

	if (is_time)
		record__u64(record, name, words[0]);
	else if (field->format == ADDB_FID)
		add_fid(record, name, words);
	else if (field->format == ADDB_BOOLEAN)
		record__bool(record, name, words[0]);
	else if (field->format == ADDB_OPCODE)
		add_named(record, name, addb_names__find(&addb_opcodes, words[0]), words[0]);
	else if (field->format == ADDB_NAMED || (field->format == ADDB_DECIMAL && field->names))
		add_named(record, name, addb_names__find(field->names, words[0]), words[0]);
	else if (field->format == ADDB_DECIMAL)
		record__i64(record, name, (__s64)words[0]);
	else
		record__hex(record, name, words[0]);
}

static void add_field(struct record *record, const struct addb_identifier *identifier,
		      const struct addb_field *field, const __u64 *words,
		      const struct addb_machine *phases)
{
	switch (field->format) {
	case ADDB_STATE:
		add_state(record, identifier->machine, words);
		return;
	case ADDB_PHASE:
		add_state(record, phases, words);
		return;
	case ADDB_FOM:
		add_fom(record, words);
		return;
	case ADDB_HISTOGRAM:
		add_histogram(record, words);
		return;
	case ADDB_ATTRIBUTE:
		add_attribute(record, words);
		return;
	default:
		add_member(record, field, words);
	}
}

/* Words that nothing is known of, from the first on. */
static void add_words(struct record *record, const struct addb_value *value, unsigned int first)
{
	record__open_array(record, "words");
	for (unsigned int i = first; i < value->n; i++)
		record__hex(record, NULL, value->words[i]);
	record__close_array(record);
}

static const struct addb_field histogram = { .format = ADDB_HISTOGRAM, .words = TM_ADDB_WORDS };

static void add_payload(struct record *record, const struct addb_value *value,
			const struct addb_machine *phases)
{
	const struct addb_identifier *identifier = addb_identifiers__find(value->id);
	unsigned int i, f, n = identifier ? identifier->n_fields : 0;
	const struct addb_field *fields = identifier ? identifier->fields : NULL;
	struct addb_packed packed;

	if (value->id == ADDB_ID_MIO && !addb_packed__read(&packed, value)) {
		add_packed(record, &packed);
		return;
	}
	if (value->id >= ADDB_ID_FOP_FIRST && value->id <= ADDB_ID_FOP_LAST) {
		fields = &histogram;
		n = 1;
	}
	for (i = 0, f = 0; f < n && i + fields[f].words <= value->n; i += fields[f].words, f++)
		add_field(record, identifier, &fields[f], &value->words[i], phases);
	if (i < value->n)
		add_words(record, value, i);
}

static void add_value(struct record *record, const struct addb_value *value,
		      const struct addb_machine *phases)
{
	char name[256];

	record__hex(record, "id", value->id);
	record__string(record, "name", addb_text__name(value->id, name, sizeof(name)));
	record__open(record, "payload");
	add_payload(record, value, phases);
	record__close(record);
}

static void add_job(struct record *record, const struct report_run *run, __u64 job)
{
	const struct job_info *info = names__job(run, job);
	const struct tm_key like = { .job = job };

	record__string(record, "cgroup", names__cgroup(run, job));
	record__cgroup(record, job, job != 0);
	record__string(record, "jobid", names__jobid(run, &like));
	record__string(record, "step", info ? info->step : NULL);
}

void json_addb__add(struct record *record, const struct report_run *run,
		    const struct addb_record *addb, const struct addb_origin *origin)
{
	const struct addb_machine *phases = addb_text__phases(addb);
	const char *role = origin->role < TM_ADDB_ROLES ? roles[origin->role] : NULL;

	record__begin(record, run, "addb", addb->value.time_ns, run->hostname);
	add_job(record, run, origin->job);
	record__number(record, "pid", origin->pid, true);
	record__number(record, "tid", origin->tid, true);
	record__string(record, "source", role ? role : "");
	add_value(record, &addb->value, phases);
	record__open_array(record, "labels");
	for (unsigned int i = 0; i < addb->n_labels; i++) {
		record__open(record, NULL);
		add_value(record, &addb->labels[i], phases);
		record__close(record);
	}
	record__close_array(record);
	record__u64(record, "labels_unreadable", origin->unreadable);
	record__end(record);
}

void json_addb__add_counts(struct record *record, const struct report_run *run,
			   const struct addb_counts *counts)
{
	const struct tm_addb_ledger *kernel = &counts->kernel;

	record__begin(record, run, "addb_count", counts->time_ns, run->hostname);
	record__u64(record, "recorded", kernel->recorded);
	record__u64(record, "unwanted", kernel->unwanted);
	record__u64(record, "unreadable", kernel->unreadable);
	record__u64(record, "full", kernel->full);
	record__u64(record, "busy", kernel->busy);
	record__u64(record, "covered", kernel->covered);
	record__u64(record, "undecided", kernel->undecided);
	record__u64(record, "labels_unreadable", kernel->labels_unreadable);
	record__u64(record, "labels_lost", counts->labels_lost);
	record__u64(record, "pops_misplaced", kernel->misplaced);
	record__u64(record, "written", counts->taken);
	record__u64(record, "filtered", counts->filtered);
	record__u64(record, "unrecorded", counts->large);
	record__bool(record, "final", true);
	record__end(record);
}

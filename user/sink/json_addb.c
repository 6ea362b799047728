// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "addb/histogram.h"
#include "addb/identifiers.h"
#include "addb/packed.h"
#include "addb/text.h"
#include "base/clock.h"
#include "report/names.h"
#include "sink/json_addb.h"
#include "sink/json_value.h"
#include "sink/record_text.h"
#include "tmtrace/number.h"

struct json_addb {
	const struct report_run *run;
	/* Members of all records of a job: "hostname":...,"cgroup":... */
	char *head;
	__u64 job; /* whose head it is */
};

static const char *const roles[TM_ADDB_ROLES] = {
	[TM_ADDB_CONSUME] = "consume",
	[TM_ADDB_ADD] = "add",
};

struct json_addb *json_addb__new(const struct report_run *run)
{
	struct json_addb *addb = calloc(1, sizeof(*addb));

	if (addb)
		addb->run = run;
	return addb;
}

void json_addb__free(struct json_addb *addb)
{
	if (!addb)
		return;
	free(addb->head);
	free(addb);
}

static const char *head_of(struct json_addb *addb, __u64 job)
{
	const struct job_info *info = names__job(addb->run, job);
	const struct tm_key like = { .job = job };
	struct json_object *object;

	if (addb->head && addb->job == job)
		return addb->head;
	object = json_object_new_object();
	if (object) {
		json_value__add_string(object, "hostname", addb->run->hostname);
		json_value__add_string(object, "epoch", addb->run->epoch);
		json_value__add_string(object, "cgroup", names__cgroup(addb->run, job));
		json_value__add_cgroup(object, job, job != 0);
		json_value__add_string(object, "jobid", names__jobid(addb->run, &like));
		json_value__add_string(object, "step", info ? info->step : NULL);
	}
	free(addb->head);
	addb->head = json_value__members(object);
	addb->job = job;
	return addb->head ? addb->head : "\"hostname\":null";
}

static void put_string(FILE *out, const char *text)
{
	char *quoted = json_value__quoted(text);

	fputs(quoted ? quoted : "null", out);
	free(quoted);
}

/* A member's name: as the dump writes the field, in snake_case. Returns the name. */
static void put_name(FILE *out, const struct addb_field *field, const char *suffix)
{
	const char *name = field->name ? field->name : field->label;

	fputc('"', out);
	for (; *name; name++)
		fputc(*name == '-' ? '_' : *name, out);
	fprintf(out, "%s\":", suffix);
}

static void put_named(FILE *out, const char *name, __u64 number)
{
	if (name)
		fprintf(out, "\"%s\"", name);
	else
		fprintf(out, "%lld", (__s64)number);
}

static void put_state_name(FILE *out, const char *member, const struct addb_machine *machine,
			   __u64 state)
{
	fprintf(out, "\"%s\":", member);
	put_named(out, machine ? addb_machine__state(machine, state) : NULL, state);
}

/* words: machine, transition, state; "from" and "cause" where the transition is known. */
static void put_state(FILE *out, const struct addb_machine *machine, const __u64 *words)
{
	const struct addb_transition *transition =
		machine ? addb_machine__transition(machine, words[1]) : NULL;

	fprintf(out, "\"sm_id\":%llu,", words[0]);
	if (transition && transition->to == words[2]) {
		put_state_name(out, "from", machine, transition->from);
		fprintf(out, ",\"cause\":\"%s\",", transition->cause);
	}
	put_state_name(out, "state", machine, words[2]);
}

/* words: type, transitions, phase */
static void put_fom(FILE *out, const __u64 *words)
{
	const struct addb_fom_type *type = addb_fom_types__find(words[0]);

	fputs("\"type\":", out);
	put_named(out, type ? type->phases->name : NULL, words[0]);
	fprintf(out, ",\"transitions\":%lld,", (__s64)words[1]);
	put_state_name(out, "phase", type ? type->phases : NULL, words[2]);
}

static void put_histogram(FILE *out, const __u64 *words)
{
	struct addb_counter counter;
	unsigned int i;

	addb_counter__read(&counter, words);
	fprintf(out,
		"\"count\":%llu,\"min\":%lld,\"max\":%lld,\"mean\":%f,\"variance\":%f,"
		"\"datum\":\"0x%llx\",\"below\":%u,\"buckets\":[",
		counter.n, counter.min, counter.max, counter.mean, counter.variance, counter.datum,
		addb_histogram__bucket(words, 0));
	for (i = 1; i < ADDB_BUCKETS; i++)
		fprintf(out, "%s[%lld,%u]", i > 1 ? "," : "", addb_histogram__edge(words, i),
			addb_histogram__bucket(words, i));
	fputc(']', out);
}

static void put_attribute(FILE *out, const __u64 *words)
{
	const struct addb_names *names = addb_names__of_attribute(words[0]);
	const char *name = addb_names__find(&addb_attributes, words[0]);

	if (name)
		fprintf(out, "\"attribute\":\"%s\",\"value\":", name);
	else
		fprintf(out, "\"attribute\":\"0x%llx\",\"value\":", words[0]);
	put_named(out, names ? addb_names__find(names, words[1]) : NULL, words[1]);
}

static void put_packed(FILE *out, const struct addb_packed *packed)
{
	bool array = packed->type >= ADDB_PACKED_ARRAY_U16;

	if (packed->prefix[0]) {
		fputs("\"prefix\":", out);
		put_string(out, packed->prefix);
		fputc(',', out);
	}
	fputs("\"topic\":", out);
	put_string(out, packed->topic);
	fprintf(out, ",\"value_type\":\"%s\",\"value\":", addb_packed__type(packed->type));
	if (packed->type == ADDB_PACKED_STRING)
		put_string(out, packed->string);
	else if (packed->type == ADDB_PACKED_NONE)
		fputs("null", out);
	if (array)
		fputc('[', out);
	for (unsigned int i = 0; i < packed->n; i++)
		fprintf(out, "%s%llu", i ? "," : "", packed->numbers[i]);
	if (array)
		fputc(']', out);
}

static void put_field(FILE *out, const struct addb_identifier *identifier,
		      const struct addb_field *field, const __u64 *words,
		      const struct addb_machine *phases)
{
	switch (field->format) {
	case ADDB_STATE:
		put_state(out, identifier->machine, words);
		return;
	case ADDB_PHASE:
		put_state(out, phases, words);
		return;
	case ADDB_FOM:
		put_fom(out, words);
		return;
	case ADDB_HISTOGRAM:
		put_histogram(out, words);
		return;
	case ADDB_ATTRIBUTE:
		put_attribute(out, words);
		return;
	case ADDB_CLOCK:
	case ADDB_DURATION:
		put_name(out, field, "_ns");
		fprintf(out, "%llu", words[0]);
		return;
	default:
		break;
	}
	put_name(out, field, "");
	if (field->format == ADDB_FID)
		fprintf(out, "\"%llx:%llx\"", words[0], words[1]);
	else if (field->format == ADDB_BOOLEAN)
		fputs(words[0] ? "true" : "false", out);
	else if (field->format == ADDB_OPCODE)
		put_named(out, addb_names__find(&addb_opcodes, words[0]), words[0]);
	else if (field->format == ADDB_NAMED || (field->format == ADDB_DECIMAL && field->names))
		put_named(out, addb_names__find(field->names, words[0]), words[0]);
	else if (field->format == ADDB_DECIMAL)
		fprintf(out, "%lld", (__s64)words[0]);
	else
		fprintf(out, "\"0x%llx\"", words[0]);
}

/* Words that nothing is known of, from the first on. */
static void put_words(FILE *out, const struct addb_value *value, unsigned int first)
{
	fprintf(out, "%s\"words\":[", first ? "," : "");
	for (unsigned int i = first; i < value->n; i++)
		fprintf(out, "%s\"0x%llx\"", i > first ? "," : "", value->words[i]);
	fputc(']', out);
}

static const struct addb_field histogram = { .format = ADDB_HISTOGRAM, .words = TM_ADDB_WORDS };

static void put_payload(FILE *out, const struct addb_value *value,
			const struct addb_machine *phases)
{
	const struct addb_identifier *identifier = addb_identifiers__find(value->id);
	unsigned int i, f, n = identifier ? identifier->n_fields : 0;
	const struct addb_field *fields = identifier ? identifier->fields : NULL;
	struct addb_packed packed;

	if (value->id == ADDB_ID_MIO && !addb_packed__read(&packed, value)) {
		put_packed(out, &packed);
		return;
	}
	if (value->id >= ADDB_ID_FOP_FIRST && value->id <= ADDB_ID_FOP_LAST) {
		fields = &histogram;
		n = 1;
	}
	for (i = 0, f = 0; f < n && i + fields[f].words <= value->n; i += fields[f].words, f++) {
		if (i)
			fputc(',', out);
		put_field(out, identifier, &fields[f], &value->words[i], phases);
	}
	if (i < value->n)
		put_words(out, value, i);
}

static void put_value(FILE *out, const struct addb_value *value, const struct addb_machine *phases)
{
	char name[256];

	fprintf(out, "\"id\":\"0x%llx\",\"name\":\"%s\",\"payload\":{", value->id,
		addb_text__name(value->id, name, sizeof(name)));
	put_payload(out, value, phases);
	fputc('}', out);
}

void json_addb__put(struct json_addb *addb, FILE *out, const struct addb_record *record,
		    const struct addb_origin *origin)
{
	const struct addb_machine *phases = addb_text__phases(record);
	__u64 ns = record->value.time_ns;
	char date[32];

	fprintf(out, "{\"v\":1,\"type\":\"addb\",\"time\":\"%s.%09lluZ\",\"time_ns\":%llu,%s",
		clock__utc(date, sizeof(date), ns, JSON_DATE), ns % NS_PER_S, ns,
		head_of(addb, origin->job));
	fprintf(out, ",\"pid\":%d,\"tid\":%d,\"source\":\"%s\",", tm_number(origin->pid),
		tm_number(origin->tid),
		origin->role < TM_ADDB_ROLES && roles[origin->role] ? roles[origin->role] : "");
	put_value(out, &record->value, phases);
	fputs(",\"labels\":[", out);
	for (unsigned int i = 0; i < record->n_labels; i++) {
		fputs(i ? ",{" : "{", out);
		put_value(out, &record->labels[i], phases);
		fputc('}', out);
	}
	fprintf(out, "],\"labels_unreadable\":%u}\n", origin->unreadable);
}

void json_addb__put_counts(struct json_addb *addb, FILE *out, const struct addb_counts *counts)
{
	struct json_object *record = json_value__record(addb->run, "addb_count", counts->time_ns);
	const struct tm_addb_ledger *kernel = &counts->kernel;
	char *members;

	if (record) {
		json_value__add_u64(record, "recorded", kernel->recorded);
		json_value__add_u64(record, "unwanted", kernel->unwanted);
		json_value__add_u64(record, "unreadable", kernel->unreadable);
		json_value__add_u64(record, "full", kernel->full);
		json_value__add_u64(record, "busy", kernel->busy);
		json_value__add_u64(record, "covered", kernel->covered);
		json_value__add_u64(record, "undecided", kernel->undecided);
		json_value__add_u64(record, "labels_unreadable", kernel->labels_unreadable);
		json_value__add_u64(record, "labels_lost", counts->labels_lost);
		json_value__add_u64(record, "pops_misplaced", kernel->misplaced);
		json_value__add_u64(record, "written", counts->taken);
		json_value__add_u64(record, "filtered", counts->filtered);
		json_value__add_u64(record, "unrecorded", counts->large);
		json_value__add(record, "final", json_object_new_boolean(true));
	}
	members = json_value__members(record);
	if (members)
		fprintf(out, "{%s}\n", members);
	free(members);
}

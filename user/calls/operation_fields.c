// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "calls/operation_fields.h"

/* What a process counts up from 0 or 1 stays below; pointers to libraries and heaps lie above. */
#define LARGEST (1ULL << 40)

/* A library, in the layer whose operations it has. */
struct library {
	const char *path;
	__u8 layer_id;
	unsigned int tried; /* operations that were looked at */
	__u8 left_out;	    /* 1 << enum tm_field */
};

struct operation_fields {
	const struct catalogue *catalogue;
	const struct probe_table *probes;
	struct note_list *notes;
	struct library *libraries;
	size_t n, room;
};

struct operation_fields *operation_fields__new(const struct catalogue *cat,
					       const struct probe_table *probes,
					       struct note_list *notes)
{
	struct operation_fields *fields = calloc(1, sizeof(*fields));

	if (!fields)
		return NULL;
	fields->catalogue = cat;
	fields->probes = probes;
	fields->notes = notes;
	return fields;
}

void operation_fields__free(struct operation_fields *fields)
{
	if (!fields)
		return;
	free(fields->libraries);
	free(fields);
}

/* NULL without memory. */
static struct library *library_of(struct operation_fields *fields, const struct probe *probe)
{
	struct library *library;

	for (size_t i = 0; i < fields->n; i++) {
		library = &fields->libraries[i];
		if (library->layer_id == probe->layer_id && !strcmp(library->path, probe->library))
			return library;
	}
	if (array__grow((void **)&fields->libraries, &fields->room, fields->n,
			sizeof(*fields->libraries)) < 0)
		return NULL;
	library = &fields->libraries[fields->n++];
	*library = (struct library){ .path = probe->library, .layer_id = probe->layer_id };
	return library;
}

static const struct catalogue_code *code_of(const struct catalogue_operation *operation,
					    const struct tm_operation_record *record)
{
	if (!(record->known >> TM_FIELD_CODE & 1))
		return NULL;
	for (size_t i = 0; i < operation->n_codes; i++)
		if (operation->codes[i].number == record->fields[TM_FIELD_CODE])
			return &operation->codes[i];
	return NULL;
}

/* The fields that cannot be what the catalogue says. */
static __u8 misfits_of(const struct catalogue_operation *operation,
		       const struct tm_operation_record *record)
{
	__u8 misfits = record->misfits;

	for (int i = 0; i < TM_FIELD_OBJECT; i++)
		if (record->known >> i & 1 && record->fields[i] >= LARGEST)
			misfits |= (__u8)(1 << i);
	if (record->known >> TM_FIELD_SM_ID & 1 && !record->fields[TM_FIELD_SM_ID])
		misfits |= 1 << TM_FIELD_SM_ID;
	if (record->known >> TM_FIELD_CODE & 1 && !code_of(operation, record))
		misfits |= 1 << TM_FIELD_CODE;
	return misfits;
}

/* Of all operations of the library, from now on. */
static void leave_out(struct operation_fields *fields, struct library *library, __u8 misfits)
{
	for (int i = 0; i < TM_FIELDS; i++)
		if (misfits >> i & 1 && !(library->left_out >> i & 1))
			note_list__add(fields->notes,
				       "%s: struct field %s of operations does not fit, left out; "
				       "another version of the library? --probes can say where it "
				       "is",
				       path__base_name(library->path), catalogue_field_names[i]);
	library->left_out |= misfits;
}

static void strip(struct tm_operation_record *record, __u8 left_out)
{
	for (int i = 0; i < TM_FIELD_OBJECT; i++)
		if (left_out >> i & 1)
			record->fields[i] = 0;
	record->known &= (__u8)~left_out;
	if (left_out >> TM_FIELD_OBJECT & 1)
		record->call.object_kind = TM_OBJECT_NONE;
}

/* Those that are checked: of some kinds of operations another thing stands where a session is. */
static void choose_checked_fields(const struct catalogue_operation *operation,
				  const struct catalogue_code *code,
				  struct tm_operation_record *record)
{
	if (!operation->n_codes || (code && code->has_session))
		return;
	strip(record, 1 << TM_FIELD_SESSION);
	record->misfits &= (__u8) ~(1 << TM_FIELD_SESSION);
}

/* Its library; NULL: it is not known, or nothing of its operations. */
static struct library *find_library(struct operation_fields *fields,
				    const struct tm_operation_record *record,
				    const struct catalogue_operation **operation)
{
	size_t at = (size_t)TM_PROBE_USER + record->probe;
	const struct probe *probe;

	if (at >= probe_table__n(fields->probes))
		return NULL;
	probe = probe_table__at(fields->probes, at);
	*operation = catalogue__operation(fields->catalogue, probe->spec.role.fields);
	return *operation && probe->library ? library_of(fields, probe) : NULL;
}

const char *operation_fields__check(struct operation_fields *fields,
				    struct tm_operation_record *record)
{
	const struct catalogue_operation *operation = NULL;
	struct library *library = find_library(fields, record, &operation);
	const struct catalogue_code *code = NULL;
	__u8 misfits;

	if (library) {
		strip(record, library->left_out);
		choose_checked_fields(operation, code_of(operation, record), record);
		misfits = misfits_of(operation, record);
		if (library->tried < OPERATION_FIELDS_TRIED) {
			library->tried++;
			leave_out(fields, library, misfits);
		}
		strip(record, misfits);
		code = code_of(operation, record);
	}
	record->misfits = record->is_read = 0;
	return code ? code->name : NULL;
}

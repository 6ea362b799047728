// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addb/filter.h"
#include "addb/identifiers.h"

#define LABELS_MAX 16

struct wanted_label {
	__u64 id, word;
	bool any; /* whatever its word */
};

struct addb_filter {
	struct tm_addb_range ranges[TM_ADDB_RANGES];
	__u32 n_ranges;
	struct wanted_label labels[LABELS_MAX];
	size_t n_labels;
};

static bool read_number(const char *text, __u64 *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return !errno && end != text && !*end && *text >= '0' && *text <= '9';
}

static int read_identifier(const char *text, __u64 *id, struct error *err)
{
	const struct addb_identifier *identifier = addb_identifiers__by_name(text);

	if (identifier) {
		*id = identifier->first;
		return 0;
	}
	if (read_number(text, id) && *id <= TM_ADDB_ID)
		return 0;
	return error__set(err, -EINVAL,
			  "%s: no ADDB2 record is called so: a name as in fom-state, or a number "
			  "as in 0x2006",
			  text);
}

static int add_label(struct addb_filter *filter, char *text, struct error *err)
{
	struct wanted_label *label = &filter->labels[filter->n_labels];
	char *value = strchr(text, '=');

	if (filter->n_labels == LABELS_MAX)
		return error__set(err, -EINVAL, "label:%s: more than %d labels", text, LABELS_MAX);
	if (value)
		*value++ = 0;
	label->any = !value;
	if (value && !read_number(value, &label->word))
		return error__set(err, -EINVAL, "label:%s=%s: not a number, as in 12 or 0xc", text,
				  value);
	filter->n_labels++;
	return read_identifier(text, &label->id, err);
}

static int add_range(struct addb_filter *filter, char *text, struct error *err)
{
	struct tm_addb_range *range = &filter->ranges[filter->n_ranges];
	char *dash = text[0] >= '0' && text[0] <= '9' ? strchr(text, '-') : NULL;
	__u64 first = 0, last;
	int ret;

	if (filter->n_ranges == TM_ADDB_RANGES)
		return error__set(err, -EINVAL, "%s: more than %d identifiers and ranges", text,
				  TM_ADDB_RANGES);
	if (dash)
		*dash++ = 0;
	ret = read_identifier(text, &first, err);
	last = first;
	if (!ret && dash)
		ret = read_identifier(dash, &last, err);
	if (ret)
		return ret;
	if (last < first || last > 0xffffffff)
		return error__set(err, -EINVAL, "%s%s%s: not a range of identifiers", text,
				  dash ? "-" : "", dash ? dash : "");
	*range = (struct tm_addb_range){ .first = (__u32)first, .last = (__u32)last };
	filter->n_ranges++;
	return 0;
}

int addb_filter__parse(struct addb_filter **out, const char *text, struct error *err)
{
	struct addb_filter *filter = calloc(1, sizeof(*filter));
	char *copy = strdup(text ? text : ""), *item, *rest = NULL;
	int ret = 0;

	if (!filter || !copy)
		ret = error__set(err, -ENOMEM, "no memory");
	for (item = filter && copy ? strtok_r(copy, ",", &rest) : NULL; item && !ret;
	     item = strtok_r(NULL, ",", &rest))
		ret = strncmp(item, "label:", 6) ? add_range(filter, item, err)
						 : add_label(filter, item + 6, err);
	free(copy);
	if (ret) {
		addb_filter__free(filter);
		return ret;
	}
	*out = filter;
	return 0;
}

void addb_filter__free(struct addb_filter *filter)
{
	free(filter);
}

void addb_filter__configure(const struct addb_filter *filter, struct tm_addb_config *config)
{
	config->n_ranges = filter->n_ranges;
	memcpy(config->ranges, filter->ranges, sizeof(config->ranges));
}

static bool has_label(const struct addb_record *record, const struct wanted_label *wanted)
{
	const struct addb_value *label;

	for (unsigned int i = 0; i < record->n_labels; i++) {
		label = &record->labels[i];
		if (label->id == wanted->id &&
		    (wanted->any || (label->n && label->words[0] == wanted->word)))
			return true;
	}
	return false;
}

bool addb_filter__wants(const struct addb_filter *filter, const struct addb_record *record)
{
	for (size_t i = 0; i < filter->n_labels; i++)
		if (!has_label(record, &filter->labels[i]))
			return false;
	return true;
}

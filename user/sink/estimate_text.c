// SPDX-License-Identifier: GPL-2.0-only
#include "sink/estimate_text.h"

static void add_figure(struct record_text *record, const char *name, const char *error_name,
		       const struct estimated *figure, bool known)
{
	record_text__measured(record, name, figure->value, known);
	record_text__measured(record, error_name, figure->error, known);
}

void estimate_text__add(struct record_text *record, const struct estimate *estimate, bool sized,
			bool timed)
{
	record_text__fixed(record, "coverage", estimate->coverage, 6);
	if (!estimate->known) {
		record_text__null(record, "estimated");
		return;
	}
	record_text__open(record, "estimated");
	add_figure(record, "count", "count_error", &estimate->count, true);
	add_figure(record, "bytes", "bytes_error", &estimate->bytes, sized);
	add_figure(record, "total_ns", "total_ns_error", &estimate->total_ns, timed);
	record_text__close(record);
}

void estimate_text__add_unknown(struct record_text *record)
{
	record_text__null(record, "coverage");
	record_text__null(record, "estimated");
}

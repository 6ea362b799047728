// SPDX-License-Identifier: GPL-2.0-only
#include "sink/estimate_text.h"

static void add_figure(struct record *record, const char *name, const char *error_name,
		       const struct estimated *figure, bool known)
{
	record__measured(record, name, figure->value, known);
	record__measured(record, error_name, figure->error, known);
}

void estimate_text__add(struct record *record, const struct estimate *estimate, bool sized,
			bool timed)
{
	record__fixed(record, "coverage", estimate->coverage, 6);
	if (!estimate->known) {
		record__null(record, "estimated");
		return;
	}
	record__open(record, "estimated");
	add_figure(record, "count", "count_error", &estimate->count, true);
	add_figure(record, "bytes", "bytes_error", &estimate->bytes, sized);
	add_figure(record, "total_ns", "total_ns_error", &estimate->total_ns, timed);
	record__close(record);
}

void estimate_text__add_unknown(struct record *record)
{
	record__null(record, "coverage");
	record__null(record, "estimated");
}

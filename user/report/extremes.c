// SPDX-License-Identifier: GPL-2.0-only
#include "base/units.h"
#include "report/extremes.h"
#include "report/title.h"

void extremes__print(FILE *out, const struct extremes *extremes)
{
	char most[UNITS_ROOM], median[UNITS_ROOM], least[UNITS_ROOM];

	fprintf(out, "slowest: ");
	title__text(out, extremes->slowest);
	fprintf(out, " with %s", units__time(most, extremes->most_ns));
	if (extremes->sum_ns)
		fprintf(out, ", %.0f %% of all",
			100.0 * (double)extremes->most_ns / (double)extremes->sum_ns);
	fprintf(out, "; median %s; fastest: ", units__time(median, extremes->median_ns));
	title__text(out, extremes->fastest);
	fprintf(out, " with %s\n", units__time(least, extremes->least_ns));
}

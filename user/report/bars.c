// SPDX-License-Identifier: GPL-2.0-only
#include "report/bars.h"

#define LINES_MAX 16 /* with more buckets than that, a line is a power of two */
#define BAR_WIDTH 50

/* The last bucket of the line that a bucket is in. */
static __u32 last_of_line(__u32 bucket, __u32 buckets_per_line)
{
	if (bucket == 0 || buckets_per_line == 1)
		return bucket;
	return (bucket - 1) / buckets_per_line * buckets_per_line + buckets_per_line;
}

/* The sum of a line that begins at bucket *i of the view; moves *i to the next line. */
static __u64 sum_line(const struct histogram *histogram, __u32 *i, __u32 buckets_per_line)
{
	__u32 last = last_of_line(histogram->first + *i, buckets_per_line);
	__u64 sum = 0;

	for (; *i < histogram->n && histogram->first + *i <= last; ++*i)
		sum += histogram->count[*i];
	return sum;
}

size_t bars__lines(struct bar *out, size_t room, const struct histogram *histogram, __u32 per_line)
{
	size_t n = 0;

	for (__u32 i = 0; i < histogram->n; n++) {
		struct bar bar = { .first = histogram->first + i };

		bar.last = last_of_line(bar.first, per_line);
		bar.count = sum_line(histogram, &i, per_line);
		if (n < room)
			out[n] = bar;
	}
	return n;
}

__u32 bars__per_line(const struct histogram *histogram, size_t lines)
{
	__u32 per_line = 1;

	while (lines && bars__lines(NULL, 0, histogram, per_line) > lines && per_line < TM_BUCKETS)
		per_line *= 2;
	return per_line;
}

void bars__print(FILE *out, const char *title, const struct histogram *histogram,
		 const char *(*unit)(char out[UNITS_ROOM], __u64 value))
{
	__u32 per_line = histogram->n > LINES_MAX ? TM_BUCKETS_PER_POWER : 1;
	char edge[UNITS_ROOM], count[UNITS_ROOM];
	struct bar bars[TM_BUCKETS];
	size_t n = bars__lines(bars, TM_BUCKETS, histogram, per_line);
	__u64 most = 0;

	for (size_t i = 0; i < n; i++)
		if (bars[i].count > most)
			most = bars[i].count;
	if (!most)
		return;
	fprintf(out, "\n%s\n%10s %9s\n", title, "up to", "count");
	for (size_t i = 0; i < n; i++) {
		__u64 sum = bars[i].count;
		int length = (int)((double)sum / (double)most * BAR_WIDTH + 0.5);

		if (sum && !length)
			length = 1;
		fprintf(out, "%10s %9s%s%.*s\n", unit(edge, tm_bucket_upper(bars[i].last)),
			units__count(count, sum), length ? " " : "", length,
			"##################################################");
	}
}

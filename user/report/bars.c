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

void bars__print(FILE *out, const char *title, const struct histogram *histogram,
		 const char *(*unit)(char out[UNITS_ROOM], __u64 value))
{
	__u32 per_line = histogram->n > LINES_MAX ? TM_BUCKETS_PER_POWER : 1;
	char edge[UNITS_ROOM], count[UNITS_ROOM];
	__u64 most = 0, sum;

	for (__u32 i = 0; i < histogram->n;) {
		sum = sum_line(histogram, &i, per_line);
		if (sum > most)
			most = sum;
	}
	if (!most)
		return;
	fprintf(out, "\n%s\n%10s %9s\n", title, "up to", "count");
	for (__u32 i = 0; i < histogram->n;) {
		__u32 last = last_of_line(histogram->first + i, per_line);
		int length;

		sum = sum_line(histogram, &i, per_line);
		length = (int)((double)sum / (double)most * BAR_WIDTH + 0.5);
		if (sum && !length)
			length = 1;
		fprintf(out, "%10s %9s%s%.*s\n", unit(edge, tm_bucket_upper(last)),
			units__count(count, sum), length ? " " : "", length,
			"##################################################");
	}
}

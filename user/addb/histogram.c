// SPDX-License-Identifier: GPL-2.0-only
#include "addb/histogram.h"

#define COUNTER_WORDS 6
#define BAR	      60   /* characters: the largest bucket within the range */
#define BAR_MAX	      4000 /* of bucket 0, which the dump scales by the others */

void addb_counter__read(struct addb_counter *counter, const __u64 *words)
{
	double n = (double)words[0];

	*counter = (struct addb_counter){
		.n = words[0],
		.min = (__s64)words[1],
		.max = (__s64)words[2],
		.datum = words[5],
	};
	if ((__s64)words[0] > 0)
		counter->mean = (double)(__s64)words[3] / n;
	if ((__s64)words[0] > 1)
		counter->variance = (double)words[4] / n - counter->mean * counter->mean;
}

__u32 addb_histogram__bucket(const __u64 *words, unsigned int bucket)
{
	__u64 pair = words[COUNTER_WORDS + 2 + bucket / 2];

	return (__u32)(bucket & 1 ? pair >> 32 : pair);
}

__s64 addb_histogram__edge(const __u64 *words, unsigned int bucket)
{
	__s64 min = (__s64)words[COUNTER_WORDS];
	__s64 range = (__s64)(words[COUNTER_WORDS + 1] - words[COUNTER_WORDS]);
	__u64 step = (__u64)(range / (ADDB_BUCKETS - 2));

	return (__s64)((__u64)min + (bucket - 1) * step);
}

int addb_histogram__print_symbol(FILE *out, __u64 distance, __u64 symbol_base)
{
	if (!distance)
		return 0;
	return fprintf(out, " @0x%llx/%llx", symbol_base + distance, distance);
}

static int print_bar(FILE *out, __u32 n, __u32 largest)
{
	static const char bar[] = "************************************************************";
	__u64 length = (__u64)n * BAR / largest;

	if (length > BAR_MAX)
		length = BAR_MAX;
	return fprintf(out, "%*.*s", (int)length, (int)length, bar);
}

int addb_histogram__print(FILE *out, const __u64 *words, __u64 symbol_base, bool flat)
{
	char end = flat ? ' ' : '\n';
	struct addb_counter counter;
	__u32 largest = 1;
	unsigned int i;
	int n;

	addb_counter__read(&counter, words);
	n = fprintf(out, " nr: %lld min: %lld max: %lld avg: %f dev: %f datum: %llx ",
		    (__s64)counter.n, counter.min, counter.max, counter.mean, counter.variance,
		    counter.datum);
	n += addb_histogram__print_symbol(out, counter.datum, symbol_base);
	n += fprintf(out, " %d", (__s32)addb_histogram__bucket(words, 0));
	for (i = 1; i < ADDB_BUCKETS; i++) {
		__u32 bucket = addb_histogram__bucket(words, i);

		n += fprintf(out, " %lld: %d", addb_histogram__edge(words, i), (__s32)bucket);
		largest = bucket > largest ? bucket : largest;
	}
	n += fprintf(out, "%c|           : %9d | ", end, (__s32)addb_histogram__bucket(words, 0));
	n += print_bar(out, addb_histogram__bucket(words, 0), largest);
	for (i = 1; i < ADDB_BUCKETS; i++) {
		n += fprintf(out, "%c| %9lld : %9d | ", end, addb_histogram__edge(words, i),
			     (__s32)addb_histogram__bucket(words, i));
		n += print_bar(out, addb_histogram__bucket(words, i), largest);
	}
	return n;
}

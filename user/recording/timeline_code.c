// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "recording/histogram_code.h"
#include "recording/timeline_code.h"

enum {
	COUNT,
	ERRORS,
	BYTES,
	TIME,
	NUMBERS,
};

static void pack_bin(struct pack *pack, const struct timeline_bin *bin)
{
	const __u64 numbers[NUMBERS] = {
		[COUNT] = bin->count,
		[ERRORS] = bin->errors,
		[BYTES] = bin->bytes,
		[TIME] = bin->time_ns,
	};

	pack__numbers(pack, numbers, NUMBERS);
	histogram_code__pack(pack, &bin->latency);
}

void timeline_code__pack(struct pack *pack, const struct timeline *timeline)
{
	const struct timeline_about about = timeline__about(timeline);
	size_t n = timeline__n(timeline);

	pack__u64(pack, about.job);
	pack__u64(pack, about.layer);
	pack__u64(pack, about.doublings);
	pack__u64(pack, timeline__start_ns(timeline) / timeline__bin_ns(timeline));
	pack__u64(pack, n);
	for (size_t i = 0; i < n; i++)
		pack_bin(pack, timeline__bin(timeline, i));
}

static int unpack_bin(struct timeline *timeline, __u64 time_ns, struct unpack *unpack)
{
	__u64 numbers[NUMBERS] = { 0 }, counts[TM_BUCKETS] = { 0 };
	struct timeline_bin bin;

	unpack__numbers(unpack, numbers, NUMBERS);
	histogram_code__unpack(unpack, counts);
	if (unpack->failed)
		return -EBADMSG;
	bin = (struct timeline_bin){
		.count = numbers[COUNT],
		.errors = numbers[ERRORS],
		.bytes = numbers[BYTES],
		.time_ns = numbers[TIME],
		.latency = histogram__of(counts),
	};
	return timeline__add(timeline, time_ns, &bin);
}

int timeline_code__unpack(struct timeline **out, __u64 number, struct unpack *unpack)
{
	struct timeline_about about = { .number = number };
	struct timeline *timeline;
	__u64 first, n, bin_ns;
	int ret = 0;

	about.job = unpack__u64(unpack);
	about.layer = (__u8)unpack__below(unpack, 1 << 8);
	about.doublings = (unsigned int)unpack__below(unpack, TIMELINE_DOUBLINGS);
	bin_ns = TIMELINE_BIN_NS << about.doublings;
	first = unpack__below(unpack, ~0ULL / bin_ns - TIMELINE_BINS);
	n = unpack__below(unpack, TIMELINE_BINS + 1);
	if (unpack->failed)
		return -EBADMSG;
	timeline = timeline__new(&about);
	if (!timeline)
		return -ENOMEM;
	for (__u64 i = 0; i < n && !ret; i++)
		ret = unpack_bin(timeline, (first + i) * bin_ns, unpack);
	if (ret < 0)
		timeline__free(timeline);
	else
		*out = timeline;
	return ret;
}

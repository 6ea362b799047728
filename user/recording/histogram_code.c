// SPDX-License-Identifier: GPL-2.0-only
#include "recording/histogram_code.h"

/* Of the buckets that are not empty: how many empty ones come before, and the count. */
void histogram_code__pack(struct pack *pack, const struct histogram *histogram)
{
	__u64 n = 0, next = 0;

	for (__u32 i = 0; i < histogram->n; i++)
		n += histogram->count[i] != 0;
	pack__u64(pack, n);
	for (__u32 i = 0; i < histogram->n; i++) {
		if (!histogram->count[i])
			continue;
		pack__u64(pack, histogram->first + i - next);
		pack__u64(pack, histogram->count[i]);
		next = histogram->first + i + 1;
	}
}

void histogram_code__unpack(struct unpack *unpack, __u64 count[TM_BUCKETS])
{
	__u64 n = unpack__below(unpack, TM_BUCKETS + 1), next = 0;

	for (; n && !unpack->failed; n--) {
		next += unpack__below(unpack, TM_BUCKETS - next);
		count[next++] = unpack__u64(unpack);
		if (next == TM_BUCKETS && n > 1)
			unpack->failed = true;
	}
}

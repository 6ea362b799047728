/* SPDX-License-Identifier: GPL-2.0-only */
/* The reads, or the writes, of many files together. Only arithmetic. */
#ifndef USER_OBJECT_ACCESS_SUM_H
#define USER_OBJECT_ACCESS_SUM_H

#include <stdbool.h>

#include "object/object_figures.h"

struct access_sum {
	__u64 count;
	__u64 unsized; /* of these: failed, or of unknown size; they are in no figure below */
	__u64 bytes;
	__u64 sizes[TM_OBJECT_SIZES];
	/* Of those whose file and offset are known, and which of these. */
	__u64 placed, sequential, consecutive;
	/* Sizes that occurred, the most frequent first: at least so often; exactly, if that is so.
	 */
	struct tm_common_size *common;
	size_t n_common;
	bool is_common_exact;
	const struct snapshot_object *slowest; /* where the slowest one was; NULL: there was none */
};

/*
 * Of n objects those that the key is of: job and layer. Both directions: out[TM_DIRECTIONS]. 0 or
 * -ENOMEM; to be freed either way.
 */
int access_sum__of(struct access_sum out[TM_DIRECTIONS],
		   const struct snapshot_object *const *objects, size_t n,
		   const struct tm_object_key *key);
void access_sum__free(struct access_sum sums[TM_DIRECTIONS]);

/* How often a size occurred, as far as it is known. */
__u64 access_sum__times(const struct access_sum *sum, __u64 bytes);

#endif

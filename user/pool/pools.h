/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storage pools that calls have told of (headers/tmtrace/pool.h), and whether that can be: the
 * catalogue's offsets are those of one version of the library. A field that does not fit is left
 * out of all pools of the layer from then on.
 */
#ifndef USER_POOL_POOLS_H
#define USER_POOL_POOLS_H

#include "base/note_list.h"
#include "catalogue/catalogue.h"
#include "pool/pool_info.h"
#include "probe/probe_table.h"
#include "tmtrace/pool.h"

struct pools;

/*
 * map: of the kernel side. All must outlive it; a field that is left out is told in the notes. NULL
 * without memory.
 */
struct pools *pools__new(int map, const struct catalogue *cat, const struct probe_table *probes,
			 struct note_list *notes);
void pools__free(struct pools *pools); /* NULL is fine */

/* Takes over what the kernel side knows by now. */
void pools__read(struct pools *pools);
/* One as the kernel side has it, of however many; what does not fit is left out. */
void pools__take(struct pools *pools, const struct tm_pool_key *key, const struct tm_pool *pool);

/* From 0, in the order in which they were told first; NULL: there are no more. */
const struct pool_info *pools__at(const struct pools *pools, size_t i);

#endif

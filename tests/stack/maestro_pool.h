/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of libmaestro: the pool of this process, and the way of a CDO's bytes through MIO. */
#ifndef STACK_MAESTRO_POOL_H
#define STACK_MAESTRO_POOL_H

#include "maestro.h"
#include "mio.h"

enum { NAME_SIZE = 1024 };

enum cdo_state { CDO_DECLARED, CDO_SEALED, CDO_OFFERED, CDO_REQUIRED, CDO_DEMANDED, CDO_RETURNED };

struct mstro_cdo_ {
	char name[NAME_SIZE];
	enum cdo_state state;
	int64_t size; /* negative: not set */
	void *data;
	bool data_is_ours;
};

#pragma GCC visibility push(hidden)

mstro_status pool_offer(mstro_cdo cdo);
mstro_status pool_withdraw(mstro_cdo cdo);
mstro_status pool_require(const char *name);
mstro_status pool_retract(const char *name);
mstro_status pool_demand(mstro_cdo cdo);

/* Tells the subscriptions. name may be NULL. */
void pool_tell(int kind, const char *name);

#pragma GCC visibility pop

#endif

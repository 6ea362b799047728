// SPDX-License-Identifier: GPL-2.0-only
#include "layers.h"

long layers_upper(const struct layers_work *work)
{
	long x = layers_turn(work->upper);

	return layers_lower(work) < 0 ? -1 : x;
}

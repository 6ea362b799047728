// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "layers.h"

long layers_lower(const struct layers_work *work)
{
	long x = layers_turn(work->lower);

	return pread(work->fd, work->buffer, work->bytes, 0) < 0 ? -1 : x;
}

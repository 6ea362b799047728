/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures of a file or object as bytes. */
#ifndef USER_RECORDING_OBJECT_CODE_H
#define USER_RECORDING_OBJECT_CODE_H

#include <stdbool.h>

#include "base/pack.h"
#include "object/object_figures.h"

void object_code__pack(struct pack *pack, const struct tm_object *object);
/* false: the bytes are of none. */
bool object_code__unpack(struct unpack *unpack, struct tm_object *out);

#endif

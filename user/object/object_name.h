/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files and objects, from what the kernel side notes of them. */
#ifndef USER_OBJECT_OBJECT_NAME_H
#define USER_OBJECT_OBJECT_NAME_H

#include <stdbool.h>
#include <linux/types.h>

#include "tmtrace/object.h"

/* In front of a path whose begin is not known. */
#define OBJECT_NAME_CUT "\u2026"

/*
 * The longest name: all components, with a slash each in place of the NUL, which the last one may
 * not have; the mark before, and a NUL.
 */
#define OBJECT_NAME_ROOM (TM_OBJECT_NAME + 1 + sizeof(OBJECT_NAME_CUT))

/* Puts the path that the kernel side walked up into out; false: there is none. */
bool object_name__path(const struct tm_object_name *name, bool is_cut, char out[OBJECT_NAME_ROOM]);

/* Puts the path, or an object's own name, into out; false: it has none. */
bool object_name__text(const struct tm_object *object, const struct tm_object_name *name,
		       char out[OBJECT_NAME_ROOM]);

/* Room for any id as text. */
#define OBJECT_ID_ROOM 48

/*
 * What an object is known by beside its name: a file's device, inode number and generation; a
 * handle; 128 bits. false: there is nothing.
 */
bool object_name__id(const struct tm_object_key *key, char out[OBJECT_ID_ROOM]);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that must not be longer than a line of syslog may be. */
#ifndef USER_SINK_JSON_CUT_H
#define USER_SINK_JSON_CUT_H

#include <stddef.h>
#include <json-c/json.h>

/*
 * The record as text of at most room bytes, without its histograms. Where it is still longer, its
 * longest strings and arrays are cut, and it says "cut": true. The text belongs to the record,
 * which is changed. NULL without memory, or where nothing is left to cut.
 */
const char *json_cut__text(struct json_object *record, size_t room, size_t *length);

#endif

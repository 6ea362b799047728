/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_EXPORT_EXPORT_PERFETTO_H
#define USER_EXPORT_EXPORT_PERFETTO_H

#include <stdio.h>

#include "inputs/report_parts.h"

/*
 * Writes a trace of Perfetto of all single calls and operations in the recordings. name: what the
 * file is called in errors. 0, or a negative errno: -ENODATA where none were recorded.
 */
int export_perfetto__write(FILE *file, const char *name, const struct report_parts *parts,
			   struct error *err);

#endif

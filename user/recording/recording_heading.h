/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_RECORDING_RECORDING_HEADING_H
#define USER_RECORDING_RECORDING_HEADING_H

#include <stdio.h>

#include "recording/recording_reader.h"

/* Says for people of which run a recording is, and what is missing in it. name: the file. */
void recording_heading__print(FILE *out, const char *name, const struct recording *recording);

#endif

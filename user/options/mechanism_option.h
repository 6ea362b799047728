/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the value of --mechanism. */
#ifndef USER_OPTIONS_MECHANISM_OPTION_H
#define USER_OPTIONS_MECHANISM_OPTION_H

#include "base/error.h"
#include "options/options.h"

/* Takes "LAYER=NAME" over; -EINVAL with the names that are known. */
int mechanism_option__set(struct options *options, const char *text, struct error *err);

#endif

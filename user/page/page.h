/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page of HTML with what a report shows, in one file that loads nothing: its text for who has no
 * scripts, its figures as JSON, and a script that draws them. However large the recordings are, it
 * stays below PAGE_BYTES (room.h).
 */
#ifndef USER_PAGE_PAGE_H
#define USER_PAGE_PAGE_H

#include <stdio.h>

#include "base/error.h"
#include "page/calls.h"
#include "report/combined.h"
#include "report/volumes.h"

struct page_input {
	const struct report_part *whole; /* one of the parts, or the sums of all */
	const struct report_part *parts;
	size_t n; /* parts */
	const struct volumes *volumes;
	struct page_calls calls;
	const char *text; /* that a report prints: lines about each recording and the run first */
};

/* 0, -ENOMEM, or why it cannot be written. */
int page__write(FILE *out, const struct page_input *input, struct error *err);

#endif

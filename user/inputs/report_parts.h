/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens and reads the recordings that a report is made of. */
#ifndef USER_INPUTS_REPORT_PARTS_H
#define USER_INPUTS_REPORT_PARTS_H

#include "recording/recording_reader.h"
#include "report/combined.h"
#include "report/filter.h"
#include "report/slowest.h"
#include "report/volumes.h"

/* A recording that was read. */
struct report_file {
	char *path, *name; /* name: as tables say it */
	struct recording *recording;
	struct snapshot filtered;
	struct rank_sums *ranks;
};

/* at[i] is what is shown of files[i]. All 0: none. */
struct report_parts {
	struct report_file *files;
	struct report_part *at;
	size_t n, room;
};

struct report_input {
	const char *const *files; /* or folders of files */
	size_t n_files;
	const struct filter *filter;
	struct slowest *slowest; /* takes the calls of all; NULL: they are not asked for */
	struct volumes *volumes; /* takes what was read and written when; NULL: the same */
};

/*
 * Reads them all. What is wrong with a file in a folder is told on standard error, and the file
 * left out; 0, or what is wrong with another one, or that none is left. Give it back with
 * report_parts__close() in any case.
 */
int report_parts__open(struct report_parts *parts, const struct report_input *input,
		       struct error *err);
void report_parts__close(struct report_parts *parts);

/* Would writing to the file at path, "-" is none, destroy what is read? */
bool report_parts__are_at(const struct report_parts *parts, const char *path);

#endif

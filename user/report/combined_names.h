/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of several runs, with numbers that are the same for all. */
#ifndef USER_REPORT_COMBINED_NAMES_H
#define USER_REPORT_COMBINED_NAMES_H

#include "report/report_part.h"

struct combined_names;

/* NULL: no memory. The n parts must outlive the names. */
struct combined_names *combined_names__new(const struct report_part *parts, size_t n);
void combined_names__free(struct combined_names *names);

/* The key of a series of one of the parts; 0 or -ENOMEM. */
int combined_names__key(struct combined_names *names, const struct report_part *part,
			const struct tm_series *total, struct tm_key *out);

/* The job and the layer of a part's file or object. 0 or -ENOMEM. */
int combined_names__object(struct combined_names *names, const struct report_part *part,
			   const struct tm_object_key *key, __u64 *job, __u8 *layer);

/* Gives a part's probe the common numbers and names, which live as long as names. 0 or -ENOMEM. */
int combined_names__probe(struct combined_names *names, const struct report_part *part,
			  struct probe *probe);

/* For the run of all; names must outlive it. */
struct report_names combined_names__table(struct combined_names *names);

#endif

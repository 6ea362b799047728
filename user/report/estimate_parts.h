/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of estimate.h share. Internal to them. */
#ifndef USER_REPORT_ESTIMATE_PARTS_H
#define USER_REPORT_ESTIMATE_PARTS_H

#include "report/estimate.h"

/* All that there was, and what of it was missed, by which a figure is estimated. */
struct measure {
	double all, missed;
};

/*
 * What was seen, and as much per unit of the measure of what was missed. spread: the relative error
 * of that. events: how many were seen, which vary by chance, too, where they are few (Poisson).
 */
struct estimated estimate__scale(__u64 seen, struct measure measure, double spread, __u64 events);

/* Rounded; 0 for what is no number of that kind. */
__u64 estimate__to_u64(double value);

#endif

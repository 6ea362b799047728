/* SPDX-License-Identifier: GPL-2.0-only */
/* What tmtrace top shows is made of this, wherever it comes from. */
#ifndef USER_TOP_TOP_SOURCE_H
#define USER_TOP_TOP_SOURCE_H

#include "report/report.h"
#include "top/meter.h"

/* Until the next read. */
struct top_source {
	const struct report_run *run;
	const struct snapshot *snapshot; /* with the one before */
	struct top_cost cost;
	double seconds;	 /* since the read before */
	bool vfs, block; /* are these traced? */
};

#endif

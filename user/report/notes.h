/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must not be hidden, a plain line each: the run's own notes; probes that failed, are degraded
 * or were never hit; calls that were lost; what the method cannot see.
 */
#ifndef USER_REPORT_NOTES_H
#define USER_REPORT_NOTES_H

#include "base/note_list.h"
#include "report/report.h"

/* Adds them to out; snapshot may be NULL: then only the run's own. */
void notes__collect(struct note_list *out, const struct report_run *run,
		    const struct snapshot *snapshot);

#endif

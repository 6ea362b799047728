/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_REPORT_SHARE_H
#define USER_REPORT_SHARE_H

#include "report/report.h"

/*
 * The part of the traced time, from 0 to 1, that the probes on library functions caused; negative
 * where it is not known: nothing was timed, or it was not measured what a probe costs.
 *
 * The traced time is that of the outermost traced calls, as they take with tracing: the time that
 * was measured (the sum of all self_ns), and what their own probes cost before it begins and after
 * it ends. What the probes of the calls inside cost is in it.
 */
double share__of_probes(const struct report_run *run, const struct snapshot *snapshot);

#endif

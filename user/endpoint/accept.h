/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_ENDPOINT_ACCEPT_H
#define USER_ENDPOINT_ACCEPT_H

#include <stdbool.h>

/*
 * Does who sends this header Accept (RFC 9110, 12.5.1) want OpenMetrics 1.0, at least as much as
 * the text format of Prometheus? NULL: there is none, so no. Any bytes are safe.
 */
bool accept__openmetrics(const char *header);

#endif

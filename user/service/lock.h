/* SPDX-License-Identifier: GPL-2.0-only */
/* One service at a time answers at a socket: it holds a lock on a file beside it. */
#ifndef USER_SERVICE_LOCK_H
#define USER_SERVICE_LOCK_H

#include "base/error.h"

/*
 * Takes the lock of a socket's path, whose folder is made where it is missing. The descriptor that
 * holds it until it is closed; -EADDRINUSE: another process has it, which err names; -errno.
 */
int lock__take(const char *socket, struct error *err);

#endif

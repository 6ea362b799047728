/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_BASE_LOCK_SOON_H
#define USER_BASE_LOCK_SOON_H

/*
 * Locks an open file for this process alone (flock(2)). Who has it gets some 0.5 s to let go of it:
 * children of a process that was killed may have it open for a moment. 0; -EWOULDBLOCK: somebody
 * has it; or another negative errno.
 */
int lock_soon(int fd);

#endif

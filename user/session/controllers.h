/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SESSION_CONTROLLERS_H
#define USER_SESSION_CONTROLLERS_H

/*
 * The kernel's number of the first of these cgroup v1 controllers ("cpu,cpuacct"), by which a task
 * finds its cgroup; -ENOENT where it has none of them (named hierarchies have no number).
 */
int controllers__index(const char *controllers);

#endif

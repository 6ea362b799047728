/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_DAEMON_SERVICE_H
#define USER_DAEMON_SERVICE_H

/* tmtrace service: traces the machine until it is told to end. argv[0] is "service"; exit status.
 */
int service__main(int argc, char **argv);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_STATUS_H
#define USER_COMMAND_STATUS_H

/* tmtrace status: how the service fares. argv[0] is "status"; exit status. */
int status__main(int argc, char **argv);

#endif

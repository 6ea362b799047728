/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_SET_H
#define USER_COMMAND_SET_H

/* tmtrace set: how much the service tells from now on. argv[0] is "set"; exit status. */
int set__main(int argc, char **argv);

#endif

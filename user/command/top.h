/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_TOP_H
#define USER_COMMAND_TOP_H

/* tmtrace top; argv[0] is "top". Returns the exit status. */
int top__main(int argc, char **argv);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_DUMP_H
#define USER_COMMAND_DUMP_H

/* tmtrace dump; argv[0] is the program's name. The exit status. */
int dump__main(int argc, char **argv);

#endif

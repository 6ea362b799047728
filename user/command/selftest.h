/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_SELFTEST_H
#define USER_COMMAND_SELFTEST_H

/* tmtrace selftest; argv[0] is the program's name. The exit status. */
int selftest__main(int argc, char **argv);

#endif

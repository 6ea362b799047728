/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_REPORT_H
#define USER_COMMAND_REPORT_H

/* tmtrace report; argv[0] is the program's name. The exit status. */
int report__main(int argc, char **argv);

#endif

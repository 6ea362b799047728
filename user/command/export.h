/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_EXPORT_H
#define USER_COMMAND_EXPORT_H

/* "tmtrace export": the exit status. */
int export__main(int argc, char **argv);

#endif

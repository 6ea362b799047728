/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of tmtrace, each in a file of its name. They return the exit status of the program.
 * argv[0] is the command's name.
 */
#ifndef USER_COMMAND_COMMANDS_H
#define USER_COMMAND_COMMANDS_H

struct options;

int dump__main(int argc, char **argv);	   /* what a recording holds, as records */
int export__main(int argc, char **argv);   /* a recording, for other programs */
int report__main(int argc, char **argv);   /* what recordings tell */
int selftest__main(int argc, char **argv); /* whether tracing does no harm here */
int set__main(int argc, char **argv);	   /* how much the service tells from now on */
int status__main(int argc, char **argv);   /* how the service fares */
int story__main(int argc, char **argv);	   /* single operations of recordings */
int top__main(int argc, char **argv);	   /* what goes on, every second */

/* Which libraries, and with --sites which functions, would be traced. */
int list__run(const struct options *options);
/* Traces as the options say; argv is all of the command line. */
int trace__run(const struct options *options, char **argv);

#endif

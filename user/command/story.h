/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_STORY_H
#define USER_COMMAND_STORY_H

/* "tmtrace story": the exit status. */
int story__main(int argc, char **argv);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a few instructions before a `ret` do to the stack pointer and the result, told before they
 * run: so that a probe in front of them sees what one on the `ret` would. x86-64; for exit_sites.
 */
#ifndef USER_ELF_EXIT_PATH_H
#define USER_ELF_EXIT_PATH_H

#include <stdbool.h>
#include <linux/types.h>

#include "elf/instruction.h"

#define EXIT_PATH_REGISTERS 16

/* More instructions would be time of the call that nobody sees: these take a few nanoseconds. */
#define EXIT_PATH_MAX 16

enum exit_path_kind {
	EXIT_PATH_UNKNOWN,
	EXIT_PATH_REGISTER, /* what a register held before, plus a number, which 0 may be */
	EXIT_PATH_REGISTER_LOW,
	EXIT_PATH_REGISTER_INT,
	EXIT_PATH_CONSTANT,
	EXIT_PATH_MEMORY, /* of the stack: at what a register held before, plus a number */
	EXIT_PATH_MEMORY_LOW,
	EXIT_PATH_MEMORY_INT,
};

/* What a register holds, by what was in the registers before. */
struct exit_path_value {
	__u8 kind;
	__u8 holder; /* a register's number */
	__s64 number;
};

struct exit_path {
	struct exit_path_value registers[EXIT_PATH_REGISTERS];
};

/* Behind the instruction that gets the probe. */
void exit_path__start(struct exit_path *path);

/* May a probe be on it instead? It is emulated, and does nothing but go on or branch. */
bool exit_path__may_begin(const struct instruction *in);

/* One that follows; false: it does more than to restore registers and to place the result. */
bool exit_path__step(struct exit_path *path, const struct instruction *in);

/*
 * At the `ret`: what the program has to know, as tmtrace/exit.h has it; when: as there. false: it
 * is not known where the stack pointer or the result is.
 */
bool exit_path__code(const struct exit_path *path, unsigned int when, __u64 *code);

#endif

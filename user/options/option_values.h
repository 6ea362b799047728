/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tools for parsers of command lines. A wrong value ends the program with EXIT_USAGE and one line
 * that says why.
 */
#ifndef USER_OPTIONS_OPTION_VALUES_H
#define USER_OPTIONS_OPTION_VALUES_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* One line, which says the way out too, and the end. */
_Noreturn void option_values__refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void option_values__no_memory(void);

/* A number of seconds of at least 0.01. */
double option_values__seconds(const char *option, const char *arg);
/* A whole number from least to most. */
long option_values__number(const char *option, const char *arg, long least, long most);
/* A number of bytes of at least so many; K, M, G and T are powers of 1024. */
__u64 option_values__bytes(const char *option, const char *arg, __u64 least);
/* The size of a ring buffer of the kernel: the next power of two, at least a page, at most 1G. */
__u32 option_values__buffer(const char *option, const char *arg);
/* Adds one to a list of pointers: a pointer to its array, which is grown. */
void option_values__add(void *list, size_t *n, const void *item);

/*
 * argp_parse() for a command of that name ("tmtrace list"): what is wrong is told in one line, by
 * getopt. The command's parser calls option_values__silence() at ARGP_KEY_INIT, and so do not those
 * that are children.
 */
void option_values__parse(const struct argp *argp, int argc, char **argv, const char *name,
			  void *input);
void option_values__silence(struct argp_state *state);

#endif

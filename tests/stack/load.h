/* SPDX-License-Identifier: GPL-2.0-only */
/* The load program: one file per kind of situation, one function per subcommand. */
#ifndef STACK_LOAD_H
#define STACK_LOAD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct load {
	const char *program; /* this executable, to be executed again */
	int argc;	     /* the words after the options */
	char **argv;
	int count;   /* 0: the subcommand's own default */
	int threads; /* the same */
	size_t size;
	const char *dir; /* exists */
	const char *truth;
	const char *go;
	const char *how; /* variant of the subcommand */
	const char *library;
	double duration; /* seconds */
	double delay;	 /* seconds */
	size_t extra_length, extra_room;
	char *extra; /* more members of the printed object, each with a comma before it; or NULL */
};

/* 0, or an exit status. */
typedef int (*load_command)(struct load *l);

int load_all(struct load *l);
int load_threads(struct load *l);
int load_fork(struct load *l);
int load_fork_inside(struct load *l);
int load_exec(struct load *l);
int load_dlopen(struct load *l);
int load_wait_then(struct load *l);
int load_inside(struct load *l);
int load_recurse(struct load *l);
int load_longjmp(struct load *l);
int load_exception(struct load *l);
int load_tail(struct load *l);
int load_coroutine(struct load *l);
int load_altstack(struct load *l);
int load_block(struct load *l);
int load_spin(struct load *l);
int load_burst(struct load *l);
int load_files(struct load *l);
int load_aio(struct load *l);
int load_uring(struct load *l);
int load_ops(struct load *l);
int load_story(struct load *l);
int load_redzone(struct load *l);
int load_seccomp(struct load *l);
int load_addb(struct load *l);
int load_cdos(struct load *l);
int load_processors(struct load *l);
int load_truth(struct load *l);

/* Runs a subcommand by its name. */
int load_run(struct load *l, const char *name);

/* Adds to the printed object: ,"name":value as formatted. */
__attribute__((format(printf, 2, 3))) void load_extra(struct load *l, const char *format, ...);

/* Prints what was expected and ends the process when it is false. */
#define CHECK(x_) ((x_) ? (void)0 : load_failed(#x_, __FILE__, __LINE__))
_Noreturn void load_failed(const char *what, const char *file, int line);

int load_count(const struct load *l, int default_count);
uint64_t load_now_ns(void);
void load_sleep(double seconds);

/* Prints the pid on standard error, then waits until the file of --go exists, or for SIGUSR1
 * without it. */
void load_await(const struct load *l);

/* Runs body(arg) in n threads, arg being element i of the array, and waits for them. */
void load_in_threads(int n, void *(*body)(void *), void *args, size_t arg_size);

/* The libraries' rounds: every function, with failures. who tells the threads apart. */
void load_round_sample(const struct load *l, int who);
void load_round_mio(const struct load *l, int who);
void load_round_kvs(int who);
void load_round_mio_helpers(void);
/* Adds "pools", those that MIO knows, to the printed object. */
void load_print_pools(struct load *l);
void load_round_mstro(const struct load *l, int who);
void load_round_m0(const struct load *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which libraries a program will load, worked out in the way of the dynamic loader before the
 * program runs; and which libraries of a kind there are on the machine, for what its children load.
 */
#ifndef USER_ELF_LOADER_H
#define USER_ELF_LOADER_H

#include "base/error.h"
#include "elf/libraries.h"

struct loader;

/* The environment that the program will have; each may be NULL. Copied. */
struct loader_env {
	const char *library_path; /* LD_LIBRARY_PATH */
	const char *preload;	  /* LD_PRELOAD */
	const char *search_path;  /* PATH, for scripts that begin with #!/usr/bin/env NAME */
};

/* Reads the loader's cache, if there is one. 0 and *out (loader__free()), or -ENOMEM. */
int loader__new(struct loader **out, const struct loader_env *env, struct error *err);
void loader__free(struct loader *loader); /* NULL is fine */

/*
 * The program's file (for a script: its interpreter's) first, then the libraries that it loads at
 * start, in the loader's order, ld.so itself among them. Libraries that are not found or are not
 * usable are notes, not errors. 0 and *out (libraries__free()), or for the program itself -ENOENT,
 * -EACCES, -ENOEXEC, -EBADMSG; -ENOMEM.
 */
int loader__closure(struct loader *loader, const char *program, struct libraries **out,
		    struct error *err);

/*
 * Every library whose file name or DT_SONAME matches one of the patterns (fnmatch), in the
 * directories of LD_LIBRARY_PATH, the program's own (RPATH, RUNPATH; program may be NULL), the
 * loader's cache and the default directories. Files whose name tells nothing are looked into for
 * their DT_SONAME only in the first two, and not more than 64 of them: the loader finds libraries
 * by name. 0 and *out (libraries__free()) with at least no entries, or -ENOMEM.
 */
int loader__match(struct loader *loader, const char *program, const char *const *patterns,
		  size_t n_patterns, struct libraries **out, struct error *err);

/*
 * The file that execvp would run for a command's name: search_path is PATH or NULL for the
 * default one. 0 and *out (free()), -ENOENT when there is none, -EACCES when there are only such
 * that cannot be executed, -ENOMEM.
 */
int loader__find_program(const char *name, const char *search_path, char **out, struct error *err);

/* What a script's first lines lead to, and a program itself: *out (free()). Errors as above. */
int loader__find_interpreter(const char *program, const char *search_path, char **out,
			     struct error *err);

#endif

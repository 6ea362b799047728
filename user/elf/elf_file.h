/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file of this machine's architecture, as far as probing needs it: its names, what it
 * needs, and where its functions are in the file. Any input is safe: cut short, corrupt, hostile.
 */
#ifndef USER_ELF_ELF_FILE_H
#define USER_ELF_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/error.h"
#include "base/file_marks.h"

struct elf_file;

struct elf_function {
	const char *name; /* without @VERSION */
	__u64 offset;	  /* in the file: what a uprobe takes */
	__u64 size;	  /* bytes; 0 where the symbol does not say */
	bool exported;	  /* from .dynsym; else only from .symtab */
	bool chosen;	  /* an IFUNC: what is there chooses the function when the file is loaded */
};

/*
 * Opens and reads a file. Errors: -ENOENT, -EACCES, ... from opening; -ENOEXEC for what is not an
 * ELF executable or shared object of this architecture; -EBADMSG for a corrupt one.
 */
int elf_file__open(struct elf_file **out, const char *path, struct error *err);

/*
 * The same from an open file, which stays the caller's and may be closed afterwards; name is what
 * messages call it.
 */
int elf_file__open_fd(struct elf_file **out, int fd, const char *name, struct error *err);

/* Without the functions, which is much faster: enough for what the file is and what it needs. */
int elf_file__open_links(struct elf_file **out, const char *path, struct error *err);
/* The same, and whether it is known to copy code. */
int elf_file__open_copier(struct elf_file **out, const char *path, struct error *err);
/* The same, and which marks it has. */
int elf_file__open_marks(struct elf_file **out, const char *path,
			 const struct file_marks_list *marks, struct error *err);
/* As elf_file__open_fd(), and which marks it has. */
int elf_file__open_library(struct elf_file **out, int fd, const char *name,
			   const struct file_marks_list *marks, struct error *err);
void elf_file__close(struct elf_file *elf); /* NULL is fine */

const char *elf_file__soname(const struct elf_file *elf); /* NULL: it has none */
const char *elf_file__interp(const struct elf_file *elf); /* NULL: not dynamically linked */
const char *elf_file__rpath(const struct elf_file *elf);  /* DT_RPATH or NULL */
const char *elf_file__runpath(const struct elf_file *elf);
size_t elf_file__n_needed(const struct elf_file *elf);
const char *elf_file__needed(const struct elf_file *elf, size_t i);
/* Linked with -z nodefaultlib: the loader does not look in the default directories for it. */
bool elf_file__no_default_libs(const struct elf_file *elf);
/* Which file it was at the time it was read, as stat says. */
dev_t elf_file__dev(const struct elf_file *elf);
ino_t elf_file__ino(const struct elf_file *elf);

/*
 * Functions defined here, sorted by name, one entry for each name and offset: GLOBAL and WEAK
 * FUNC symbols in executable, file-backed segments; no IFUNC (its symbol is the resolver, not the
 * function), no undefined ones. Names that share an offset are aliases, each with its entry.
 */
size_t elf_file__n_functions(const struct elf_file *elf);
/* The IFUNCs stand behind them, in the same order: from n_functions on, so many. */
size_t elf_file__n_chosen(const struct elf_file *elf);
const struct elf_function *elf_file__function(const struct elf_file *elf, size_t i);
/* Is there a function of that name, or an IFUNC? */
bool elf_file__has_function(const struct elf_file *elf, const char *name);
/* How many function symbols had to be left out because they point outside of any segment. */
size_t elf_file__n_rejected(const struct elf_file *elf);
/* Was it made by a Go compiler, whose code moves its stacks? */
bool elf_file__is_go(const struct elf_file *elf);
/* A symbol of copiers.h that it defines; NULL: none, or it was not opened for that. Static. */
const char *elf_file__copier_symbol(const struct elf_file *elf);
/* Does it have those of item i? False also where it was not opened for that. */
bool elf_file__has_marks(const struct elf_file *elf, size_t i);

#endif

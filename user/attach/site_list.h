/* SPDX-License-Identifier: GPL-2.0-only */
/* The places in one file that get a probe: one for each offset, whatever its names. */
#ifndef USER_ATTACH_SITE_LIST_H
#define USER_ATTACH_SITE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "catalogue/catalogue.h"
#include "elf/elf_file.h"
#include "elf/entry_file.h"
#include "elf/exits.h"

struct site {
	const char *symbol; /* of the ELF file, which must outlive the list */
	__u64 offset;	    /* of the function; the probe is entry.moved bytes behind */
	__u64 size;	    /* of the function, the least that its names say; 0: not known */
	struct entry_site entry;
	const char *refused; /* why no probe is tried there; static; NULL: one is */
	__u8 layer;	     /* of the key */
	bool pattern;
	enum exit_class exits;
	bool tail_calls;     /* may end by jumping to another function */
	__u32 own_span;	     /* as in struct tm_probe: by exit_list__find() */
	const char *untimed; /* why its calls are counted only; static; NULL: they are timed */
	struct tm_spec spec;
	int number;	 /* of the probe */
	__u8 generation; /* as the kernel has it */
	int error;	 /* of attaching: negative errno, 0: attached */
};

struct site_list;

int site_list__new(struct site_list **out);
void site_list__free(struct site_list *list);

/*
 * Adds a symbol. Of aliases (one offset, several names) one stays: a name that the catalogue has
 * outright before one found by pattern, else the first. untimed: why its calls are counted only,
 * static; NULL: they are timed where that is possible. 0 or -ENOMEM.
 */
int site_list__add(struct site_list *list, const struct elf_function *symbol,
		   const struct catalogue_function *function, __u8 layer, const char *untimed);

/* The cookie of a site's probe, which has its number. */
__u64 site__cookie(const struct site *site);

/* Where functions are probed. */
struct site_choice {
	bool first;	  /* always on the first instruction */
	bool on_ret;	  /* always on the `ret`, where calls are timed there */
	bool nop5_unsafe; /* not on a nop5 at all */
};

/*
 * Finds out where each function is best probed, and where it cannot be. fd is the file's, name what
 * messages call it. 0, or a negative errno: then all stay, unexamined.
 */
int site_list__find_entries(struct site_list *list, int fd, const char *name,
			    const struct elf_file *elf, const struct site_choice *choice,
			    struct error *err);

size_t site_list__n(const struct site_list *list);
struct site *site_list__at(const struct site_list *list, size_t i);

#endif

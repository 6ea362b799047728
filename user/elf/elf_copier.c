// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "elf/copiers.h"
#include "elf/elf_copier.h"
#include "elf/elf_exports.h"

/* Of .symtab and its strings: larger ones would take a noticeable time. */
#define SYMTAB_MAX (64UL << 20)
static const char *find_exported(const struct elf_image *image, const struct elf_dynamic *dynamic)
{
	struct elf_exports exports;
	const char *name;

	if (!elf_exports__read(&exports, image, dynamic))
		return NULL;
	for (size_t i = 0; (name = copiers__symbol(i)); i++)
		if (elf_exports__has(&exports, name))
			return name;
	return NULL;
}

/* The section of all symbols, of the linker; false: there is none, or it is too large. */
static bool find_section(const struct elf_image *image, GElf_Shdr *symbols, GElf_Shdr *strings)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, symbols) && symbols->sh_type == SHT_SYMTAB)
			break;
	section = section ? elf_getscn(image->elf, symbols->sh_link) : NULL;
	return section && gelf_getshdr(section, strings) && strings->sh_type == SHT_STRTAB &&
	       !((symbols->sh_flags | strings->sh_flags) & SHF_COMPRESSED) &&
	       symbols->sh_size <= SYMTAB_MAX && strings->sh_size <= SYMTAB_MAX;
}

/* Strings are read in pieces: to have all of them at hand costs a page fault for each page. */
#define PIECE 16384
/* More names there are not. */
#define NAMES_MAX 64

/* No name is shorter than the one, or longer than the other, in bytes. */
#define TAIL	  8
#define NAME_ROOM 64

struct known_names {
	const char *names[NAMES_MAX];
	size_t lengths[NAMES_MAX];
	__u64 tails[NAMES_MAX]; /* the last bytes of each */
	size_t n;
};

static __u64 tail_of(const char *end)
{
	__u64 bytes;

	memcpy(&bytes, end - TAIL, TAIL);
	return bytes;
}

static void list_names(struct known_names *known)
{
	const char *name;

	known->n = 0;
	for (size_t i = 0; i < NAMES_MAX && (name = copiers__symbol(i)); i++) {
		known->names[i] = name;
		known->lengths[i] = strlen(name);
		known->tails[i] = tail_of(name + known->lengths[i]);
		known->n++;
	}
}

/* Does what ends there end as one of the names? NAME_ROOM bytes before it can be read. */
static bool is_end_of_name(const struct known_names *known, const char *end)
{
	__u64 tail = tail_of(end);

	for (size_t i = 0; i < known->n; i++)
		if (known->tails[i] == tail &&
		    !memcmp(end - known->lengths[i], known->names[i], known->lengths[i]))
			return true;
	return false;
}

static bool has_any_name(const struct known_names *known, const char *from, const char *end)
{
	bool has = false;

	while (!has && (from = memchr(from, 0, (size_t)(end - from))))
		has = is_end_of_name(known, from++);
	return has;
}

/*
 * May a table of strings have the name of a copier's symbol? Linkers let a name be the end of
 * another one. Most tables do not, and the symbols need not be read.
 */
static bool may_have_name(const struct elf_image *image, const GElf_Shdr *strings)
{
	char piece[NAME_ROOM + PIECE] = { 0 }, *from = piece + NAME_ROOM;
	struct known_names known;

	list_names(&known);
	for (__u64 at = 0; at < strings->sh_size; at += PIECE) {
		__u64 left = strings->sh_size - at;
		ssize_t n = elf_image__read(image, from, left < PIECE ? left : PIECE,
					    strings->sh_offset + at);

		if (n <= 0)
			break;
		if (has_any_name(&known, from, from + n))
			return true;
		if (n == PIECE)
			memcpy(piece, piece + PIECE, NAME_ROOM);
	}
	return false;
}

static const char *find_linked(const struct elf_image *image)
{
	struct elf_strings names;
	GElf_Shdr symbols, strings;
	const char *name, *known = NULL;
	GElf_Sym symbol;
	Elf_Data *data;

	if (!find_section(image, &symbols, &strings) || !may_have_name(image, &strings))
		return NULL;
	data = elf_image__data(image, (struct elf_span){ symbols.sh_offset, symbols.sh_size },
			       ELF_T_SYM);
	if (!data ||
	    elf_image__strings(image, (struct elf_span){ strings.sh_offset, strings.sh_size },
			       &names) < 0)
		return NULL;
	for (int i = 1; !known && gelf_getsym(data, i, &symbol); i++) {
		if (!elf_exports__is_defined((const Elf64_Sym *)&symbol))
			continue;
		name = elf_strings__brief(&names, symbol.st_name, NAME_ROOM);
		known = name ? copiers__find_symbol(name) : NULL;
	}
	return known;
}

const char *elf_copier__find(const struct elf_image *image, const struct elf_dynamic *dynamic)
{
	return find_exported(image, dynamic) ?: find_linked(image);
}

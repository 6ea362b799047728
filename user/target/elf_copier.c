// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "target/copiers.h"
#include "target/elf_copier.h"

/* Of .symtab and its strings: larger ones would take a noticeable time. */
#define SYMTAB_MAX (64UL << 20)
/* In one bucket of a hash table; linkers make a few. */
#define CHAIN_MAX 1024

/* A table of 32-bit words in the file; n 0: it cannot be read. */
struct words {
	const unsigned char *at;
	__u64 n;
};

/* The symbols that a file exports, as far as one can be looked up. */
struct exported {
	const struct elf_image *image;
	__u64 symbols; /* address */
	struct elf_strings strings;
};

static struct words read_words(const struct elf_image *image, __u64 address, __u64 n)
{
	struct elf_span span;
	struct words words = { 0 };
	Elf_Data *data;
	__u64 left;

	if (!n || n > SYMTAB_MAX / sizeof(__u32) ||
	    elf_image__locate(image, address, false, &span.offset, &left) < 0)
		return words;
	span.size = n * sizeof(__u32);
	data = span.size <= left ? elf_image__data(image, span, ELF_T_BYTE) : NULL;
	if (data)
		words = (struct words){ data->d_buf, n };
	return words;
}

/* 0 where there is no such word. */
static __u32 word(const struct words *words, __u64 i)
{
	__u32 value = 0;

	if (i < words->n)
		memcpy(&value, words->at + i * sizeof(value), sizeof(value));
	return value;
}

static bool is_defined(const Elf64_Sym *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) <= STT_FUNC;
}

/* Is number i of the exported symbols this one, and defined? */
static bool is_symbol(const struct exported *exported, __u64 i, const char *name)
{
	struct words words = read_words(exported->image, exported->symbols + i * sizeof(Elf64_Sym),
					sizeof(Elf64_Sym) / sizeof(__u32));
	const char *found;
	Elf64_Sym symbol;

	if (!words.n)
		return false;
	memcpy(&symbol, words.at, sizeof(symbol));
	found = elf_strings__at(&exported->strings, symbol.st_name);
	return found && is_defined(&symbol) && !strcmp(found, name);
}

/* DT_GNU_HASH: a header of four words, a Bloom filter, the buckets, the chains. */
struct gnu_table {
	__u64 address, chains; /* of the table; of its chains */
	__u32 n_buckets, first, n_masks, shift;
	struct words filter, buckets;
};

static bool read_gnu_table(struct gnu_table *table, const struct elf_image *image, __u64 address)
{
	struct words head = read_words(image, address, 4);
	__u64 buckets;

	*table = (struct gnu_table){
		.address = address,
		.n_buckets = word(&head, 0),
		.first = word(&head, 1),
		.n_masks = word(&head, 2),
		.shift = word(&head, 3) & 31,
	};
	if (!table->n_buckets || !table->n_masks)
		return false;
	table->filter = read_words(image, address + 16, (__u64)table->n_masks * 2);
	buckets = address + 16 + (__u64)table->n_masks * 8;
	table->chains = buckets + (__u64)table->n_buckets * 4;
	table->buckets = read_words(image, buckets, table->n_buckets);
	return table->filter.n && table->buckets.n;
}

static __u32 hash_gnu(const char *name)
{
	__u32 hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Two bits of a mask of 64 say that a name is not there. */
static bool passes_filter(const struct gnu_table *table, __u32 hash)
{
	__u64 mask = hash / 64 % table->n_masks;
	__u64 bits = word(&table->filter, mask * 2) | (__u64)word(&table->filter, mask * 2 + 1)
							      << 32;

	return bits >> hash % 64 & bits >> (hash >> table->shift) % 64 & 1;
}

static bool is_in_gnu_table(const struct gnu_table *table, const struct exported *exported,
			    const char *name)
{
	__u32 hash = hash_gnu(name), i, at;

	if (!passes_filter(table, hash))
		return false;
	i = word(&table->buckets, hash % table->n_buckets);
	for (__u32 n = 0; i && i >= table->first && n < CHAIN_MAX; n++, i++) {
		struct words link = read_words(exported->image,
					       table->chains + (__u64)(i - table->first) * 4, 1);

		at = word(&link, 0);
		if (link.n && (at | 1) == (hash | 1) && is_symbol(exported, i, name))
			return true;
		if (!link.n || at & 1)
			break;
	}
	return false;
}

static __u32 hash_system_v(const char *name)
{
	__u32 hash = 0, high;

	for (; *name; name++) {
		hash = (hash << 4) + (unsigned char)*name;
		high = hash & 0xf0000000;
		hash = (hash ^ high >> 24) & ~high;
	}
	return hash;
}

/* DT_HASH: two counts, the buckets, the chains; all have numbers of symbols. */
static bool is_in_hash_table(const struct words *table, const struct exported *exported,
			     const char *name)
{
	__u32 n_buckets = word(table, 0);
	__u32 i = n_buckets ? word(table, 2 + hash_system_v(name) % n_buckets) : 0;

	for (__u32 n = 0; i && n < CHAIN_MAX; n++) {
		if (is_symbol(exported, i, name))
			return true;
		i = word(table, 2 + (__u64)n_buckets + i);
	}
	return false;
}

static const char *find_exported(const struct elf_image *image, const struct elf_dynamic *dynamic)
{
	struct exported exported = { .image = image, .symbols = dynamic->symtab };
	struct gnu_table gnu = { 0 };
	struct words head, table = { 0 };
	bool has_gnu;
	const char *name;

	if (!dynamic->symtab || elf_image__strings(image, dynamic->strings, &exported.strings) < 0)
		return NULL;
	has_gnu = dynamic->gnu_hash && read_gnu_table(&gnu, image, dynamic->gnu_hash);
	if (!has_gnu && dynamic->hash) {
		head = read_words(image, dynamic->hash, 2);
		table = read_words(image, dynamic->hash,
				   2 + (__u64)word(&head, 0) + word(&head, 1));
	}
	for (size_t i = 0; (name = copiers__symbol(i)); i++)
		if (has_gnu ? is_in_gnu_table(&gnu, &exported, name)
			    : table.n && is_in_hash_table(&table, &exported, name))
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
		if (!is_defined((const Elf64_Sym *)&symbol))
			continue;
		name = elf_strings__at(&names, symbol.st_name);
		known = name ? copiers__find_symbol(name) : NULL;
	}
	return known;
}

const char *elf_copier__find(const struct elf_image *image, const struct elf_dynamic *dynamic)
{
	return find_exported(image, dynamic) ?: find_linked(image);
}

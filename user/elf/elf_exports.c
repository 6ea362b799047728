// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "elf/elf_exports.h"

/* Of a table: larger ones would take a noticeable time. */
#define TABLE_MAX (64UL << 20)
/* In one bucket of a hash table; linkers make a few. */
#define CHAIN_MAX 1024

static struct elf_words read_words(const struct elf_image *image, __u64 address, __u64 n)
{
	struct elf_span span;
	struct elf_words words = { 0 };
	Elf_Data *data;
	__u64 left;

	if (!n || n > TABLE_MAX / sizeof(__u32) ||
	    elf_image__locate(image, address, false, &span.offset, &left) < 0)
		return words;
	span.size = n * sizeof(__u32);
	data = span.size <= left ? elf_image__data(image, span, ELF_T_BYTE) : NULL;
	if (data)
		words = (struct elf_words){ data->d_buf, n };
	return words;
}

/* 0 where there is no such word. */
static __u32 word(const struct elf_words *words, __u64 i)
{
	__u32 value = 0;

	if (i < words->n)
		memcpy(&value, words->at + i * sizeof(value), sizeof(value));
	return value;
}

bool elf_exports__is_defined(const Elf64_Sym *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) <= STT_FUNC;
}

/* Is number i of the exported symbols this one, and defined? */
static bool is_symbol(const struct elf_exports *exports, __u64 i, const char *name)
{
	struct elf_words words =
		read_words(exports->image, exports->symbols + i * sizeof(Elf64_Sym),
			   sizeof(Elf64_Sym) / sizeof(__u32));
	Elf64_Sym symbol;

	if (!words.n)
		return false;
	memcpy(&symbol, words.at, sizeof(symbol));
	return elf_exports__is_defined(&symbol) &&
	       elf_strings__is(&exports->strings, symbol.st_name, name);
}

static bool read_gnu_table(struct elf_gnu_table *table, const struct elf_image *image,
			   __u64 address)
{
	struct elf_words head = read_words(image, address, 4);
	__u64 buckets;

	*table = (struct elf_gnu_table){
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
static bool passes_filter(const struct elf_gnu_table *table, __u32 hash)
{
	__u64 mask = hash / 64 % table->n_masks;
	__u64 bits = word(&table->filter, mask * 2) | (__u64)word(&table->filter, mask * 2 + 1)
							      << 32;

	return bits >> hash % 64 & bits >> (hash >> table->shift) % 64 & 1;
}

static bool is_in_gnu_table(const struct elf_gnu_table *table, const struct elf_exports *exports,
			    const char *name)
{
	__u32 hash = hash_gnu(name), i, at;

	if (!passes_filter(table, hash))
		return false;
	i = word(&table->buckets, hash % table->n_buckets);
	for (__u32 n = 0; i && i >= table->first && n < CHAIN_MAX; n++, i++) {
		struct elf_words link = read_words(
			exports->image, table->chains + (__u64)(i - table->first) * 4, 1);

		at = word(&link, 0);
		if (link.n && (at | 1) == (hash | 1) && is_symbol(exports, i, name))
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
static bool is_in_hash_table(const struct elf_words *table, const struct elf_exports *exports,
			     const char *name)
{
	__u32 n_buckets = word(table, 0);
	__u32 i = n_buckets ? word(table, 2 + hash_system_v(name) % n_buckets) : 0;

	for (__u32 n = 0; i && n < CHAIN_MAX; n++) {
		if (is_symbol(exports, i, name))
			return true;
		i = word(table, 2 + (__u64)n_buckets + i);
	}
	return false;
}

bool elf_exports__read(struct elf_exports *exports, const struct elf_image *image,
		       const struct elf_dynamic *dynamic)
{
	struct elf_words head;

	*exports = (struct elf_exports){ .image = image, .symbols = dynamic->symtab };
	if (!dynamic->symtab || elf_image__strings(image, dynamic->strings, &exports->strings) < 0)
		return false;
	exports->has_gnu =
		dynamic->gnu_hash && read_gnu_table(&exports->gnu, image, dynamic->gnu_hash);
	if (exports->has_gnu)
		return true;
	if (!dynamic->hash)
		return false;
	head = read_words(image, dynamic->hash, 2);
	exports->table =
		read_words(image, dynamic->hash, 2 + (__u64)word(&head, 0) + word(&head, 1));
	return exports->table.n;
}

bool elf_exports__has(const struct elf_exports *exports, const char *name)
{
	return exports->has_gnu ? is_in_gnu_table(&exports->gnu, exports, name)
				: is_in_hash_table(&exports->table, exports, name);
}

/* Does it take one of the names from another file? */
static bool imports_any(const struct elf_exports *exports, struct elf_span symbols,
			const struct file_marks *marks)
{
	Elf_Data *data = elf_image__data(exports->image, symbols, ELF_T_SYM);
	GElf_Sym symbol;

	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
		if (symbol.st_shndx != SHN_UNDEF)
			continue;
		for (size_t k = 0; k < marks->n_imports; k++)
			if (elf_strings__is(&exports->strings, symbol.st_name, marks->imports[k]))
				return true;
	}
	return false;
}

static bool exports_all(const struct elf_exports *exports, const struct file_marks *marks)
{
	for (size_t i = 0; i < marks->n_exports; i++)
		if (!elf_exports__has(exports, marks->exports[i]))
			return false;
	return marks->n_exports;
}

static bool has_marks(const struct elf_exports *exports, const struct file_marks *marks)
{
	struct elf_dynamic dynamic;
	struct error ignored;
	bool has = false;

	if (!exports_all(exports, marks))
		return false;
	if (!marks->n_imports)
		return true;
	/* Only here: how many symbols there are takes a walk along the hash table. */
	if (elf_dynamic__read(&dynamic, exports->image, true, &ignored) == 0)
		has = !imports_any(exports, dynamic.symbols, marks);
	elf_dynamic__free(&dynamic);
	return has;
}

__u64 elf_exports__marks(const struct elf_image *image, const struct elf_dynamic *dynamic,
			 const struct file_marks_list *marks)
{
	struct elf_exports exports;
	__u64 found = 0;

	if (!marks || !elf_exports__read(&exports, image, dynamic))
		return 0;
	for (size_t i = 0; i < marks->n && i < FILE_MARKS_MAX; i++)
		if (has_marks(&exports, &marks->items[i]))
			found |= 1ULL << i;
	return found;
}

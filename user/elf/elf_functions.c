// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_functions.h"

/* Symbols that share one endless name would make gigabytes of copies. */
#define NAMES_MAX (256UL << 20)

/* A symbol table in the file with its strings. */
struct table {
	Elf_Data *symbols; /* NULL: there is none */
	struct elf_strings strings;
	bool exported;
};

/* The tables are gone through twice: to count, so that nothing has to move, and to copy. */
struct pass {
	struct elf_functions *to;
	bool copy;
	bool local; /* these, too */
	size_t n;
	size_t bytes;  /* of names */
	size_t looked; /* the same, with those that are rejected */
	size_t rejected;
};

static bool is_function(const GElf_Sym *symbol, bool local)
{
	int bind = GELF_ST_BIND(symbol->st_info), type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       (bind == STB_GLOBAL || bind == STB_WEAK || (local && bind == STB_LOCAL));
}

/* Wholly inside executable bytes of the file? */
static bool locate(const struct elf_image *image, const GElf_Sym *symbol, __u64 *offset)
{
	__u64 left;

	return symbol->st_shndx != SHN_ABS &&
	       elf_image__locate(image, symbol->st_value, true, offset, &left) == 0 &&
	       symbol->st_size <= left;
}

static int visit_table(struct pass *pass, const struct elf_image *image, const struct table *table)
{
	GElf_Sym symbol;

	for (int i = 1; table->symbols && gelf_getsym(table->symbols, i, &symbol); i++) {
		const char *name;
		size_t length;
		__u64 offset;

		if (!is_function(&symbol, pass->local))
			continue;
		name = elf_strings__at(&table->strings, symbol.st_name);
		if (!name)
			return -EBADMSG;
		length = strcspn(name, "@"); /* .symtab has the version in the name */
		pass->looked += strlen(name) + 1;
		if (pass->looked > NAMES_MAX)
			return -EBADMSG;
		if (!locate(image, &symbol, &offset)) {
			pass->rejected++;
			continue;
		}
		if (pass->copy) {
			struct elf_function *function = &pass->to->items[pass->n];

			function->name = pass->to->names + pass->bytes;
			function->offset = offset;
			function->size = symbol.st_size;
			function->exported = table->exported;
			function->chosen = GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
			memcpy(pass->to->names + pass->bytes, name, length);
			pass->to->names[pass->bytes + length] = '\0';
		}
		pass->n++;
		pass->bytes += length + 1;
	}
	return 0;
}

static int compare_functions(const void *left, const void *right)
{
	const struct elf_function *a = left, *b = right;
	int names;

	if (a->chosen != b->chosen)
		return a->chosen - b->chosen;
	names = strcmp(a->name, b->name);
	if (names)
		return names;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* One entry for each name and offset: .symtab repeats what .dynsym has. */
static void sort_and_merge(struct elf_functions *functions)
{
	struct elf_function *items = functions->items;
	size_t kept = 0;

	if (functions->n == 0)
		return;
	qsort(items, functions->n, sizeof(*items), compare_functions);
	for (size_t i = 1; i < functions->n; i++) {
		if (compare_functions(&items[kept], &items[i]) != 0) {
			items[++kept] = items[i];
			continue;
		}
		items[kept].exported |= items[i].exported;
		if (items[i].size > items[kept].size)
			items[kept].size = items[i].size;
	}
	functions->n = kept + 1;
	while (functions->n && items[functions->n - 1].chosen) {
		functions->n--;
		functions->n_chosen++;
	}
}

/* A table and the strings that its sh_link names; -EBADMSG when either cannot be read. */
static int read_section(struct table *table, const struct elf_image *image, const GElf_Shdr *head)
{
	struct elf_span span = { .offset = head->sh_offset, .size = head->sh_size };
	Elf_Scn *section = elf_getscn(image->elf, head->sh_link);
	GElf_Shdr strings;

	if (span.size == 0)
		return 0;
	if (head->sh_entsize != sizeof(Elf64_Sym) || span.size % sizeof(Elf64_Sym) != 0 ||
	    !section || !gelf_getshdr(section, &strings) || strings.sh_type != SHT_STRTAB ||
	    (head->sh_flags | strings.sh_flags) & SHF_COMPRESSED)
		return -EBADMSG;
	table->symbols = elf_image__data(image, span, ELF_T_SYM);
	span = (struct elf_span){ .offset = strings.sh_offset, .size = strings.sh_size };
	return table->symbols ? elf_image__strings(image, span, &table->strings) : -EBADMSG;
}

/* The first .dynsym and the first .symtab; a file has no more than one of each. */
static int read_sections(struct table tables[2], const struct elf_image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	int ret = 0;

	while (!ret && (section = elf_nextscn(image->elf, section))) {
		struct table *table;

		if (!gelf_getshdr(section, &head))
			return -EBADMSG;
		if (head.sh_type != SHT_DYNSYM && head.sh_type != SHT_SYMTAB)
			continue;
		table = &tables[head.sh_type == SHT_SYMTAB];
		if (!table->symbols)
			ret = read_section(table, image, &head);
	}
	return ret;
}

static int read_tables(struct table tables[2], const struct elf_image *image,
		       const struct elf_dynamic *dynamic)
{
	int ret = read_sections(tables, image);

	if (ret || tables[0].symbols || dynamic->symbols.size == 0)
		return ret;
	tables[0].symbols = elf_image__data(image, dynamic->symbols, ELF_T_SYM);
	if (!tables[0].symbols)
		return -EBADMSG;
	return elf_image__strings(image, dynamic->strings, &tables[0].strings);
}

static int copy_functions(struct elf_functions *functions, const struct elf_image *image,
			  const struct table tables[2], bool local)
{
	struct pass count = { .local = local };
	struct pass copy = { .to = functions, .copy = true, .local = local };
	int ret = 0;

	for (int i = 0; !ret && i < 2; i++)
		ret = visit_table(&count, image, &tables[i]);
	if (ret)
		return ret;
	functions->n_rejected = count.rejected;
	functions->items = calloc(count.n + 1, sizeof(*functions->items));
	functions->names = malloc(count.bytes + 1);
	if (!functions->items || !functions->names)
		return -ENOMEM;
	for (int i = 0; !ret && i < 2; i++)
		ret = visit_table(&copy, image, &tables[i]);
	functions->n = copy.n;
	return ret;
}

int elf_functions__read(struct elf_functions *functions, const struct elf_image *image,
			const struct elf_dynamic *dynamic, bool local, struct error *err)
{
	struct table tables[2] = { { .exported = true }, { .exported = false } };
	int ret;

	*functions = (struct elf_functions){ 0 };
	ret = read_tables(tables, image, dynamic);
	if (!ret)
		ret = copy_functions(functions, image, tables, local);
	if (ret == -ENOMEM)
		return error__set(err, ret, "%s: out of memory", image->name);
	if (ret)
		return error__set(err, ret, "%s: corrupt symbol table", image->name);
	sort_and_merge(functions);
	return 0;
}

void elf_functions__free(struct elf_functions *functions)
{
	free(functions->items);
	free(functions->names);
	*functions = (struct elf_functions){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/jump_slots.h"

/* No name that is looked for has more bytes. */
#define LONGEST 256

struct jump_slots {
	struct jump_slot *items; /* by address */
	size_t n, room;
};

/* A table of relocations with the symbols and names that it refers to. */
struct relocations {
	Elf_Data *items, *symbols;
	struct elf_strings names;
};

static int compare_addresses(const void *left, const void *right)
{
	const struct jump_slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Functions after whose call a compiler puts no code: it knows them by their declarations. */
static bool never_returns(const char *name)
{
	static const char *const names[] = {
		"__stack_chk_fail",
		"abort",
		"exit",
		"_exit",
		"_Exit",
		"quick_exit",
		"__assert_fail",
		"__assert_perror_fail",
		"__chk_fail",
		"__fortify_fail",
		"longjmp",
		"_longjmp",
		"siglongjmp",
		"__longjmp_chk",
		"pthread_exit",
		"_Unwind_Resume",
		"__cxa_throw",
		"__cxa_rethrow",
		"_ZSt9terminatev",
		"__cxa_bad_cast",
		"err",
		"errx",
		"verr",
		"verrx",
		"thrd_exit",
		"__cxa_throw_bad_array_new_length",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static Elf_Data *section_data(const struct elf_image *image, Elf_Scn *section, Elf_Type type,
			      GElf_Shdr *head)
{
	if (!section || !gelf_getshdr(section, head) || head->sh_type == SHT_NOBITS)
		return NULL;
	return elf_image__data(
		image, (struct elf_span){ .offset = head->sh_offset, .size = head->sh_size }, type);
}

/* Is this section a table of relocations of the dynamic loader? */
static bool open_relocations(struct relocations *table, const struct elf_image *image,
			     Elf_Scn *section)
{
	GElf_Shdr head;
	Elf_Data *names;

	if (!gelf_getshdr(section, &head) || head.sh_type != SHT_RELA || !head.sh_link)
		return false;
	table->items = section_data(image, section, ELF_T_RELA, &head);
	table->symbols =
		section_data(image, elf_getscn(image->elf, head.sh_link), ELF_T_SYM, &head);
	if (!table->items || !table->symbols || head.sh_type != SHT_DYNSYM)
		return false;
	names = section_data(image, elf_getscn(image->elf, head.sh_link), ELF_T_BYTE, &head);
	if (!names)
		return false;
	table->names = (struct elf_strings){ .bytes = names->d_buf, .size = names->d_size };
	return true;
}

static int add_slot(struct jump_slots *slots, const struct elf_image *image,
		    const struct relocations *table, const GElf_Rela *item)
{
	struct jump_slot slot = { .address = item->r_offset };
	const char *name;
	GElf_Sym symbol;

	if ((GELF_R_TYPE(item->r_info) != R_X86_64_JUMP_SLOT &&
	     GELF_R_TYPE(item->r_info) != R_X86_64_GLOB_DAT) ||
	    !gelf_getsym(table->symbols, (int)GELF_R_SYM(item->r_info), &symbol))
		return 0;
	name = elf_strings__brief(&table->names, symbol.st_name, LONGEST);
	slot.never_returns = name && never_returns(name);
	if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
	    elf_image__locate(image, symbol.st_value, true, &slot.offset, NULL) < 0)
		slot.offset = 0;
	if (array__grow((void **)&slots->items, &slots->room, slots->n, sizeof(slot)) < 0)
		return -ENOMEM;
	slots->items[slots->n++] = slot;
	return 0;
}

int jump_slots__read(struct jump_slots **out, const struct elf_image *image)
{
	struct jump_slots *slots = calloc(1, sizeof(*slots));
	struct relocations table;
	Elf_Scn *section = NULL;
	GElf_Rela item;
	int ret = slots ? 0 : -ENOMEM;

	while (!ret && (section = elf_nextscn(image->elf, section))) {
		if (!open_relocations(&table, image, section))
			continue;
		for (int i = 0; !ret && gelf_getrela(table.items, i, &item); i++)
			ret = add_slot(slots, image, &table, &item);
	}
	if (ret < 0) {
		jump_slots__free(slots);
		return ret;
	}
	if (slots->n)
		qsort(slots->items, slots->n, sizeof(*slots->items), compare_addresses);
	*out = slots;
	return 0;
}

void jump_slots__free(struct jump_slots *slots)
{
	if (!slots)
		return;
	free(slots->items);
	free(slots);
}

const struct jump_slot *jump_slots__find(const struct jump_slots *slots, __u64 address)
{
	struct jump_slot key = { .address = address };

	return slots->n ? bsearch(&key, slots->items, slots->n, sizeof(key), compare_addresses)
			: NULL;
}

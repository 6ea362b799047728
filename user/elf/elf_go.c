// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "elf/elf_go.h"

/* gc's: build information, build id, line table; gccgo's: export data. */
static const char *const sections[] = {
	".go.buildinfo",
	".note.go.buildid",
	".gopclntab",
	".go_export",
};

static bool is_go_section(const char *name)
{
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (!strcmp(sections[i], name))
			return true;
	return false;
}

static bool has_go_section(const struct elf_image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	size_t names;

	if (elf_getshdrstrndx(image->elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(image->elf, section))) {
		const char *name = NULL;

		if (gelf_getshdr(section, &head))
			name = elf_strptr(image->elf, names, head.sh_name);
		if (name && is_go_section(name))
			return true;
	}
	return false;
}

/* A note of the owner "Go": the build id. */
static bool is_go_note(const struct elf_image *image, const GElf_Phdr *head)
{
	struct elf_span span = { .offset = head->p_offset, .size = head->p_filesz };
	Elf_Data *data = elf_image__data(image, span, ELF_T_NHDR);
	size_t at = 0, name, content;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0)
		if (note.n_namesz == sizeof("Go\0") &&
		    !memcmp((const char *)data->d_buf + name, "Go\0", sizeof("Go\0")))
			return true;
	return false;
}

bool elf_go__made(const struct elf_image *image)
{
	GElf_Phdr head;
	size_t n = 0;

	if (has_go_section(image))
		return true;
	elf_getphdrnum(image->elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(image->elf, (int)i, &head) && head.p_type == PT_NOTE &&
		    is_go_note(image, &head))
			return true;
	return false;
}

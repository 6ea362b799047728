// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_image.h"

/* Larger symbol and string tables than any linker makes; a sparse file could claim terabytes. */
#define DATA_MAX     (512UL << 20)
#define SECTIONS_MAX (1UL << 18)
#define SEGMENTS_MAX 256 /* each symbol is looked up in all of them */
#define PAGE	     4096UL
#define STRING_MAX   (1UL << 20)

static bool inside(__u64 file_size, __u64 offset, __u64 size)
{
	return offset <= file_size && size <= file_size - offset;
}

/* As many bytes as there are, up to n; negative errno on failure. */
static ssize_t read_at(int fd, void *to, size_t n, __u64 offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, (char *)to + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static const char *type_name(unsigned int type)
{
	switch (type) {
	case ET_REL:
		return "an object file, not linked";
	case ET_CORE:
		return "a core dump";
	default:
		return "an ELF file of unknown type";
	}
}

/* Is it ELF, and of the kind that this machine maps? */
static int check_kind(const struct elf_image *image, const Elf64_Ehdr *head, ssize_t n,
		      struct error *err)
{
	const unsigned char *ident = head->e_ident;

	if (n < SELFMAG || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return error__set(err, -ENOEXEC, "%s: not an ELF file", image->name);
	if (n < (ssize_t)sizeof(*head))
		return error__set(err, -EBADMSG, "%s: cut short in its ELF header", image->name);
	if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_machine != EM_X86_64)
		return error__set(err, -ENOEXEC,
				  "%s: for another machine (ELF class %u, byte order %u, machine "
				  "%u), not for x86-64",
				  image->name, ident[EI_CLASS], ident[EI_DATA], head->e_machine);
	if (head->e_type != ET_EXEC && head->e_type != ET_DYN)
		return error__set(err, -ENOEXEC, "%s: %s, not an executable or shared object",
				  image->name, type_name(head->e_type));
	return 0;
}

/* Before libelf sees them: do the header tables lie in the file, and are they sane in size? */
static int check_tables(const struct elf_image *image, int fd, const Elf64_Ehdr *head,
			struct error *err)
{
	__u64 n_sections = head->e_shnum;
	Elf64_Shdr first;

	if (head->e_phnum == 0 || head->e_phnum == PN_XNUM ||
	    head->e_phentsize != sizeof(Elf64_Phdr))
		return error__set(err, -EBADMSG, "%s: corrupt: no usable program headers",
				  image->name);
	if (!inside(image->file_size, head->e_phoff, head->e_phnum * sizeof(Elf64_Phdr)))
		return error__set(err, -EBADMSG, "%s: cut short in its program headers",
				  image->name);
	if (head->e_shoff == 0)
		return 0; /* section headers stripped away: the segments must do */
	if (head->e_shentsize != sizeof(Elf64_Shdr))
		return error__set(err, -EBADMSG, "%s: corrupt: section headers of %u bytes",
				  image->name, head->e_shentsize);
	if (n_sections == 0) {
		if (read_at(fd, &first, sizeof(first), head->e_shoff) != sizeof(first))
			return error__set(err, -EBADMSG, "%s: cut short in its section headers",
					  image->name);
		n_sections = first.sh_size;
	}
	if (n_sections > SECTIONS_MAX)
		return error__set(err, -EBADMSG, "%s: corrupt: %llu sections", image->name,
				  n_sections);
	if (!inside(image->file_size, head->e_shoff, n_sections * sizeof(Elf64_Shdr)))
		return error__set(err, -EBADMSG, "%s: cut short in its section headers",
				  image->name);
	return 0;
}

/* A segment that the kernel would not map, or that is not all there, is no place for a probe. */
static int add_segment(struct elf_image *image, const GElf_Phdr *head, struct error *err)
{
	struct elf_segment *segment = &image->segments[image->n_segments];

	if (image->n_segments == SEGMENTS_MAX)
		return error__set(err, -EBADMSG, "%s: corrupt: more than %d segments", image->name,
				  SEGMENTS_MAX);
	if (head->p_filesz > head->p_memsz || head->p_memsz > ~0ULL - head->p_vaddr)
		return error__set(err, -EBADMSG, "%s: corrupt: a segment of impossible size",
				  image->name);
	if (!inside(image->file_size, head->p_offset, head->p_filesz))
		return error__set(err, -EBADMSG,
				  "%s: cut short: a segment ends beyond the end of the file",
				  image->name);
	if (head->p_filesz && (head->p_vaddr - head->p_offset) % PAGE != 0)
		return error__set(err, -EBADMSG, "%s: corrupt: a segment that cannot be mapped",
				  image->name);
	segment->vaddr = head->p_vaddr;
	segment->offset = head->p_offset;
	segment->filesz = head->p_filesz;
	segment->memsz = head->p_memsz;
	segment->exec = head->p_flags & PF_X;
	segment->write = head->p_flags & PF_W;
	image->n_segments++;
	return 0;
}

static int read_segments(struct elf_image *image, struct error *err)
{
	GElf_Phdr head;
	size_t n;
	int ret;

	if (elf_getphdrnum(image->elf, &n) < 0 || n == 0 || n >= PN_XNUM)
		return error__set(err, -EBADMSG, "%s: corrupt: no usable program headers",
				  image->name);
	image->segments = calloc(SEGMENTS_MAX, sizeof(*image->segments));
	if (!image->segments)
		return error__set(err, -ENOMEM, "%s: out of memory", image->name);
	for (size_t i = 0; i < n; i++) {
		struct elf_span span;

		if (!gelf_getphdr(image->elf, (int)i, &head))
			return error__set(err, -EBADMSG, "%s: corrupt program headers (%s)",
					  image->name, elf_errmsg(-1));
		span = (struct elf_span){ .offset = head.p_offset, .size = head.p_filesz };
		if (head.p_type == PT_INTERP) {
			image->interp = span;
		} else if (head.p_type == PT_DYNAMIC) {
			image->dynamic = span;
		} else if (head.p_type == PT_GNU_EH_FRAME) {
			image->unwind = span;
		} else if (head.p_type == PT_GNU_RELRO) {
			if (head.p_memsz <= ~0ULL - head.p_vaddr)
				image->relro = (struct elf_range){ head.p_vaddr,
								   head.p_vaddr + head.p_memsz };
		} else if (head.p_type == PT_LOAD) {
			ret = add_segment(image, &head, err);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int elf_image__open_file(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return error__set(err, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return error__set(err, -ENOEXEC, "%s: not a regular file", path);
}

int elf_image__open(struct elf_image *image, int fd, const char *name, struct error *err)
{
	Elf64_Ehdr head = { 0 };
	struct stat st;
	ssize_t n;
	int ret;

	*image = (struct elf_image){ .name = name };
	if (fstat(fd, &st) < 0)
		return error__set(err, -errno, "%s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error__set(err, -ENOEXEC, "%s: %s, not an ELF file", name,
				  S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	image->file_size = (__u64)st.st_size;
	n = read_at(fd, &head, sizeof(head), 0);
	if (n < 0)
		return error__set(err, (int)n, "%s: cannot be read: %s", name, strerror((int)-n));
	ret = check_kind(image, &head, n, err);
	if (!ret)
		ret = check_tables(image, fd, &head, err);
	if (ret)
		return ret;
	/* Read, not mapped: a file cut short while mapped would kill the tracer with SIGBUS. */
	elf_version(EV_CURRENT);
	image->fd = fd;
	image->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
		return error__set(err, -EBADMSG, "%s: corrupt ELF file (%s)", name, elf_errmsg(-1));
	return read_segments(image, err);
}

void elf_image__close(struct elf_image *image)
{
	free(image->segments);
	if (image->elf)
		elf_end(image->elf);
	*image = (struct elf_image){ 0 };
}

ssize_t elf_image__read(const struct elf_image *image, void *to, size_t n, __u64 offset)
{
	return read_at(image->fd, to, n, offset);
}

Elf_Data *elf_image__data(const struct elf_image *image, struct elf_span span, Elf_Type type)
{
	Elf_Data *data;

	if (span.size == 0 || span.size > DATA_MAX ||
	    !inside(image->file_size, span.offset, span.size))
		return NULL;
	data = elf_getdata_rawchunk(image->elf, (int64_t)span.offset, span.size, type);
	return data && data->d_buf && data->d_size == span.size ? data : NULL;
}

int elf_image__strings(const struct elf_image *image, struct elf_span span,
		       struct elf_strings *strings)
{
	Elf_Data *data = elf_image__data(image, span, ELF_T_BYTE);

	if (!data)
		return -EBADMSG;
	strings->bytes = data->d_buf;
	strings->size = data->d_size;
	return 0;
}

const char *elf_strings__brief(const struct elf_strings *strings, __u64 offset, size_t max)
{
	size_t left = offset < strings->size ? strings->size - offset : 0;

	if (!left || !memchr(strings->bytes + offset, 0, left <= max ? left : max + 1))
		return NULL;
	return strings->bytes + offset;
}

const char *elf_strings__at(const struct elf_strings *strings, __u64 offset)
{
	return elf_strings__brief(strings, offset, STRING_MAX);
}

bool elf_strings__is(const struct elf_strings *strings, __u64 offset, const char *text)
{
	size_t n = strlen(text) + 1;

	return offset < strings->size && n <= strings->size - offset &&
	       !memcmp(strings->bytes + offset, text, n);
}

bool elf_image__is_constant(const struct elf_image *image, const struct elf_range *range)
{
	bool found = false;

	for (size_t i = 0; i < image->n_segments; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (range->end <= segment->vaddr || range->start >= segment->vaddr + segment->memsz)
			continue;
		if (segment->write || found || range->start < segment->vaddr ||
		    range->end - segment->vaddr > segment->filesz)
			return false;
		found = true;
	}
	return found;
}

int elf_image__locate(const struct elf_image *image, __u64 vaddr, bool exec, __u64 *offset,
		      __u64 *left)
{
	const struct elf_segment *in = NULL;

	for (size_t i = 0; i < image->n_segments; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (vaddr < segment->vaddr || vaddr - segment->vaddr >= segment->memsz)
			continue;
		if (in)
			return -ENOENT;
		in = segment;
	}
	if (!in || (exec && !in->exec) || vaddr - in->vaddr >= in->filesz)
		return -ENOENT;
	*offset = in->offset + (vaddr - in->vaddr);
	if (left)
		*left = in->filesz - (vaddr - in->vaddr);
	return 0;
}

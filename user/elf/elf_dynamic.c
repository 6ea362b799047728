// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/elf_dynamic.h"

/* The words of a hash table that can be looked at: up to the end of its segment. */
struct words {
	const unsigned char *bytes;
	__u64 n;
};

static __u32 word(const struct words *words, __u64 i)
{
	__u32 value;

	memcpy(&value, words->bytes + i * sizeof(value), sizeof(value));
	return value;
}

/* The tags that are looked up by value, as they stand in the file. */
struct tags {
	__u64 strtab, strsz, symtab, hash, gnu_hash;
	__u64 soname, rpath, runpath;
	bool has_soname, has_rpath, has_runpath;
	__u64 *needed;
	size_t n_needed;
	size_t room;
	bool no_default_libs;
};

static int take_tag(struct tags *tags, const GElf_Dyn *dyn)
{
	__u64 value = dyn->d_un.d_val;

	switch (dyn->d_tag) {
	case DT_STRTAB:
		tags->strtab = value;
		break;
	case DT_STRSZ:
		tags->strsz = value;
		break;
	case DT_SYMTAB:
		tags->symtab = value;
		break;
	case DT_HASH:
		tags->hash = value;
		break;
	case DT_GNU_HASH:
		tags->gnu_hash = value;
		break;
	case DT_SONAME:
		tags->soname = value;
		tags->has_soname = true;
		break;
	case DT_RPATH:
		tags->rpath = value;
		tags->has_rpath = true;
		break;
	case DT_RUNPATH:
		tags->runpath = value;
		tags->has_runpath = true;
		break;
	case DT_FLAGS_1:
		tags->no_default_libs = value & DF_1_NODEFLIB;
		break;
	case DT_NEEDED:
		if (array__grow((void **)&tags->needed, &tags->room, tags->n_needed,
				sizeof(*tags->needed)) < 0)
			return -ENOMEM;
		tags->needed[tags->n_needed++] = value;
		break;
	default:
		break;
	}
	return 0;
}

static int read_tags(struct tags *tags, const struct elf_image *image)
{
	Elf_Data *data = elf_image__data(image, image->dynamic, ELF_T_DYN);
	GElf_Dyn dyn;

	if (!data)
		return -EBADMSG;
	for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (take_tag(tags, &dyn) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Of one string; many files can be named, and lists of folders are long. */
#define TEXT_MAX   65536
#define NEEDED_MAX 4096

/* One string of the dynamic segment; false: it is said to be there and cannot be read. */
static bool take_string(const struct elf_strings *strings, bool has, __u64 offset, const char **out)
{
	if (!has)
		return true;
	*out = elf_strings__brief(strings, offset, TEXT_MAX);
	return *out != NULL;
}

static int take_strings(struct elf_dynamic *dynamic, const struct tags *tags,
			const struct elf_strings *strings)
{
	if (!take_string(strings, tags->has_soname, tags->soname, &dynamic->soname) ||
	    !take_string(strings, tags->has_rpath, tags->rpath, &dynamic->rpath) ||
	    !take_string(strings, tags->has_runpath, tags->runpath, &dynamic->runpath))
		return -EBADMSG;
	if (tags->n_needed == 0)
		return 0;
	if (tags->n_needed > NEEDED_MAX)
		return -EBADMSG;
	dynamic->needed = calloc(tags->n_needed, sizeof(*dynamic->needed));
	if (!dynamic->needed)
		return -ENOMEM;
	for (size_t i = 0; i < tags->n_needed; i++) {
		dynamic->needed[i] = elf_strings__brief(strings, tags->needed[i], PATH_MAX);
		if (!dynamic->needed[i])
			return -EBADMSG;
		dynamic->n_needed++;
	}
	return 0;
}

static int read_words(struct words *words, const struct elf_image *image, __u64 vaddr)
{
	struct elf_span span;
	Elf_Data *data;

	if (elf_image__locate(image, vaddr, false, &span.offset, &span.size) < 0)
		return -EBADMSG;
	data = elf_image__data(image, span, ELF_T_BYTE);
	if (!data)
		return -EBADMSG;
	words->bytes = data->d_buf;
	words->n = data->d_size / sizeof(__u32);
	return 0;
}

/* DT_HASH says it outright: there are as many chain words as symbols. */
static __u64 count_by_hash(const struct words *words)
{
	return words->n >= 2 ? word(words, 1) : 0;
}

/*
 * DT_GNU_HASH: buckets hold the first symbol of each chain; the chain with the highest one ends
 * with the last symbol, marked by the lowest bit.
 */
static __u64 count_by_gnu_hash(const struct words *words)
{
	__u64 n_buckets, first, buckets, chains, last = 0;

	if (words->n < 4)
		return 0;
	n_buckets = word(words, 0);
	first = word(words, 1);
	buckets = 4 + (__u64)word(words, 2) * 2; /* after the Bloom filter's 64-bit words */
	chains = buckets + n_buckets;
	if (chains > words->n)
		return 0;
	for (__u64 i = buckets; i < chains; i++) {
		if (word(words, i) > last)
			last = word(words, i);
	}
	if (last < first)
		return first;
	while (chains + (last - first) < words->n && !(word(words, chains + (last - first)) & 1))
		last++;
	return last + 1;
}

/* Where the symbols are and how many; none where the hash table cannot be followed. */
static void find_symbols(struct elf_dynamic *dynamic, const struct elf_image *image,
			 const struct tags *tags)
{
	__u64 n = 0, offset, left;
	struct words words;

	if (!tags->symtab || elf_image__locate(image, tags->symtab, false, &offset, &left) < 0)
		return;
	if (tags->hash && read_words(&words, image, tags->hash) == 0)
		n = count_by_hash(&words);
	else if (tags->gnu_hash && read_words(&words, image, tags->gnu_hash) == 0)
		n = count_by_gnu_hash(&words);
	if (n > left / sizeof(Elf64_Sym))
		n = left / sizeof(Elf64_Sym);
	dynamic->symbols.offset = offset;
	dynamic->symbols.size = n * sizeof(Elf64_Sym);
}

int elf_dynamic__read(struct elf_dynamic *dynamic, const struct elf_image *image, bool with_symbols,
		      struct error *err)
{
	struct elf_strings strings = { 0 };
	struct tags tags = { 0 };
	__u64 left;
	int ret;

	*dynamic = (struct elf_dynamic){ 0 };
	if (image->dynamic.size == 0)
		return 0;
	ret = read_tags(&tags, image);
	if (!ret && tags.strtab) {
		dynamic->strings.size = tags.strsz;
		ret = elf_image__locate(image, tags.strtab, false, &dynamic->strings.offset, &left);
		if (ret || tags.strsz > left)
			ret = -EBADMSG;
		else
			ret = elf_image__strings(image, dynamic->strings, &strings);
	}
	if (!ret)
		ret = take_strings(dynamic, &tags, &strings);
	if (!ret) {
		dynamic->no_default_libs = tags.no_default_libs;
		dynamic->symtab = tags.symtab;
		dynamic->gnu_hash = tags.gnu_hash;
		dynamic->hash = tags.hash;
		if (with_symbols)
			find_symbols(dynamic, image, &tags);
	}
	free(tags.needed);
	if (ret == -ENOMEM)
		return error__set(err, ret, "%s: out of memory", image->name);
	if (ret)
		return error__set(err, ret, "%s: corrupt dynamic segment", image->name);
	return 0;
}

void elf_dynamic__free(struct elf_dynamic *dynamic)
{
	free(dynamic->needed);
	*dynamic = (struct elf_dynamic){ 0 };
}

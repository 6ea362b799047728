/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Those types of the running kernel that a BPF object names, with what they hold. libbpf looks for
 * each type of an object among all that the kernel has, 1 ms each: with these alone, all of them
 * together take as long as one did. Made anew at every start, so they are never another kernel's.
 */
#ifndef USER_KERNEL_SMALL_TYPES_H
#define USER_KERNEL_SMALL_TYPES_H

#include <bpf/btf.h>

#include "base/error.h"

struct small_types;

/*
 * Of the kernel's types, which must outlive them, those of the object's, which are taken over, also
 * on failure. 0 and *out (small_types__free()), or -ENOMEM or what making a file in memory says.
 */
int small_types__new(struct small_types **out, const struct btf *kernel, struct btf *object);
void small_types__free(struct small_types *types); /* NULL is fine */

/*
 * A file that has them, for bpf_object_open_opts.btf_custom_path; it is there until they are freed.
 * They have other numbers than in the kernel.
 */
const char *small_types__path(const struct small_types *types);

/* The kernel's own number of a struct; 0: the object does not name it, or the kernel has none. */
__u32 small_types__struct_id(const struct small_types *types, const char *name);

#endif

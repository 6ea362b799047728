/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel functions whose prototype differs between kernels: the object is made to fit this one. */
#ifndef USER_KERNEL_KFUNCS_H
#define USER_KERNEL_KFUNCS_H

#include <stddef.h>
#include <bpf/btf.h>

/* The types of a BPF object (btf__free()); NULL with errno: ENOMEM, or EBADMSG where it has none.
 */
struct btf *kfuncs__types(const void *object, size_t n);

/*
 * The BPF object declares the session's functions as Linux 7.2 has them, with the context as their
 * argument. Where this kernel's own take none, *out gets a copy of the object (*size bytes, the
 * caller's to free()) that declares them so; where nothing is to be changed, NULL. The code is the
 * same for both: the argument is in its register, read or not. 0, -ENOMEM, or -EBADMSG for what is
 * not a BPF object with types.
 */
int kfuncs__adapt(void **out, size_t *size, const void *object, size_t n,
		  const struct btf *kernel_btf);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What libbpf says while BPF programs are loaded: shown on request, and looked through for reasons.
 */
#ifndef USER_KERNEL_LOAD_LOG_H
#define USER_KERNEL_LOAD_LOG_H

/* From now on libbpf's messages come here; with TMTRACE_DEBUG set they go to standard error, too.
 */
void load_log__begin(void);

/*
 * The type or field that a program needs and this kernel's types lack, "struct io_kiocb.opcode" for
 * instance; NULL where that was not said since load_log__begin().
 */
const char *load_log__lacking(void);

/*
 * -EMFILE, -ENFILE: descriptors were missing, which libbpf may tell as another error; 0: that was
 * not said since then.
 */
int load_log__shortage(void);

/* The first program that the kernel's verifier has refused since then; NULL: none. */
const char *load_log__refused(void);

#endif

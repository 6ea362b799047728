/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A folder in the BPF file system (bpffs) that keeps maps, programs and links when the process that
 * made them is gone, and beside them what that process knew of them: the state. A set is whole when
 * its state is there: that is written last and removed first.
 *
 *   DIR/state            an array: its bytes, replaced at once
 *   DIR/maps/NAME  DIR/programs/NAME  DIR/links/NAME
 */
#ifndef USER_KERNEL_PINS_H
#define USER_KERNEL_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <bpf/libbpf.h>

#include "base/error.h"

enum pin_kind {
	PIN_MAP,
	PIN_PROGRAM,
	PIN_LINK,
	PIN_KINDS,
};

struct pins;

/*
 * Makes the folder, for root alone, and locks it. -ENOTSUP where no bpffs is mounted: its parent is
 * in another file system; -EADDRINUSE where another process has it; or another negative errno.
 */
int pins__open(struct pins **out, const char *dir, struct error *err);
/* Leaves all as it is. NULL is fine, here and wherever it says "NULL: there are none". */
void pins__close(struct pins *pins);

/* Is anything kept, that is, until pins__clear()? NULL: false. */
bool pins__keep(const struct pins *pins);

/*
 * Keeps a descriptor of a map, program or link under a name; a dot becomes "_". NULL: does nothing.
 * What bpffs cannot keep, such as a perf event, which lives as long as its link, is left out. 0, or
 * a negative errno.
 */
int pins__put(struct pins *pins, enum pin_kind kind, const char *name, int fd);
/* A descriptor of what is kept, the caller's; or a negative errno. */
int pins__get(const struct pins *pins, enum pin_kind kind, const char *name);
/* Keeps it no longer; whoever has it open goes on having it. NULL: does nothing. */
void pins__drop(struct pins *pins, enum pin_kind kind, const char *name);

/*
 * Calls take for each that is kept, with a descriptor that is take's; stops where that returns a
 * negative errno, and returns it.
 */
int pins__each(const struct pins *pins, enum pin_kind kind,
	       int (*take)(void *context, const char *name, int fd), void *context);

/*
 * The descriptor of a program: the object's own where it was loaded, else the one that is kept
 * under its name, which stays the pins'. NULL: there are none. A negative errno where there is
 * neither.
 */
int pins__program_fd(struct pins *pins, const struct bpf_program *prog);

/* Replaces the state; whoever is killed meanwhile leaves the old one or the new one. */
int pins__write_state(struct pins *pins, const void *bytes, size_t n);
/* A copy of the state, to be freed. -ENOENT: there is none, or another negative errno. */
int pins__read_state(const struct pins *pins, void **bytes, size_t *n);
/* From now on the set is not whole: the next one begins anew. */
void pins__invalidate(struct pins *pins);

/* Removes everything but the folder: what nobody has open any more is detached. */
void pins__empty(struct pins *pins);
/*
 * Removes everything, the folder too. What nobody has open any more is detached here, which takes
 * long for many perf probes: open the links before, and close them in the background. NULL: does
 * nothing.
 */
void pins__clear(struct pins *pins);

#endif

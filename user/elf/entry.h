/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a function a probe costs least. The kernel emulates a few instructions (push, nop,
 * jumps, call); any other one under a probe is single-stepped out of line, with a second trap, at
 * several times the cost. A probe is moved past such instructions where everything that it sees is
 * provably the same. x86-64; a pure function of bytes.
 */
#ifndef USER_ELF_ENTRY_H
#define USER_ELF_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "elf/entry_class.h"

/* Why a probe stays on an instruction that is not emulated. */
enum entry_bar {
	ENTRY_BAR_NONE,
	ENTRY_BAR_END,	    /* the function ends before */
	ENTRY_BAR_DECODE,   /* bytes that are no instruction */
	ENTRY_BAR_STACK,    /* the stack pointer changes before */
	ENTRY_BAR_ARGUMENT, /* an argument register changes before */
	ENTRY_BAR_WRITE,    /* memory is written before */
	ENTRY_BAR_READ,	    /* memory is read before that the caller vouches for */
	ENTRY_BAR_OTHER,    /* an instruction that leaves, waits, or is not known to be harmless */
	ENTRY_BAR_FAR,	    /* too many instructions before */
	ENTRY_BAR_BRANCH,   /* a branch leads between the entry and there */
	ENTRY_BAR_INDIRECT, /* an indirect jump in the function might */
	ENTRY_BAR_OVERLAP,  /* another function begins before, or this one within another */
	ENTRY_BAR_UNBOUND,  /* nothing says where the function ends */
	ENTRY_BAR_CHOICE,   /* nobody wanted it moved */
	ENTRY_BARS,
};

/* "changes the stack pointer first", ...; NONE has NULL. */
extern const char *const entry_bar_texts[ENTRY_BARS];

struct entry_site {
	enum entry_class first; /* of the function's first instruction */
	enum entry_class site;	/* of the instruction that gets the probe */
	__u32 moved;		/* bytes from the first instruction to that one */
	enum entry_bar bar;	/* why it is not moved, where that were good */
	bool endbr;		/* the function begins with endbr64 */
	bool restarts;		/* a call may come to the first instruction twice: stack_check.h */
};

/* The code of one function. */
struct entry_code {
	const unsigned char *bytes;
	size_t n;      /* bytes that are there and belong to the function */
	__u64 address; /* of the first one, as the file is linked */
	/* Addresses of the file that only the dynamic loader writes, so that pointers are valid. */
	__u64 relro_start, relro_end;
	/* All addresses of the file. */
	__u64 file_start, file_end;
	bool past_nop5; /* no probe may be on a nop5 at the entry, on this kernel */
};

/*
 * Finds the site as far as the bytes from the entry up to it decide: no branch on the way, no
 * change of the stack pointer or an argument register, no memory written, none read that could
 * fault. What leads there from elsewhere is for entry_file.h to check.
 */
void entry__find(struct entry_site *entry, const struct entry_code *code);

/* The probe stays at the entry, for that reason. */
void entry__stay(struct entry_site *entry, enum entry_bar bar);

/* "emulated", "moved" (to an emulated one), "nop5", "stepped", "refused"; NULL: not looked at. */
const char *entry__name(const struct entry_site *entry);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* How much a probe on an instruction costs, by what the kernel does with that instruction. */
#ifndef USER_ELF_ENTRY_CLASS_H
#define USER_ELF_ENTRY_CLASS_H

/* How the kernel handles an instruction under a probe: what a hit costs depends on it. */
enum entry_class {
	ENTRY_UNKNOWN,	/* not looked at, or no instruction */
	ENTRY_EMULATED, /* push, one-byte nop, direct jump or call */
	ENTRY_NOP5,	/* the five-byte nop, which newer kernels replace by a call */
	ENTRY_STEPPED,	/* executed out of line, with a second trap */
	ENTRY_REFUSED,	/* no probe can be there */
	ENTRY_CLASSES,
};

/* As people and records have them: "emulated", "nop5", "stepped", "refused"; UNKNOWN has NULL. */
extern const char *const entry_class_names[ENTRY_CLASSES];

#endif

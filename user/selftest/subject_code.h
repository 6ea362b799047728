/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of the functions that are probed; see subject.h. */
#ifndef USER_SELFTEST_SUBJECT_CODE_H
#define USER_SELFTEST_SUBJECT_CODE_H

#include <linux/types.h>

/* Where in the code a function begins, where its probe belongs, and where it returns. */
struct subject_place {
	__u32 function, probe, exit;
};

/* Position-independent; data of this program, not run here. */
extern const char subject_code_begin[] __attribute__((visibility("hidden")));
extern const char subject_code_end[] __attribute__((visibility("hidden")));
/* By enum subject_site. */
extern const struct subject_place subject_places[] __attribute__((visibility("hidden")));
extern const struct subject_place subject_places_end[] __attribute__((visibility("hidden")));

/* An instruction that is probed for itself: where its code begins, where its probe belongs. */
struct subject_instruction {
	__u32 code, probe;
	char name[32];
};

extern const struct subject_instruction subject_instructions[]
	__attribute__((visibility("hidden")));
extern const struct subject_instruction subject_instructions_end[]
	__attribute__((visibility("hidden")));

/* Not zero: a register was changed. */
__attribute__((visibility("hidden"))) long subject_check_registers(long (*function)(long));

#endif

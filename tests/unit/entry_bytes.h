/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions with which functions begin. */
#ifndef TESTS_UNIT_ENTRY_BYTES_H
#define TESTS_UNIT_ENTRY_BYTES_H

/* The bytes of a string, and how many they are. */
#define CODE(bytes) (bytes), sizeof(bytes) - 1

#define ENDBR "\xf3\x0f\x1e\xfa"
#define NOP5  "\x0f\x1f\x44\x00\x00"
#define PUSH  "\x55"

#endif

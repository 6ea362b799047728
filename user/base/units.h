/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers for people: three or four digits and a unit. All return out. */
#ifndef USER_BASE_UNITS_H
#define USER_BASE_UNITS_H

#include <linux/types.h>

#define UNITS_ROOM 32

/* "0 ns", "1.23 us", "45.6 ms", "1.23 s", "2.78 h" */
const char *units__time(char out[UNITS_ROOM], __u64 ns);

/* "512 B", "4.00 KiB", "1.50 TiB" */
const char *units__bytes(char out[UNITS_ROOM], __u64 bytes);

/* Exactly, in the largest unit of which it is a whole number: "4 KiB", "47,008 B". */
const char *units__exact_bytes(char out[UNITS_ROOM], __u64 bytes);

/* "1,234"; "1.23 M" from a million on */
const char *units__count(char out[UNITS_ROOM], __u64 count);

/*
 * For narrow columns, at most five characters: "1.23M", "1023M" (binary); "12.3k" (decimal);
 * "1.2ms", "123us".
 */
const char *units__short_bytes(char out[UNITS_ROOM], double bytes);
const char *units__short_count(char out[UNITS_ROOM], double count);
const char *units__short_time(char out[UNITS_ROOM], __u64 ns);

/* The time of day, to the microsecond, of a time since 1970: "12:34:56.123456". */
const char *units__moment(char out[UNITS_ROOM], __u64 realtime_ns);

/* Percent of a whole: "12", "<1" for less than a half, "" for none; never above 100. */
const char *units__share(char out[UNITS_ROOM], __u64 part, __u64 whole);

#endif

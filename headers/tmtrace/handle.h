/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that a library's calls know by an opaque handle: how they are called and how large they
 * are, once a call has told. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_HANDLE_H
#define TMTRACE_HANDLE_H

#include "tmtrace/object.h"

struct tm_handle_key {
	__u64 handle;
	__u32 tgid;
	__u32 layer; /* of the key of its series: two libraries may have the same one */
};

#define TM_NO_SIZE (~0ULL)

/* A call that is counted by the size of its object, which is not known yet. */
struct tm_sized_call {
	__u32 function; /* the key's */
	__u32 pad;
	__u64 ns;
};

/* So many of them wait for the size; further ones count as of none. */
#define TM_HANDLE_WAITING 6

struct tm_handle {
	__u64 born_ns; /* CLOCK_MONOTONIC: tells uses of one handle apart */
	__u64 size;    /* bytes, or TM_NO_SIZE */
	__u64 job;     /* of who told of it first */
	__u32 process;
	__u32 n_waiting; /* for the size, also those that found no room below */
	struct tm_sized_call waiting[TM_HANDLE_WAITING];
	struct tm_name_words name; /* all 0: not known */
};

/* Why something is not known of an object. */
enum tm_handle_loss {
	TM_HANDLE_NO_ENTRY,   /* the table was full */
	TM_HANDLE_UNREADABLE, /* handle, name or size could not be read */
	TM_HANDLE_LOSSES,
};

/* What an open call said at its entry, whose function tells of an object. */
struct tm_handle_call {
	__u64 handle; /* where a name is given, the address at which it will be */
	__u64 name;   /* addresses; 0: there is none */
	__u64 size;
	__u64 key;
	__u64 born_ns; /* of what the handle stood for; 0: nothing that is known */
};

/* A name while it is read. */
struct tm_naming {
	struct tm_name_words name;
	struct tm_name_words piece;
};

#endif

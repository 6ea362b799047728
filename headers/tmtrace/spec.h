/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a probed function is read: written by the catalogue (user/catalogue), read on every hit by
 * bpf/call.bpf.c. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_SPEC_H
#define TMTRACE_SPEC_H

/* In place of an argument's number: what the reader has in hand, as an item of an array. */
#define TM_ARG_BASE 15

/*
 * A number found at a call: the argument + offset, or the memory there. With memory the argument
 * is a whole 64-bit address and width is that of the read; without, the argument is first cut to
 * width. Arguments 1-6 are registers (rdi rsi rdx rcx r8 r9), 7-14 are on the stack.
 */
struct tm_operand {
	__u8 arg;    /* 1-14, TM_ARG_BASE; 0: no argument: offset is a constant (0: no operand) */
	__u8 memory; /* 1: read the memory at the argument + offset */
	__u8 width;  /* bytes: 1, 2, 4, 8 */
	__u8 is_signed;
	__s32 offset;
};

enum tm_size_kind {
	TM_SIZE_NONE,
	TM_SIZE_VALUE,	 /* a, at entry */
	TM_SIZE_PRODUCT, /* a times b, at entry */
	TM_SIZE_SUM, /* over b items of an array at a: the number at item * stride + item_offset[0]
		      */
	TM_SIZE_DELTA,	 /* a at return minus a at entry (both from memory) */
	TM_SIZE_RETURN,	 /* what the function returns, when it does not fail */
	TM_SIZE_AFTER,	 /* a, read from memory at return (an out parameter) */
	TM_SIZE_BROUGHT, /* as SUM, when the operation that the call launches is complete */
};

/* The most items of an array that are walked; the size of a longer one is not known ("unsized"). */
#define TM_SUM_MAX 1024

struct tm_size {
	__u8 kind;
	__u8 item_width;      /* bytes: 4 or 8 */
	__u16 stride;	      /* bytes */
	__u16 item_offset[2]; /* bytes; the second, if not 0, is added: key and value lengths */
	struct tm_operand a, b;
};

enum tm_fail_kind {
	TM_FAIL_NEVER,
	TM_FAIL_NEGATIVE_ERRNO, /* < 0, and the negated value is an errno */
	TM_FAIL_NEGATIVE,	/* < 0, the value says nothing more */
	TM_FAIL_NONZERO,	/* != 0, the value is the library's own error code */
	TM_FAIL_NULL,		/* 0, for functions that return a pointer or a count */
};

enum tm_object_kind {
	TM_OBJECT_NONE,
	TM_OBJECT_VALUE,  /* a, e.g. a handle or a pointer */
	TM_OBJECT_U128,	  /* 16 bytes at the address a */
	TM_OBJECT_STRING, /* the C string at the address a */
	TM_OBJECT_HANDLE, /* a, by the name that a call has given it (struct tm_handle_spec) */
};

struct tm_object_spec {
	__u8 kind;
	__u8 big_endian; /* with U128: the halves are stored so; only for who prints it */
	__u8 pad[6];
	struct tm_operand a;
};

/* Does the function read or write its object? */
enum tm_access_kind {
	TM_ACCESS_NONE,
	TM_ACCESS_READ,
	TM_ACCESS_WRITE,
};

/* What a call does to an asynchronous operation (tmtrace/operation.h). */
enum tm_role_kind {
	TM_ROLE_NONE,
	TM_ROLE_LAUNCH,	  /* puts it in flight, unless the call fails */
	TM_ROLE_STEP,	  /* another operation will work for it */
	TM_ROLE_POLL,	  /* says of some whether they are complete */
	TM_ROLE_COMPLETE, /* it is complete */
	TM_ROLE_FORGET,	  /* its struct is not used any more */
};

/* States that mean "complete", or with TM_ROLE_PENDING "not yet". */
#define TM_ROLE_STATES 4

enum tm_role_flag {
	TM_ROLE_PENDING = 1,   /* states are those of what is in flight */
	TM_ROLE_POSITIVE = 2,  /* a result above 0 is an errno; else those below 0 are */
	TM_ROLE_OWN_STATE = 4, /* of a poll with items: the state is in the operation */
};

struct tm_role {
	__u8 kind; /* enum tm_role_kind */
	__u8 flags;
	__u8 n_states;
	__u8 layer;   /* step: of the key of the operation that works for it */
	__u16 stride; /* poll: bytes from item to item */
	__u8 fields;  /* launch: number of the struct tm_fields, from 1; 0: none */
	__u8 pad;
	struct tm_operand operation; /* its address; of a poll with items in the item */
	struct tm_operand other;  /* step: the other's address; poll: that of the items, or none */
	struct tm_operand count;  /* poll: of items */
	struct tm_operand state;  /* poll: in the item, or in the operation */
	struct tm_operand result; /* poll: in the operation; complete: at the call; or none */
	__s32 states[TM_ROLE_STATES];
};

/* What a library's struct of an operation may say of it. */
enum tm_field {
	TM_FIELD_SEQNO,	  /* its number */
	TM_FIELD_SESSION, /* the number of the object's handle */
	TM_FIELD_SM_ID,	  /* the id of its state machine */
	TM_FIELD_CODE,	  /* which kind of operation it is */
	TM_FIELD_OBJECT,  /* where what it is about is, or that itself */
	TM_FIELDS,
};

/* A number in the struct that is in hand, or where a pointer in it leads to. */
struct tm_path {
	struct tm_operand pointer; /* none: there is no such pointer */
	struct tm_operand at;	   /* none: there is no such number */
};

/* How a library's struct of an operation is read. */
struct tm_fields {
	struct tm_path paths[TM_FIELDS];
	__u8 object_kind; /* enum tm_object_kind */
	__u8 big_endian;  /* as in struct tm_object_spec */
	__u8 pad[6];
};

/* How many different ones a run may have. */
#define TM_FIELDS_MAX 32

/* What a call tells of an object that is known by its handle (tmtrace/handle.h). */
enum tm_handle_does {
	TM_HANDLE_NAMES = 1,   /* on return the handle is in memory, and stands for a new object */
	TM_HANDLE_SIZES = 2,   /* on return its size is in memory */
	TM_HANDLE_DROPS = 4,   /* it stands for nothing any more */
	TM_HANDLE_BY_SIZE = 8, /* the function's calls are counted by the size of their object */
	TM_HANDLE_INDIRECT = 16, /* with SIZES: where the size would be is its address */
	TM_HANDLE_JOINS = 32,	 /* the process joins: under names that its arguments may say */
	TM_HANDLE_LEAVES = 64,	 /* at its entry the process leaves, unless it fails */
	TM_HANDLE_POOLS = 128,	 /* on return the address of storage pools is in memory */
};

/* The longest key has two characters less: a longer one, cut, is another one then. */
#define TM_HANDLE_KEY_WORDS 6
#define TM_HANDLE_KEY	    (8 * TM_HANDLE_KEY_WORDS)

/* What a library's struct of a storage pool may say, beside its id. */
enum tm_pool_field {
	TM_POOL_NAMED,
	TM_POOL_TYPE,
	TM_POOL_CAPACITY,
	TM_POOL_FIELDS,
};

/* How it is read, from its address on; of a list, from the list's address: count, array. */
struct tm_pool_spec {
	struct tm_operand id, name;	  /* addresses; without a name: no operand */
	struct tm_operand type, capacity; /* or none */
	__u16 stride;			  /* bytes from one to the next */
	__u16 count, items;		  /* offsets in the list */
	__u8 is_list;
	__u8 pad;
};

struct tm_handle_spec {
	__u8 does; /* enum tm_handle_does */
	__u8 pad[7];
	struct tm_operand handle; /* names, pools: in memory */
	struct tm_operand name;	  /* address of a C string: names; joins: the workflow's */
	struct tm_operand size;	  /* sizes: in memory */
	struct tm_operand key;	  /* the same: sizes: must be `is`; joins: the component's */
	union {
		__u64 is[TM_HANDLE_KEY_WORDS]; /* sizes: characters, the rest 0 */
		struct tm_pool_spec pool;      /* pools */
	};
};

/* One function's reading; 200 bytes. */
struct tm_spec {
	struct tm_size size;	      /* 24 bytes */
	struct tm_object_spec object; /* 16 bytes */
	__u8 fail;		      /* enum tm_fail_kind */
	__u8 return_width;	      /* bytes: 0 (void), 1, 4, 8 */
	__u8 return_signed;
	__u8 calls_back; /* may run code of the program, which may throw */
	__u8 addb;	 /* enum tm_addb_role (addb.h) */
	__u8 access;	 /* enum tm_access_kind */
	__u8 pad[2];
	struct tm_role role;	      /* 64 bytes */
	struct tm_handle_spec handle; /* 88 bytes */
};

#endif

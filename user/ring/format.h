/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring-buffered file on the disk; docs/recording.md describes it for other readers. All numbers
 * are little endian.
 *
 *	0	struct ring_file_header
 *	2048	the same once more
 *	4096	the ring: blocks, each at a multiple of 4096 in it
 *
 * Blocks have offsets that only grow, as if the file had no end: block at offset O is at
 * O % ring_size in the ring. What is older than the newest block's end - ring_size is overwritten.
 */
#ifndef USER_RING_FORMAT_H
#define USER_RING_FORMAT_H

#include <linux/types.h>

#define RING_MAGIC	 "tmtrace\n"
#define RING_BLOCK_MAGIC 0x6b6c6274U /* "tblk" */
#define RING_VERSION	 1

#define RING_UNIT	   4096U /* blocks begin at multiples of it */
#define RING_HEADER_SIZE   4096U /* bytes before the ring */
#define RING_SECOND_HEADER 2048U

/* The smallest file; its blocks are of one sixteenth of it. */
#define RING_FILE_MIN  (RING_HEADER_SIZE + 16 * RING_UNIT)
#define RING_BLOCK_MAX (256U << 10)

/* Its first 20 bytes stay as they are in every version. */
struct ring_file_header {
	char magic[8];
	__le32 version;
	__le32 header_bytes; /* of this header: what the checksum is of */
	__le32 crc;	     /* CRC-32 of the header, with 0 here */
	__le32 block_max;    /* bytes of the largest block */
	__le64 ring_size;    /* bytes; a multiple of RING_UNIT */
	__le64 created_ns;   /* CLOCK_REALTIME */
	__u8 id[16];	     /* random */
	__le64 reserved;
};

struct ring_block_header {
	__le32 magic;
	__le32 crc;	 /* CRC-32 of what follows: the rest of this header and the entries */
	__u8 id[8];	 /* the first bytes of the file's */
	__le64 sequence; /* from 1 */
	__le64 offset;
	__le64 events_before;  /* events in all blocks before this one */
	__le64 events_dropped; /* so far, by a writer that found its queue full */
	__le64 time_ns;	       /* CLOCK_REALTIME, when the block was finished */
	__le32 length;	       /* bytes of entries; then zeros up to a multiple of RING_UNIT */
	__le32 n_events;       /* in this block */
};

enum ring_entry_flag {
	RING_ENTRY_STATE = 1,	  /* has a key; else events */
	RING_ENTRY_COPY = 2,	  /* a state that was there before, and is repeated to be kept */
	RING_ENTRY_FORGOTTEN = 4, /* a state that is no more: what came before does not count */
};

struct ring_entry_header {
	__le16 type;
	__le16 flags;
	__le32 length; /* bytes of data, which follow; then zeros up to a multiple of 8 */
	__le64 key;    /* a state's key; of events, how many they are */
};

_Static_assert(sizeof(struct ring_file_header) == 64, "as documented");
_Static_assert(sizeof(struct ring_block_header) == 64, "as documented");
_Static_assert(sizeof(struct ring_entry_header) == 16, "as documented");

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Motr's ADDB2 identifiers stand for: names, fields and how they are written, as m0addb2dump
 * of Motr 2.0.0 knows them.
 */
#ifndef USER_ADDB_IDENTIFIERS_H
#define USER_ADDB_IDENTIFIERS_H

#include <stddef.h>
#include <linux/types.h>

#include "addb/machines.h"
#include "addb/names.h"

enum addb_kind {
	ADDB_LABEL = 1,
	ADDB_MEASUREMENT = 2,
	ADDB_SENSOR = 4,
};

/* How words are written. */
enum addb_format {
	ADDB_DECIMAL,
	ADDB_HEX,
	ADDB_HEX0X,
	ADDB_POINTER,
	ADDB_BOOLEAN,
	ADDB_FID, /* two words */
	ADDB_CLOCK,
	ADDB_DURATION,
	ADDB_OPCODE,	/* of an rpc item */
	ADDB_SYMBOL,	/* the address of a function, less the library's */
	ADDB_FOM,	/* three words: type, transitions, phase */
	ADDB_PHASE,	/* three words, of the fom that a label names */
	ADDB_STATE,	/* three words: machine, transition, state */
	ADDB_NAMED,	/* one of the names of an enumeration */
	ADDB_ATTRIBUTE, /* two words: which, its value */
	ADDB_HISTOGRAM, /* fifteen words */
};

struct addb_field {
	__u8 format; /* enum addb_format */
	__u8 words;
	const char *label;		/* as the dump writes it; NULL: nothing */
	const char *name;		/* as JSON has it; NULL: as label */
	const struct addb_names *names; /* of ADDB_NAMED; of ADDB_DECIMAL for JSON alone */
};

#define ADDB_FIELDS 9

struct addb_identifier {
	__u32 first, last; /* those of a range differ by the machine's transition */
	__u8 kind;	   /* enum addb_kind, several */
	__u8 n_fields;
	const char *name; /* of a range: what stands before the machine's name */
	/* Of states, and of histograms of transitions. */
	const struct addb_machine *machine;
	struct addb_field fields[ADDB_FIELDS];
};

#define ADDB_ID_NODE	  0x1001
#define ADDB_ID_FOM	  0x2004
#define ADDB_ID_FOP_FIRST 0x1000000 /* to 0x1ffffff: histograms of each type of fop */
#define ADDB_ID_FOP_LAST  0x1ffffff
#define ADDB_ID_MIO	  0x30000 /* all that MIO records */

/*
 * NULL: not known. MIO's records are not either: the dump writes them as words. Histograms of fops
 * are in machines.h.
 */
const struct addb_identifier *addb_identifiers__find(__u64 id);
/* By the name that the dump writes; NULL: not known. */
const struct addb_identifier *addb_identifiers__by_name(const char *name);
/* All of them, sorted by number. */
const struct addb_identifier *addb_identifiers__all(size_t *n);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* ADDB2 records as m0addb2dump of Motr 2.0.0 writes them, character for character. */
#ifndef USER_ADDB_TEXT_H
#define USER_ADDB_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "addb/machines.h"
#include "addb/record.h"

struct addb_text {
	FILE *out;
	bool flat; /* a record a line, as with -f; else a line for each of its values */
	/* Where &m0_ptr_wrap of Motr's library is: records have functions' distance from there. */
	__u64 symbol_base;
};

/* Does the dump have a record? Of threads without a machine Motr keeps none. */
bool addb_text__has(const struct addb_origin *origin);

/* A record; its times are local time. Errors stay in the stream. */
void addb_text__print(const struct addb_text *text, const struct addb_record *record);

/* The machine whose phases a record tells: of the fom of its innermost label. NULL: not known. */
const struct addb_machine *addb_text__phases(const struct addb_record *record);

/*
 * What a record is of, as the dump writes it where a name stands: as in "fom-state", and for
 * histograms of transitions "tx/m0_be_tx::t_sm: prepare -[opening]-> opening". An unknown one is
 * its number in hex. Returns out.
 */
const char *addb_text__name(__u64 id, char *out, size_t room);

#endif

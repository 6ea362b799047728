/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Labels in a row, outermost first, as the kernel side tells them and as batches keep them: each is
 * a word with its identifier and, above TM_ADDB_ID_BITS, the number of its words; then these.
 */
#ifndef USER_ADDB_LABELS_H
#define USER_ADDB_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "addb/record.h"

/* Are size bytes at data no less than n labels? */
bool addb_labels__are(const void *data, size_t size, unsigned int n);

/* Takes them over into a record. 0, or -EBADMSG where they are none, or more than TM_ADDB_LABELS.
 */
int addb_labels__read(struct addb_record *record, const void *data, size_t size, unsigned int n);

/* Bytes that a record's labels take so. */
size_t addb_labels__size(const struct addb_record *record);
/* Writes them to where there is room for so many bytes. */
void addb_labels__write(const struct addb_record *record, void *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* How much was read and written when, as a page has it. */
#ifndef USER_PAGE_VOLUMES_H
#define USER_PAGE_VOLUMES_H

#include "page/document.h"
#include "report/volumes.h"

/*
 * The member "volumes": start_ns, bin_ns, and an array for each of files_read_bytes,
 * files_written_bytes, devices_read_bytes and devices_written_bytes; null where nothing was.
 */
void page_volumes__write(struct page_document *document, const struct volumes *volumes);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* One function: its figures, what it was before, how long its calls take. */
#ifndef USER_TOP_DETAIL_H
#define USER_TOP_DETAIL_H

#include "top/frame.h"
#include "top/page.h"

/* Into so many lines. */
void top_detail__write(struct top_writer *writer, const struct top_page *page, size_t lines);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines above everything: when it is, where one is, what it costs. */
#ifndef USER_TOP_HEADER_H
#define USER_TOP_HEADER_H

#include "top/frame.h"
#include "top/page.h"

/* So many lines. */
size_t top_header__lines(const struct top_page *page);
void top_header__write(struct top_writer *writer, const struct top_page *page);
/* The first of them alone. */
void top_header__title(struct top_writer *writer, const struct top_page *page);

#endif

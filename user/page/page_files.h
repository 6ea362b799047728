/* SPDX-License-Identifier: GPL-2.0-only */
/* What every page has: the Makefile makes these of style.css and script/ of this folder. */
#ifndef USER_PAGE_PAGE_FILES_H
#define USER_PAGE_PAGE_FILES_H

extern const char page_style[], page_script[];
/* A Content-Security-Policy, with the hashes of both; in an attribute's quotes as it is. */
extern const char page_policy[];

#endif

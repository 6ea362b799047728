/* SPDX-License-Identifier: GPL-2.0-only */
/* What a key's `where` is made of; device numbers as the kernel keeps them (linux/kdev_t.h). */
#ifndef USER_REPORT_WHERE_H
#define USER_REPORT_WHERE_H

#include <linux/types.h>

static inline int where__mount(__u64 where)
{
	return (int)(where >> 32);
}

static inline unsigned int where__major(__u64 where)
{
	return (__u32)where >> 20;
}

static inline unsigned int where__minor(__u64 where)
{
	return (__u32)where & 0xfffff;
}

#endif

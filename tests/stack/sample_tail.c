// SPDX-License-Identifier: GPL-2.0-only
/* The one function that ends in a jump; built with sibling calls. */
#include "sample.h"
#include "truth.h"

static __attribute__((noinline)) void count(void)
{
	static struct truth_site site;
	struct truth_call call = { .site = &site, .layer = "sample", .function = "sample_tail" };

	truth_enter(&call);
	truth_leave(&call);
}

/*
 * The truth's clock must stop before the jump, so the time of sample_leaf is not in it; a return
 * probe sees it end with sample_leaf.
 */
long sample_tail(long n)
{
	count();
	return sample_leaf(n);
}

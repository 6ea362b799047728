// SPDX-License-Identifier: GPL-2.0-only
/* The library that later.c maps; its function needs nothing that a loader would have to do. */
int later_leaf(int x);

int later_leaf(int x)
{
	return x + 1;
}

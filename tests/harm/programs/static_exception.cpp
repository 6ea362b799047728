// SPDX-License-Identifier: GPL-2.0-only
/* The functions are in the program itself, which has no dynamic loader, and the unwinder in it. */
#include "exception.cpp"

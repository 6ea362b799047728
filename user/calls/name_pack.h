/* SPDX-License-Identifier: GPL-2.0-only */
/* The strings of a batch, one after the other, each ended by NUL; an empty one is at offset 0. */
#ifndef USER_CALLS_NAME_PACK_H
#define USER_CALLS_NAME_PACK_H

#include <stddef.h>
#include <linux/types.h>

struct name_pack;

struct name_pack *name_pack__new(size_t bytes); /* room for so many. NULL without memory */
void name_pack__free(struct name_pack *names);	/* NULL is fine */
void name_pack__begin(struct name_pack *names); /* anew */

/* Adds the first bytes of a text, for which there must be room with the NUL. Its offset. */
__u32 name_pack__add(struct name_pack *names, const char *text, size_t length);
/* The same of a whole text that comes often: it is looked for first. NULL is the empty one. */
__u32 name_pack__share(struct name_pack *names, const char *text);

/* Those that there are, padded with NUL to a multiple of 8. */
const char *name_pack__bytes(struct name_pack *names, size_t *n);
size_t name_pack__n(const struct name_pack *names); /* bytes of them, so padded */

#endif

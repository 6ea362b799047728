/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of a batch's calls, as call_batch.h has them: frames and stacks each once. */
#ifndef USER_CALLS_STACK_PACK_H
#define USER_CALLS_STACK_PACK_H

#include "calls/name_pack.h"
#include "stacks/stacks.h"

struct stack_pack;

struct stack_pack *stack_pack__new(size_t bytes); /* of a batch. NULL without memory */
void stack_pack__free(struct stack_pack *stacks); /* NULL is fine */
void stack_pack__begin(struct stack_pack *stacks);

/* How many bytes a call with that stack, NULL: none, makes a batch larger, at most. */
size_t stack_pack__cost(const struct stack_pack *stacks, const struct stack *stack);
/* The stack of the next call; there must be room for it. */
void stack_pack__add(struct stack_pack *stacks, const struct stack *stack, struct name_pack *names);

size_t stack_pack__n(const struct stack_pack *stacks); /* bytes */
/* Puts them there; returns what is behind them. */
char *stack_pack__put(const struct stack_pack *stacks, char *to);

#endif

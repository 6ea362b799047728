// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "attach/closing.h"
#include "base/close_all.h"
#include "kernel/grace.h"

#define STACK (128 << 10)

struct closing *closing__new(size_t room)
{
	return calloc(1, sizeof(struct closing) + room * sizeof(int));
}

static void *close_them(void *argument)
{
	struct closing *closing = argument;

	if (closing->after_grace)
		grace__wait();
	close_all(closing->fds + closing->n_last, closing->n - closing->n_last);
	close_each(closing->fds, closing->n_last);
	__atomic_store_n(&closing->done, true, __ATOMIC_RELEASE);
	return NULL;
}

void closings__start(struct closings *closings, struct closing *closing)
{
	pthread_attr_t attr;
	int ret = 0;

	if (closing->n) {
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, STACK);
		ret = pthread_create(&closing->thread, &attr, close_them, closing);
		pthread_attr_destroy(&attr);
		if (ret)
			close_them(closing);
	}
	if (ret || !closing->n) {
		free(closing);
		return;
	}
	closing->next = closings->first;
	closings->first = closing;
}

void closings__reap(struct closings *closings, bool all)
{
	struct closing **at = &closings->first;

	while (*at) {
		struct closing *closing = *at;

		if (!all && !__atomic_load_n(&closing->done, __ATOMIC_ACQUIRE)) {
			at = &closing->next;
			continue;
		}
		pthread_join(closing->thread, NULL);
		*at = closing->next;
		free(closing);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/* Two tasks share one stack: what one has on it is copied away while the other one runs. */
#include <string.h>

#include "harm.h"
#include "switch.h"

enum { ROOM = 64 << 10, ROUNDS = 100 };

static char shared[ROOM] __attribute__((aligned(64)));
static char kept[2][ROOM];
static void *at[2], *main_at;
static int current, sum;

static int yield(void *arg)
{
	(void)arg;
	switch_to(&at[current], main_at);
	return current;
}

static void body(void)
{
	int i;

	for (i = 0;; i++)
		sum += HARM(hm_call)(yield, NULL) + HARM(hm_plain)(i);
}

int main(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		at[i] = new_stack(shared, ROOM, body);
		memcpy(kept[i], shared, ROOM);
	}
	for (i = 0; i < 2 * ROUNDS; i++) {
		current = i % 2;
		memcpy(shared, kept[current], ROOM);
		switch_to(&main_at, at[current]);
		memcpy(kept[current], shared, ROOM);
		memset(shared, 0, ROOM);
	}
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}

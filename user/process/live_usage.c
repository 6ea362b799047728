// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/live_usage.h"

static FILE *open_proc(__u32 pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return fopen(path, "re");
}

/* proc(5): utime and stime are the 14th and 15th, in ticks; the 2nd may have anything in it. */
static void read_times(struct process_account *account)
{
	__u64 tick_ns = NS_PER_S / (__u64)sysconf(_SC_CLK_TCK), user, system;
	FILE *file = open_proc(account->info.pid, "stat");
	char line[1024];
	const char *rest;
	size_t n;

	if (!file)
		return;
	n = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[n] = '\0';
	rest = strrchr(line, ')');
	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
			    &user, &system) != 2)
		return;
	account->user_ns = user * tick_ns;
	account->system_ns = system * tick_ns;
}

static void read_memory(struct process_account *account)
{
	FILE *file = open_proc(account->info.pid, "status");
	char line[256];
	__u64 kib;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %llu kB", &kib) == 1)
			account->max_rss_bytes = kib << 10;
	if (file)
		fclose(file);
}

void live_usage__read(struct process_account *account)
{
	read_times(account);
	read_memory(account);
}

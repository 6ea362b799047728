// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "governor/node_time.h"

__u64 node_time__parse(const char *line, long hertz)
{
	unsigned long long user, nice, system, irq, softirq;

	/* user nice system idle iowait irq softirq ...; guests are part of user and nice */
	if (hertz <= 0 || sscanf(line, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice,
				 &system, &irq, &softirq) != 5)
		return 0;
	return (user + nice + system + irq + softirq) * (NS_PER_S / (__u64)hertz);
}

__u64 node_time__spent(void)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[256];
	__u64 spent = 0;

	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file))
		spent = node_time__parse(line, sysconf(_SC_CLK_TCK));
	fclose(file);
	return spent;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "host/devices.h"
#include "host/files.h"

#define UEVENT_MAX 65536
#define KEY	   "DEVNAME="

struct device {
	unsigned int major;
	unsigned int minor;
	char name[64];
};

struct devices {
	struct device *items;
	size_t n;
	size_t room;
	char unknown[64]; /* the last answer that is not among the items */
};

struct devices *devices__new(void)
{
	return calloc(1, sizeof(struct devices));
}

void devices__free(struct devices *devices)
{
	if (!devices)
		return;
	free(devices->items);
	free(devices);
}

/* 0, or not when the kernel knows no such block device. */
static int read_name(struct device *device)
{
	char path[64], *text, *rest = NULL, *line;
	int ret;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", device->major, device->minor);
	ret = files__read(path, UEVENT_MAX, &text, NULL);
	if (ret)
		return ret;
	line = strtok_r(text, "\n", &rest);
	while (line && strncmp(line, KEY, sizeof(KEY) - 1) != 0)
		line = strtok_r(NULL, "\n", &rest);
	if (line)
		snprintf(device->name, sizeof(device->name), "%s", line + sizeof(KEY) - 1);
	free(text);
	return line ? 0 : -1;
}

const char *devices__name(struct devices *devices, unsigned int major, unsigned int minor)
{
	struct device device = { .major = major, .minor = minor };

	for (size_t i = 0; i < devices->n; i++) {
		if (devices->items[i].major == major && devices->items[i].minor == minor)
			return devices->items[i].name;
	}
	if (read_name(&device) != 0) {
		snprintf(devices->unknown, sizeof(devices->unknown), "%u:%u", major, minor);
		return devices->unknown;
	}
	if (array__grow((void **)&devices->items, &devices->room, devices->n,
			sizeof(*devices->items)) < 0) {
		memcpy(devices->unknown, device.name, sizeof(devices->unknown));
		return devices->unknown;
	}
	devices->items[devices->n] = device;
	return devices->items[devices->n++].name;
}

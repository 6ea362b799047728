// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/units.h"

struct unit {
	const char *name;
	double size;  /* in units of the value */
	double until; /* the first value that the next unit shows; 0: the last unit */
};

/* The unit that shows a value: the one before it would round it to a digit more. */
static const struct unit *unit_of(double value, const struct unit *unit)
{
	while (unit->until > 0 && value >= unit->until)
		unit++;
	return unit;
}

/* Digits after the point, so that there are three in all. */
static int decimals(double shown)
{
	if (shown < 9.995)
		return 2;
	return shown < 99.95 ? 1 : 0;
}

/* Three digits, four where a unit goes on so far. */
static const char *scale(char out[UNITS_ROOM], double value, const struct unit *units)
{
	const struct unit *unit = unit_of(value, units);
	double shown = value / unit->size;

	snprintf(out, UNITS_ROOM, "%.*f %s", decimals(shown), shown, unit->name);
	return out;
}

const char *units__time(char out[UNITS_ROOM], __u64 ns)
{
	static const struct unit units[] = {
		{ "us", 1e3, 999.5e3 },		{ "ms", 1e6, 999.5e6 },	 { "s", 1e9, 9999.5e9 },
		{ "h", 3600e9, 1000 * 3600e9 }, { "d", 24 * 3600e9, 0 },
	};

	if (ns >= 1000)
		return scale(out, (double)ns, units);
	snprintf(out, UNITS_ROOM, "%llu ns", ns);
	return out;
}

const char *units__bytes(char out[UNITS_ROOM], __u64 bytes)
{
	const double k = 1024;
	const struct unit units[] = {
		{ "KiB", k, 1023.5 * k },
		{ "MiB", k * k, 1023.5 * k * k },
		{ "GiB", k * k * k, 1023.5 * k * k * k },
		{ "TiB", k * k * k * k, 1023.5 * k * k * k * k },
		{ "PiB", k * k * k * k * k, 0 },
	};

	if (bytes >= 1024)
		return scale(out, (double)bytes, units);
	snprintf(out, UNITS_ROOM, "%llu B", bytes);
	return out;
}

/* All digits, a comma before every three. */
static const char *group_digits(char out[UNITS_ROOM], __u64 value)
{
	char digits[UNITS_ROOM];
	int n = snprintf(digits, sizeof(digits), "%llu", value);
	char *at = out;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return out;
}

const char *units__exact_bytes(char out[UNITS_ROOM], __u64 bytes)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	char digits[UNITS_ROOM];
	size_t unit = 0;

	while (bytes && bytes % 1024 == 0 && unit < sizeof(names) / sizeof(*names) - 1) {
		bytes /= 1024;
		unit++;
	}
	snprintf(out, UNITS_ROOM, "%.26s %s", group_digits(digits, bytes), names[unit]);
	return out;
}

const char *units__count(char out[UNITS_ROOM], __u64 count)
{
	static const struct unit units[] = {
		{ "M", 1e6, 999.5e6 },
		{ "G", 1e9, 999.5e9 },
		{ "T", 1e12, 0 },
	};

	if (count >= 1000000)
		return scale(out, (double)count, units);
	if (count >= 1000)
		snprintf(out, UNITS_ROOM, "%llu,%03llu", count / 1000, count % 1000);
	else
		snprintf(out, UNITS_ROOM, "%llu", count);
	return out;
}

const char *units__moment(char out[UNITS_ROOM], __u64 realtime_ns)
{
	char text[16];

	snprintf(out, UNITS_ROOM, "%s.%06llu",
		 clock__local(text, sizeof(text), realtime_ns, "%H:%M:%S"),
		 realtime_ns % NS_PER_S / 1000);
	return out;
}

const char *units__share(char out[UNITS_ROOM], __u64 part, __u64 whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	out[0] = '\0';
	if (part && whole && percent < 0.5)
		snprintf(out, UNITS_ROOM, "<1");
	else if (part && whole)
		snprintf(out, UNITS_ROOM, "%.0f", percent > 100 ? 100 : percent);
	return out;
}

/* Three digits and a letter; values that are no whole number only below the first unit. */
static const char *scale_short(char out[UNITS_ROOM], double value, const struct unit *units)
{
	const struct unit *unit = unit_of(value, units);
	double shown = value / unit->size;

	if (!unit->name[0] && (shown >= 9.95 || shown == (double)(__u64)shown))
		snprintf(out, UNITS_ROOM, "%.0f", shown);
	else
		snprintf(out, UNITS_ROOM, "%.*f%s", unit->name[0] ? decimals(shown) : 1, shown,
			 unit->name);
	return out;
}

const char *units__short_bytes(char out[UNITS_ROOM], double bytes)
{
	const double k = 1024;
	const struct unit units[] = {
		{ "", 1, 1023.5 },
		{ "K", k, 1023.5 * k },
		{ "M", k * k, 1023.5 * k * k },
		{ "G", k * k * k, 1023.5 * k * k * k },
		{ "T", k * k * k * k, 0 },
	};

	return scale_short(out, bytes, units);
}

const char *units__short_count(char out[UNITS_ROOM], double count)
{
	static const struct unit units[] = {
		{ "", 1, 999.5 },
		{ "k", 1e3, 999.5e3 },
		{ "M", 1e6, 999.5e6 },
		{ "G", 1e9, 0 },
	};

	return scale_short(out, count, units);
}

const char *units__short_time(char out[UNITS_ROOM], __u64 ns)
{
	static const struct unit units[] = {
		{ "ns", 1, 999.5 },
		{ "us", 1e3, 999.5e3 },
		{ "ms", 1e6, 999.5e6 },
		{ "s", 1e9, 0 },
	};
	const struct unit *unit = unit_of((double)ns, units);
	double shown = (double)ns / unit->size;

	snprintf(out, UNITS_ROOM, "%.*f%s", shown < 9.95 && unit != units ? 1 : 0, shown,
		 unit->name);
	return out;
}
